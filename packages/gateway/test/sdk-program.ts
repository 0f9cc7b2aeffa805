/** A program as others write them: the official SDK on standard input and output, in both eras or in one. */
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

function create(): McpServer {
  const server = new McpServer(
    { name: 'sdk', version: '1.0.0' },
    { capabilities: { tools: {}, logging: {} } },
  );
  server.registerTool(
    'echo',
    { description: 'Echoes.', inputSchema: z.object({ say: z.string() }) },
    async ({ say }) => ({
      content: [{ type: 'text', text: JSON.stringify(say) }],
    }),
  );
  server.registerTool('grow', { description: 'Brings another tool.' }, async () => {
    server.registerTool('more', { description: 'More.' }, async () => ({ content: [] }));
    return { content: [{ type: 'text', text: '"grown"' }] };
  });
  return server;
}

if (process.argv[2] === '2025') await create().connect(new StdioServerTransport());
else serveStdio(create, { legacy: 'reject' });
