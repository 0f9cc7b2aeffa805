/** Owns the SDK anchor over HTTP: createMcpHandler behind the Node adapter. */
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import type { NodeIncomingMessageLike } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { detach } from '../../packages/kit/src/detach.ts';
import { benchTools } from '../tools.ts';
import { sdkServer } from './sdk-tools.ts';
import { announce, fail, serveOptions } from './serving.ts';

const { tools: toolCount, port } = serveOptions();
const tools = benchTools(toolCount);
const handler = createMcpHandler(() => sdkServer(tools));
const handle = toNodeHandler(handler);
// the adapter's type of method and url leaves out undefined, which Node's own types name
const server = createServer((req, res) => detach(handle(req as NodeIncomingMessageLike, res), fail));

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listen on a TCP port.');
  announce(
    { url: `http://127.0.0.1:${address.port}/mcp`, key: 'sdk-checks-no-key' },
    {
      close: async () => {
        await handler.close();
        server.closeAllConnections();
      },
    },
  );
});
