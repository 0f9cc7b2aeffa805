/**
 * The hot calls of one 2025 session: a call in perfect order runs before the SDK has its request. A usual result that
 * comes soon is written here, as the SDK would write it; in every other case the SDK gets the request with its call.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/server';
import type { Connection, Engine } from '@parley/kit';
import { detach, isToolResult } from '@parley/kit';
import type { UnreadBytes } from '@parley/http';
import type { createProtocolServer } from '@parley/kit/protocol';
import { BegunCall } from '@parley/kit/protocol';
import type { AnswerBatch } from './answer-batch.ts';
import type { EventLog } from './event-log.ts';
import { EMPTY, RETRY_MS } from './event-log.ts';
import { extrasOf, isPlainResult } from './hot-path.ts';
import type { Served } from './served.ts';
import { withServed } from './served.ts';
import type { SessionCalls } from './session-calls.ts';
import type { SessionCall } from './session-request.ts';

/** The session that the calls are of. */
export interface HotSession {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: ReturnType<typeof createProtocolServer>;
  readonly engine: Engine;
  readonly connection: Connection;
  readonly calls: SessionCalls;
  readonly log: EventLog;
  readonly answers: AnswerBatch;
  readonly unread: UnreadBytes;
  readonly onFault: (error: unknown, where: string) => void;
}

/** A request as it came. */
interface Arrival {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly body: unknown;
  readonly served: Served;
}

/** A call that the SDK has not got. */
interface HotCall extends Arrival {
  readonly id: string | number;
  readonly begun: BegunCall;
  readonly timer: NodeJS.Timeout;
}

// Whoever waits longer gets an id to resume from and signs of life, which are the business of the SDK.
const SOON_MS = 100;
// A longer one is under the budget of what clients leave unread, which sees what the SDK writes.
const MOST_AT_ONCE = 64 * 1024;
// Clients of earlier revisions do not understand an event without data.
const PRIMED_SINCE = '2025-11-25';
const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

export class HotCalls {
  readonly #session: HotSession;
  readonly #running = new Set<HotCall>();

  constructor(session: HotSession) {
    this.#session = session;
  }

  /** Begins a call; false: this caller has no such tool, which is for the SDK to say. */
  begin({ id, name, ...words }: SessionCall, arrival: Arrival): boolean {
    const { server, engine, connection } = this.#session;
    const tool = engine.find(arrival.served.caller, name);
    if (tool === undefined) return false;
    const call = { id, ...words, ...extrasOf(arrival.req), connection };
    const handOver = () => this.#handOver(hot);
    const begun = new BegunCall(server, tool, call, handOver);
    const hot: HotCall = { ...arrival, id, begun, timer: setTimeout(handOver, SOON_MS).unref() };
    this.#running.add(hot);
    detach(this.#finish(hot), (error) => this.#session.onFault(error, 'hot call'));
    return true;
  }

  /** Gives all that run to the SDK, and waits until it has them: whatever ends a call, ends it there. */
  async handOver(): Promise<void> {
    const all = [...this.#running];
    for (const hot of all) this.#handOver(hot);
    await Promise.all(all.map(({ begun }) => begun.taken));
  }

  async #finish(hot: HotCall): Promise<void> {
    // What it throws is told by the SDK, which waits for the same answer.
    const answer = await hot.begun.answer.catch(() => undefined);
    if (!this.#running.has(hot)) return;
    const isUsual = answer !== undefined && isToolResult(answer) && isPlainResult(answer);
    const json = isUsual ? JSON.stringify({ result: answer, jsonrpc: '2.0', id: hot.id }) : undefined;
    if (json === undefined || Buffer.byteLength(json) > MOST_AT_ONCE) return this.#handOver(hot);
    this.#leave(hot);
    this.#session.calls.end(hot.id);
    this.#write(hot, json);
  }

  #handOver(hot: HotCall): void {
    if (!this.#leave(hot)) return;
    const { transport, unread, onFault } = this.#session;
    const { req, res, body, served, begun } = hot;
    unread.guard(res);
    const serving = transport.handleRequest(withServed(req, served, begun), res, body);
    const abandon = () => begun.abandon(new SdkError(SdkErrorCode.ConnectionClosed, 'Connection closed'));
    detach(serving.finally(abandon), (error) => onFault(error, 'hot call'));
  }

  /** False: it had left before. */
  #leave(hot: HotCall): boolean {
    clearTimeout(hot.timer);
    return this.#running.delete(hot);
  }

  #write({ req, res }: HotCall, json: string): void {
    const { log, transport, answers } = this.#session;
    // Nobody has heard of an event to resume from.
    if (res.destroyed) return;
    const streamId = randomUUID();
    const isPrimed = String(req.headers['mcp-protocol-version'] ?? '') >= PRIMED_SINCE;
    const first = isPrimed ? `id: ${log.add(streamId, EMPTY)}\nretry: ${RETRY_MS}\ndata: \n\n` : '';
    const body = `${first}event: message\nid: ${log.add(streamId, json)}\ndata: ${json}\n\n`;
    const headers = { ...STREAM_HEADERS, 'mcp-session-id': transport.sessionId ?? '' };
    answers.add(res, { status: 200, headers, body });
  }
}
