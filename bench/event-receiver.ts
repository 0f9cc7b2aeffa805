/** Owns the receiver of events that fails now and then, as a webhook and as an MCP server, and everything it was sent. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { detach } from '@parley/kit';

/** Who can be sent events here. */
export const SUBSCRIBERS = ['webhook', 'connection'] as const;
export type Subscriber = (typeof SUBSCRIBERS)[number];

/** One event that arrived. */
export interface Arrival {
  subscriber: Subscriber;
  id: string;
  type: string;
  /** The planned time of a firing. */
  time: string;
  scheduleId: string | undefined;
  /** Of this process, in milliseconds. */
  atMs: number;
  isTaken: boolean;
}

export interface Receiver {
  host: string;
  arrivals: readonly Arrival[];
  /** Requests with events, and how many of them were failed by chance. */
  requests: number;
  failures: number;
  close: () => Promise<void>;
}

/** How a receiver fails. */
export interface Failing {
  /** The part of requests that fails by chance. */
  share: number;
  /** So often at most for one event of the webhook, whose waits get long: 5 s, 30 s, then two minutes. */
  most: number;
}

type SentEvent = Readonly<Record<string, string | undefined>>;

interface Message {
  id?: unknown;
  method?: string;
  params?: { arguments?: { events?: SentEvent[] } };
}

/** Starts a receiver on a free loopback port: the webhook at /hook, the MCP server at /mcp. */
export async function startReceiver({ share, most }: Failing): Promise<Receiver> {
  const arrivals: Arrival[] = [];
  const failed = new Map<string, number>();
  const counts = { requests: 0, failures: 0 };

  /** True when the receiver takes them. */
  const arrive = (subscriber: Subscriber, events: readonly SentEvent[], isDue = false): boolean => {
    const isTaken = isDue || Math.random() >= share;
    counts.requests += 1;
    if (!isTaken) counts.failures += 1;
    const atMs = performance.now();
    for (const { id = '', type = '', time = '', parleyschedule: scheduleId } of events)
      arrivals.push({ subscriber, id, type, time, scheduleId, atMs, isTaken });
    return isTaken;
  };
  const answerHook = (event: SentEvent, response: ServerResponse) => {
    const { id = '' } = event;
    const failures = failed.get(id) ?? 0;
    const isTaken = arrive('webhook', [event], failures >= most);
    if (!isTaken) failed.set(id, failures + 1);
    response.writeHead(isTaken ? 204 : 503).end();
  };
  const answerMcp = (message: Message, response: ServerResponse) => {
    if (message.id === undefined) return response.writeHead(202).end();
    const result = resultOf(message, (events) => arrive('connection', events));
    const error = { code: -32601, message: 'Method not found' };
    const answer = { jsonrpc: '2.0', id: message.id, ...(result === undefined ? { error } : { result }) };
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    if (request.method !== 'POST') return response.writeHead(405).end();
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    // what Parley sends to each
    return request.url === '/mcp'
      ? answerMcp(body as Message, response)
      : answerHook(body as SentEvent, response);
  };
  const server = createServer((request, response) => {
    // a replica that is killed breaks its requests off
    detach(answer(request, response), () => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // a listening TCP server has a port
  const { port } = server.address() as AddressInfo;
  return Object.assign(counts, {
    host: `127.0.0.1:${port}`,
    arrivals,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  });
}

/** What a server of 2026-07-28 with the tool ON_EVENTS answers. */
function resultOf(
  { method, params }: Message,
  take: (events: readonly SentEvent[]) => boolean,
): object | undefined {
  const complete = { resultType: 'complete' };
  const cache = { ttlMs: 0, cacheScope: 'private' };
  switch (method) {
    case 'server/discover': {
      const serverInfo = { name: 'receiver', version: '1.0.0' };
      const capabilities = { tools: {} };
      return { ...complete, ...cache, supportedVersions: ['2026-07-28'], capabilities, serverInfo };
    }
    case 'tools/list':
      return { ...complete, ...cache, tools: [{ name: 'ON_EVENTS', inputSchema: { type: 'object' } }] };
    case 'tools/call': {
      const success = take(params?.arguments?.events ?? []);
      return { ...complete, content: [], structuredContent: { success } };
    }
    default:
      return undefined;
  }
}
