/** Owns MCP servers of both eras and of HTTP with SSE whose every message a test decides, down to the frames. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';
import type { ScriptedServer, SeenRequest } from './scripted-server.ts';
import { startServer } from './scripted-server.ts';

/** A message of JSON-RPC, as it came. */
export interface WireMessage {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>> & {
    readonly _meta?: Readonly<Record<string, unknown>>;
  };
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** One message of a client, and the ways to answer it. */
export interface Turn {
  readonly message: WireMessage;
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Resolves when the client has closed the answer before its end. */
  readonly closed: Promise<void>;
  /** Writes a message as an event; the first one makes the answer a stream. */
  event(message: object, id?: string): void;
  /** Asks the client on the stream of this message, and resolves with what it posts back. */
  ask(method: string, params?: object): Promise<WireMessage>;
  result(result: object): void;
  error(code: number, message: string, status?: number): void;
}

export interface WireScript {
  readonly era: '2026' | '2025' | 'sse';
  /** What happens by method; absent ones are answered as most servers do. */
  readonly methods?: Readonly<Record<string, (turn: Turn) => unknown>>;
  readonly capabilities?: object;
  /** Answers a request in another way than MCP; true when it did. */
  readonly fault?: (request: SeenRequest, response: ServerResponse) => boolean;
}

export interface WireUpstream extends ScriptedServer {
  readonly url: string;
  /** All messages in order, with the headers of their requests. */
  readonly heard: { readonly message: WireMessage; readonly headers: IncomingHttpHeaders }[];
  /** Ids of sessions that are open. */
  readonly sessions: Set<string>;
  /** Open streams of sessions, by session. */
  readonly streams: Map<string, ServerResponse>;
  /** Sends a request on the stream of a session, and resolves with what is posted back. */
  askOn(stream: ServerResponse | undefined, method: string, params?: object): Promise<WireMessage>;
  /** The messages with a method. */
  of(method: string): WireMessage[];
}

const INFO = { name: 'wire', version: '1.0.0' };

/** Starts a server that ends with the test. */
export async function serveWire(script: WireScript): Promise<WireUpstream> {
  const heard: WireUpstream['heard'] = [];
  const sessions = new Set<string>();
  const streams = new Map<string, ServerResponse>();
  const asked = new Map<string, (answer: WireMessage) => void>();
  let count = 0;

  const askOn = (
    stream: ServerResponse | undefined,
    method: string,
    params?: object,
  ): Promise<WireMessage> => {
    const id = `question-${(count += 1)}`;
    const answered = Promise.withResolvers<WireMessage>();
    asked.set(id, answered.resolve);
    stream?.write(frame({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }));
    return answered.promise;
  };

  const turnOf = (message: WireMessage, { headers }: SeenRequest, response: ServerResponse): Turn => {
    const isSse = script.era === 'sse';
    const stream = isSse ? streams.get(String(headers['x-test-session'] ?? 'sse')) : response;
    const closed = Promise.withResolvers<void>();
    response.on('close', () => {
      if (!response.writableFinished) closed.resolve();
    });
    const open = () => {
      if (!isSse && !response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    };
    const answer = (body: object, status = 200) => {
      const full = { jsonrpc: '2.0', id: message.id ?? null, ...body };
      if (isSse) stream?.write(frame(full));
      else if (response.headersSent) response.end(frame(full));
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(full));
    };
    return {
      message,
      headers,
      response,
      closed: closed.promise,
      event(event, id) {
        open();
        stream?.write(frame({ jsonrpc: '2.0', ...event }, id));
      },
      ask(method, params) {
        open();
        return askOn(stream, method, params);
      },
      result: (result) =>
        answer({ result: script.era === '2026' ? { resultType: 'complete', ...result } : result }),
      error: (code, text, status = 200) => answer({ error: { code, message: text } }, status),
    };
  };

  const take = (message: WireMessage, request: SeenRequest, response: ServerResponse): unknown => {
    heard.push({ message, headers: request.headers });
    if (message.method === undefined) {
      asked.get(String(message.id))?.(message);
      return response.writeHead(202).end();
    }
    const turn = turnOf(message, request, response);
    if (script.era === 'sse') response.writeHead(202).end();
    const own = script.methods?.[message.method];
    if (own !== undefined) return own(turn);
    return answerAsMost(script, turn, () => {
      const id = `session-${(count += 1)}`;
      sessions.add(id);
      response.setHeader('mcp-session-id', id);
    });
  };

  const server = await startServer((request, response) => {
    if (script.fault?.(request, response) === true) return undefined;
    const session = String(request.headers['mcp-session-id'] ?? '');
    if (script.era === '2025' && session !== '' && !sessions.has(session))
      return response.writeHead(404).end();
    if (request.method === 'DELETE') {
      sessions.delete(session);
      return response.writeHead(200).end();
    }
    if (request.method === 'GET') {
      if (script.era === '2026') return response.writeHead(405).end();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(script.era === 'sse' ? 'event: endpoint\ndata: /messages\n\n' : ': open\n\n');
      streams.set(script.era === 'sse' ? 'sse' : session, response);
      return undefined;
    }
    return take(JSON.parse(request.body) as WireMessage, request, response);
  });
  onTestFinished(() => server[Symbol.asyncDispose]());
  const of = (method: string) => heard.map(({ message }) => message).filter((each) => each.method === method);
  return { ...server, url: `${server.origin}/mcp`, heard, sessions, streams, askOn, of };
}

function answerAsMost(
  { era, capabilities = { tools: {} } }: WireScript,
  turn: Turn,
  openSession: () => void,
): void {
  const { message, response } = turn;
  const isModern = era === '2026';
  if (message.method === 'server/discover' && isModern) {
    const about = { supportedVersions: ['2026-07-28'], capabilities, instructions: 'Be kind.' };
    turn.result({ ...about, _meta: { 'io.modelcontextprotocol/serverInfo': INFO } });
  } else if (message.method === 'initialize' && !isModern) {
    if (era === '2025') openSession();
    const protocolVersion = era === 'sse' ? '2024-11-05' : '2025-06-18';
    turn.result({ protocolVersion, capabilities, serverInfo: INFO, instructions: 'Be kind.' });
  } else if (message.id === undefined) {
    if (era !== 'sse') response.writeHead(202).end();
  } else if (message.method === 'tools/call') {
    turn.result({ content: [{ type: 'text', text: JSON.stringify(message.params?.arguments ?? {}) }] });
  } else if (message.method?.startsWith('resources/') || message.method === 'logging/setLevel') {
    turn.result({});
  } else {
    turn.error(-32601, 'Method not found', isModern ? 404 : 200);
  }
}

function frame(message: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
