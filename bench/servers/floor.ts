/** Owns the floor: raw node:http with input validation and the header checks of the modern wire, and nothing else. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { benchTools, wireDefinition } from '../tools.ts';
import { announce, serveOptions } from './serving.ts';

const VERSION = '2026-07-28';
const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const SERVER_META = '{"io.modelcontextprotocol/serverInfo":{"name":"floor","version":"1.0.0"}}';

interface Message {
  jsonrpc?: string;
  id?: number | string;
  method?: string;
  params?: { name?: string; arguments?: unknown; _meta?: Record<string, unknown> };
}

const { tools: toolCount, port } = serveOptions();
const tools = benchTools(toolCount);
const toolByName = new Map(tools.map((tool) => [tool.name, tool]));
const definitions = JSON.stringify(tools.map(wireDefinition));
const listTail = Buffer.from(
  `,"result":{"resultType":"complete","tools":${definitions},"ttlMs":0,"cacheScope":"private","_meta":${SERVER_META}}}`,
);

const server = createServer((req, res) => {
  if (req.method !== 'POST' || req.url !== '/mcp') return refuse(res, 404, -32601, 'Post to /mcp.');
  const origin = req.headers.origin;
  if (origin !== undefined && origin !== ownOrigin) {
    return refuse(res, 403, -32600, 'This origin is not allowed.');
  }
  if (req.headers['content-type'] !== 'application/json') {
    return refuse(res, 415, -32600, 'Send application/json.');
  }
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    const first = chunks[0];
    const bytes = chunks.length === 1 && first ? first : Buffer.concat(chunks);
    serve(req, res, bytes);
  });
});
let ownOrigin = '';

function serve(req: IncomingMessage, res: ServerResponse, bytes: Buffer): void {
  let message: Message;
  try {
    // parsed JSON has no type of its own; every field used is checked below
    message = JSON.parse(bytes.toString()) as Message;
  } catch {
    return refuse(res, 400, -32700, 'The body is not JSON.');
  }
  const { params, method, id } = message;
  const meta = params?._meta;
  if (message.jsonrpc !== '2.0' || id === undefined || !params || !meta) {
    return refuse(res, 400, -32602, 'Send one request with _meta.');
  }
  if (meta[META_VERSION] !== VERSION || typeof meta[META_CAPABILITIES] !== 'object') {
    return refuse(res, 400, -32602, 'The _meta envelope is incomplete.');
  }
  if (req.headers['mcp-protocol-version'] !== VERSION || req.headers['mcp-method'] !== method) {
    return refuse(res, 400, -32020, 'A header disagrees with the body.');
  }
  if (method === 'tools/call') return call(req, res, id, params);
  if (method === 'tools/list') return list(res, id);
  refuse(res, 404, -32601, 'Unknown method.');
}

function call(
  req: IncomingMessage,
  res: ServerResponse,
  id: number | string,
  params: NonNullable<Message['params']>,
): void {
  const name = params.name ?? '';
  if (req.headers['mcp-name'] !== name) {
    return refuse(res, 400, -32020, 'Mcp-Name disagrees with the body.');
  }
  const tool = toolByName.get(name);
  if (!tool) return refuse(res, 400, -32602, 'Unknown tool.');
  const input = tool.input.safeParse(params.arguments);
  if (!input.success) return refuse(res, 400, -32602, 'The arguments do not match the schema.');
  const output = JSON.stringify(tool.run(input.data));
  send(
    res,
    200,
    Buffer.from(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"resultType":"complete","content":[{"type":"text","text":${JSON.stringify(output)}}],"structuredContent":${output},"_meta":${SERVER_META}}}`,
    ),
  );
}

function list(res: ServerResponse, id: number | string): void {
  const head = `{"jsonrpc":"2.0","id":${JSON.stringify(id)}`;
  res.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(head) + listTail.length,
  });
  res.write(head);
  res.end(listTail);
}

function refuse(res: ServerResponse, status: number, code: number, message: string): void {
  send(res, status, Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })));
}

function send(res: ServerResponse, status: number, body: Buffer): void {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  res.end(body);
}

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('Listen on a TCP port.');
  ownOrigin = `http://127.0.0.1:${address.port}`;
  announce(
    { url: `${ownOrigin}/mcp`, key: 'floor-checks-no-key' },
    { close: () => server.closeAllConnections() },
  );
});
