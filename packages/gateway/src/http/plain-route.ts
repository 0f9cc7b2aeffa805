/** Tools over plain HTTP: the arguments are the body of a POST, and the answer is the data of the result. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { HttpRefusal, Places, readJson, UnreadBytes } from '@parley/http';
import type { Exchange, ToolAnswer } from '@parley/kit';
import {
  CLIENT_HEADER,
  isToolResult,
  ProtocolFault,
  PROPERTIES_HEADER,
  requestInfo,
  RPC,
  ToolError,
} from '@parley/kit';
import type { Limits } from '../limits.ts';
import { PROCESS, streamPlaces } from '../limits.ts';
import { isObject } from '../messages.ts';
import { writeJson } from './answers.ts';
import { extrasOf } from './hot-path.ts';
import { plainErrorOf, statusOf } from './plain-status.ts';
import type { Served } from './served.ts';
import { signalOf } from './signal-of.ts';

/** What a path asks for. */
export interface PlainCall {
  /** The path of the endpoint that has the tool. */
  readonly endpoint: string;
  /** Undefined: its name cannot be read, so that nothing has it. */
  readonly tool: string | undefined;
}

export interface PlainRoute {
  /** Calls one tool and answers. */
  call(req: IncomingMessage, res: ServerResponse, served: Served, tool: string | undefined): Promise<void>;
  /** How many streams are open. */
  open(): number;
}

const MARK = '/call-tool/';
const STREAM = 'text/event-stream';

/** The call that a path is for; undefined for every other path. */
export function plainCallOf(path: string): PlainCall | undefined {
  const at = path.indexOf(MARK);
  if (at === -1) return undefined;
  const name = path.slice(at + MARK.length);
  return { endpoint: path.slice(0, at), tool: name.includes('/') ? undefined : decoded(name) };
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name) || undefined;
  } catch {
    return undefined;
  }
}

export function createPlainRoute(limits: Limits): PlainRoute {
  const places = new Places();
  const unread = new UnreadBytes();
  const call: PlainRoute['call'] = async (req, res, served, tool) => {
    if (req.method !== 'POST')
      throw new HttpRefusal(405, 'Call a tool with POST.', { headers: { allow: 'POST' } });
    if (tool === undefined)
      throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: RPC.methodNotFound });
    const args = await readJson(req, limits);
    if (!isObject(args))
      throw new HttpRefusal(400, 'The body must be a JSON object with the arguments of the tool.');
    const { caller, engine } = served;
    const exchange = exchangeOf(req, res);
    if (req.headers.accept?.includes(STREAM) !== true) {
      const outcome = await outcomeOf(() => engine.call(caller, tool, args, exchange));
      return writeOutcome(res, outcome);
    }
    const release = places.take(streamPlaces(caller, limits));
    if (release === undefined)
      throw new HttpRefusal(429, 'Too many streams are open. Close one, or try again later.', {
        headers: { 'retry-after': '60' },
      });
    res.once('close', release);
    unread.guard(res);
    if (res.destroyed) return;
    res.writeHead(200, { 'content-type': `${STREAM}; charset=utf-8`, 'cache-control': 'no-store' });
    const progress = progressOn(res);
    const outcome = await outcomeOf(() => engine.call(caller, tool, args, { ...exchange, progress }));
    if (!res.destroyed) res.end(frameOf('result', { status: outcome.status, body: outcome.body }));
  };
  return { call, open: () => places.taken(PROCESS) };
}

/** What a client gets: a status, and the data of the result or what went wrong. */
interface Outcome {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly retryAfterMs?: number | undefined;
}

async function outcomeOf(call: () => Promise<ToolAnswer>): Promise<Outcome> {
  try {
    return answered(await call());
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error;
    return failed(plainErrorOf(error));
  }
}

function answered(answer: ToolAnswer): Outcome {
  if (!isToolResult(answer))
    return failed(
      new ToolError('declined', 'The tool asks for something that only a client of MCP can answer.'),
    );
  const { error, status } = statusOf(answer);
  return error === undefined ? { status, body: dataOf(answer) } : failed(error, status);
}

function dataOf({ structuredContent, content }: CallToolResult): Outcome['body'] {
  return isObject(structuredContent) ? structuredContent : { content };
}

function failed(error: ToolError, status = statusOf(error).status): Outcome {
  const { code, message, data } = error;
  const retryAfterMs =
    isObject(data) && typeof data['retryAfterMs'] === 'number' ? data['retryAfterMs'] : undefined;
  return { status, body: { error: { code, message, ...(data !== undefined && { data }) } }, retryAfterMs };
}

function writeOutcome(res: ServerResponse, { status, body, retryAfterMs }: Outcome): void {
  const headers =
    retryAfterMs === undefined ? {} : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  writeJson(res, status, JSON.stringify(body), headers);
}

function exchangeOf(req: IncomingMessage, res: ServerResponse): Exchange {
  const { headers } = req;
  let signal: AbortSignal | undefined;
  return {
    info: requestInfo({
      id: randomUUID(),
      era: 'rest',
      client: oneOf(headers[CLIENT_HEADER]),
      traceparent: oneOf(headers['traceparent']),
      properties: oneOf(headers[PROPERTIES_HEADER]),
    }),
    signal: () => (signal ??= signalOf(res)),
    // Nobody is there to be asked.
    capabilities: {},
    header: extrasOf(req).header,
  };
}

/** Node joins what comes twice, except for cookies. */
function oneOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? undefined : header;
}

function progressOn(res: ServerResponse): NonNullable<Exchange['progress']> {
  let last = -Infinity;
  return async (done, total, message) => {
    if (done <= last || res.destroyed || res.writableEnded) return;
    last = done;
    const told = { progress: done, ...(total !== undefined && { total }), ...(message && { message }) };
    res.write(frameOf('progress', told));
  };
}

function frameOf(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
