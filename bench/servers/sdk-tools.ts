/** Owns the SDK anchor's server: an McpServer with the bench tools, schemas at module scope. */
import { McpServer } from '@modelcontextprotocol/server';
import { readHints } from '../tools.ts';
import type { BenchTool } from '../tools.ts';

/** A fresh McpServer with every tool registered, as the SDK asks for per request or connection. */
export function sdkServer(tools: BenchTool[]): McpServer {
  const server = new McpServer({ name: 'sdk', version: '1.0.0' });
  for (const tool of tools) {
    server.registerTool(
      tool.name,
      {
        description: tool.description,
        inputSchema: tool.input,
        outputSchema: tool.output,
        annotations: readHints,
      },
      (input) => {
        const output = tool.run(input);
        return {
          content: [{ type: 'text', text: JSON.stringify(output) }],
          structuredContent: output,
        };
      },
    );
  }
  return server;
}
