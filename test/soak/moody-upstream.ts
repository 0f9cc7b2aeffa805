/** Owns an upstream that comes and goes: one address, of either era or HTTP with SSE, that is well, ill or not there. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { detach } from '@parley/kit';
import type { Listening } from '@parley/test-support/listening';
import { listening } from '@parley/test-support/listening';

/** How it answers calls; `gone` closes its port. */
export type Mood = 'well' | 'hangs' | 'fails' | 'breaks' | 'babbles' | 'forgets' | 'gone';

/** Every other one is well, or most breakers would be open most of the time. */
export const MOODS: readonly Mood[] = (
  ['hangs', 'fails', 'breaks', 'babbles', 'forgets', 'gone'] as const
).flatMap((mood) => [mood, 'well']);

export type UpstreamEra = '2026' | '2025' | 'sse';

/** A running upstream. */
export interface MoodyUpstream extends AsyncDisposable {
  readonly era: UpstreamEra;
  readonly url: string;
  /** Sessions and streams that its clients have left open. */
  open(): { readonly sessions: number; readonly streams: number };
  become(mood: Mood): Promise<void>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: { readonly arguments?: unknown };
}

const TOOLS = ['echo', 'other'].map((name) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
}));
const ABOUT = {
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'moody', version: '1.0.0' },
};

/** Starts one that is well. */
export async function startMoody(era: UpstreamEra): Promise<MoodyUpstream> {
  const sessions = new Set<string>();
  const streams = new Map<string, ServerResponse>();
  let mood: Mood = 'well';
  let count = 0;

  function openStream(response: ServerResponse, id: string, hello: string): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(hello);
    streams.set(id, response);
    response.once('close', () => {
      if (streams.get(id) === response) streams.delete(id);
    });
  }

  function get(request: IncomingMessage, response: ServerResponse): unknown {
    if (era === '2026') return response.writeHead(405).end();
    const id = era === 'sse' ? String((count += 1)) : String(request.headers['mcp-session-id']);
    const hello = era === 'sse' ? `event: endpoint\ndata: /messages?id=${id}\n\n` : ': open\n\n';
    return openStream(response, id, hello);
  }

  /** What is wrong with it now; true when that was the answer. */
  function isIll(method: string | undefined, response: ServerResponse): boolean {
    switch (method === 'tools/call' || method === 'tools/list' ? mood : 'well') {
      case 'hangs':
        return true;
      case 'fails':
        response.writeHead(500).end('out of order');
        return true;
      case 'breaks':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
        response.write('{"jsonrpc":"2.0",', () => response.destroy());
        return true;
      case 'babbles':
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":');
        return true;
      default:
        return false;
    }
  }

  async function post(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (mood === 'forgets') sessions.clear();
    if (era === '2025' && session !== '' && !sessions.has(session)) return response.writeHead(404).end();
    const message = JSON.parse(await textOf(request)) as Message;
    if (isIll(message.method, response)) return undefined;
    if (message.id === undefined) return response.writeHead(202).end();
    const body = JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answerOf(era, message) });
    if (era === 'sse') {
      const id = new URL(request.url ?? '/', 'http://localhost').searchParams.get('id') ?? '';
      streams.get(id)?.write(`event: message\ndata: ${body}\n\n`);
      return response.writeHead(202).end();
    }
    if (era === '2025' && message.method === 'initialize') {
      const id = `session-${(count += 1)}`;
      sessions.add(id);
      response.setHeader('mcp-session-id', id);
    }
    return response.writeHead(200, { 'content-type': 'application/json' }).end(body);
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    if (request.method === 'GET') return get(request, response);
    if (request.method === 'POST') return post(request, response);
    sessions.delete(String(request.headers['mcp-session-id']));
    return response.writeHead(200).end();
  }

  const listen = (port?: number) =>
    listening(
      createServer((request, response) => {
        // A client that gives up breaks its request off.
        detach(answer(request, response), () => response.destroy());
      }),
      port,
    );
  let place: Listening | undefined = await listen();
  const { port, url } = place;

  async function go(): Promise<void> {
    await place?.[Symbol.asyncDispose]();
    place = undefined;
    sessions.clear();
  }
  return {
    era,
    url: `${url}/mcp`,
    open: () => ({ sessions: sessions.size, streams: streams.size }),
    async become(next) {
      mood = next;
      if (next === 'gone') await go();
      else place ??= await listen(port);
    },
    [Symbol.asyncDispose]: go,
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  request.setEncoding('utf8').on('data', (part: string) => (text += part));
  await once(request, 'end');
  return text;
}

function answerOf(era: UpstreamEra, { method, params }: Message): object {
  const isModern = era === '2026';
  const result = (value: object) => ({ result: isModern ? { resultType: 'complete', ...value } : value });
  switch (method) {
    case 'server/discover':
      if (!isModern) break;
      return result({ ...ABOUT, supportedVersions: ['2026-07-28'], ttlMs: 0, cacheScope: 'private' });
    case 'initialize':
      if (isModern) break;
      return result({ ...ABOUT, protocolVersion: era === 'sse' ? '2024-11-05' : '2025-06-18' });
    case 'tools/list':
      return result({ tools: TOOLS, ...(isModern && { ttlMs: 0, cacheScope: 'private' }) });
    case 'tools/call':
      return result({ content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? {}) }] });
    case 'ping':
      return result({});
    default:
  }
  return { error: { code: -32601, message: 'Method not found' } };
}
