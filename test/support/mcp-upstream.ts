/** Owns small MCP servers of both eras and of the older HTTP with SSE, whose tools and faults a test decides. */
import type { ServerResponse } from 'node:http';
import type { ScriptedServer, SeenRequest } from './scripted-server.ts';
import { startServer } from './scripted-server.ts';

/** A tool as a server lists it; tests also list what is none. */
export type ListedTool = Readonly<Record<string, unknown>>;

/** What the server does. */
export interface UpstreamScript {
  /** Which MCP it speaks; `sse` is that of 2024. */
  readonly era: '2026' | '2025' | 'sse';
  tools: readonly ListedTool[];
  /** The Authorization header that it wants. */
  authorization?: string;
  /** What the call of a tool returns; absent: a word. */
  answer?: ((name: string, args: unknown) => Readonly<Record<string, unknown>>) | undefined;
  /** Answers a request in another way than MCP; true when it did. */
  fault?: ((request: SeenRequest, response: ServerResponse) => boolean) | undefined;
}

/** A running server. */
export interface McpUpstream extends ScriptedServer {
  /** The address of its MCP. */
  readonly url: string;
  readonly script: UpstreamScript;
  /** Calls of tools so far. */
  readonly calls: { readonly name: string; readonly arguments: unknown }[];
}

/** A tool without much to it. */
export function plainTool(name: string): ListedTool {
  return { name, description: `Does ${name}.`, inputSchema: { type: 'object' } };
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly arguments?: unknown; readonly cursor?: string };
}

const PAGE = 500;

/** Starts a server on a free loopback port; the caller ends it. */
export async function startUpstream(script: UpstreamScript): Promise<McpUpstream> {
  const calls: { name: string; arguments: unknown }[] = [];
  let stream: ServerResponse | undefined;
  const server = await startServer((request, response) => {
    if (script.fault?.(request, response) === true) return;
    if (script.authorization !== undefined && request.headers.authorization !== script.authorization) {
      response
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:1/none"' })
        .end();
      return;
    }
    if (request.method === 'GET' && script.era === 'sse') {
      stream = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages\n\n');
      return;
    }
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(request.body) as Message;
    const answer = message.id === undefined ? undefined : answerOf(script, message, calls);
    if (answer === undefined) {
      response.writeHead(202).end();
    } else if (script.era === 'sse') {
      stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
      response.writeHead(202).end();
    } else {
      const session = message.method === 'initialize' ? { 'mcp-session-id': 'session-1' } : {};
      response.writeHead(200, { 'content-type': 'application/json', ...session }).end(JSON.stringify(answer));
    }
  });
  return { ...server, url: `${server.origin}/mcp`, script, calls };
}

function answerOf(script: UpstreamScript, message: Message, calls: McpUpstream['calls']): object {
  const result = resultOf(script, message, calls);
  if (result === undefined)
    return { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'Method not found' } };
  if (result === 'unknown tool')
    return { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'Unknown tool' } };
  const complete = script.era === '2026' ? { resultType: 'complete' } : {};
  return { jsonrpc: '2.0', id: message.id, result: { ...complete, ...result } };
}

function resultOf(
  { era, tools, answer }: UpstreamScript,
  { method, params }: Message,
  calls: McpUpstream['calls'],
): Readonly<Record<string, unknown>> | 'unknown tool' | undefined {
  const serverInfo = { name: 'upstream', version: '1.0.0' };
  const capabilities = { tools: {} };
  switch (method) {
    case 'server/discover':
      if (era !== '2026') return undefined;
      return { supportedVersions: ['2026-07-28'], capabilities, serverInfo, ttlMs: 0, cacheScope: 'private' };
    case 'initialize':
      if (era === '2026') return undefined;
      return { protocolVersion: era === 'sse' ? '2024-11-05' : '2025-06-18', capabilities, serverInfo };
    case 'tools/list': {
      const from = Number(params?.cursor ?? 0);
      const more = from + PAGE < tools.length ? { nextCursor: String(from + PAGE) } : {};
      const cache = era === '2026' ? { ttlMs: 0, cacheScope: 'private' } : {};
      return { tools: tools.slice(from, from + PAGE), ...more, ...cache };
    }
    case 'tools/call':
      if (!tools.some(({ name }) => name === params?.name)) return 'unknown tool';
      calls.push({ name: params?.name ?? '', arguments: params?.arguments });
      return answer?.(params?.name ?? '', params?.arguments) ?? { content: [{ type: 'text', text: 'done' }] };
    default:
      return undefined;
  }
}
