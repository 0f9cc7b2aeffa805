/** The sixth stage: a message in perfect order is answered on the hot path, every other one by a leg of the SDK. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { HttpRefusal } from '@parley/http';
import type { Caller, Engine } from '@parley/kit';
import { RPC } from '@parley/kit';
import { sessionNotFound } from '../replicas/forward.ts';
import { AnswerBatch } from './answer-batch.ts';
import { extrasOf, HotPath } from './hot-path.ts';
import type { HotRequest } from './hot-request.ts';
import { hotRequestOf, MODERN_VERSION } from './hot-request.ts';
import type { LegFigures, LegOptions, SdkLegs } from './legs.ts';
import { loadLegs } from './legs.ts';
import { refuseLongWords } from './long-words.ts';
import type { CountRequest } from './request-rate.ts';
import type { Served } from './served.ts';
import { signalOf } from './signal-of.ts';

/** Brings messages to whoever answers them. */
export interface Dispatch {
  /** A message that came in a body. */
  message(req: IncomingMessage, res: ServerResponse, served: Served, body: unknown): Promise<void>;
  /** A request without a body: the stream or the end of a 2025 session. */
  bodyless(req: IncomingMessage, res: ServerResponse, served: Served): Promise<void>;
  /** A request for a session of this process that came to another one; it was let in there, and is this caller's. */
  passed(req: IncomingMessage, res: ServerResponse, passed: PassedOn): Promise<void>;
  /** A request to a URL at which nothing is served any more: a session that was opened there ends with it. */
  nowhere(req: IncomingMessage, caller: Caller): Promise<void>;
  figures(): Promise<LegFigures>;
  close(): Promise<void>;
}

/** What is known of a request that came to another process. */
export interface PassedOn {
  readonly callerId: string;
  readonly body: unknown;
  /** What is served at its URL; throws when there is nothing. */
  engineFor(caller: Caller): Promise<Engine>;
}

/** Creates the stage. */
export function createDispatch(options: LegOptions, countRequest: CountRequest): Dispatch {
  const { limits, spending } = options;
  const { batchMessages } = limits;
  const hot = new HotPath(options.info);
  const answers = new AnswerBatch();
  let legs: Promise<SdkLegs> | undefined;
  const sdk = () => (legs ??= loadLegs(options));

  /** A batch is as many requests as it has messages; one of them was counted when it came. */
  function countBatch({ caller }: Served, { length }: readonly unknown[]): void {
    if (length > batchMessages) {
      const message = `Invalid Request: Batch must not exceed ${batchMessages} messages`;
      throw new HttpRefusal(400, message, { rpc: RPC.invalidRequest });
    }
    if (length > 1) countRequest(caller, length - 1);
  }

  return {
    async message(req, res, served, body) {
      const request = hotRequestOf(body);
      if (request !== undefined && hasMatchingHeaders(req, request)) {
        const { caller, engine } = served;
        if (request.method === 'tools/list') {
          const waiting = engine.settled(caller);
          if (waiting !== undefined) await waiting;
          answers.add(res, hot.list(engine, caller, request));
          return;
        }
        const found = engine.find(caller, request.name);
        // Parameter headers are rare; the full path knows how to check them.
        if (found === undefined || found.tool.paramHeaders.length === 0) {
          const answer = hot.call(found ?? engine, caller, request, () => signalOf(res), extrasOf(req));
          answers.add(res, await answer);
          return;
        }
      }
      if (Array.isArray(body)) countBatch(served, body);
      refuseLongWords(body);
      const { sessions, isHotCall, legFor } = await sdk();
      // Like every hot call, it may wait for nothing, and pays for no count of its time.
      if (isHotCall(req, body)) return sessions.handle(req, res, body, served);
      const leg = legFor(req, body);
      const handle = () => leg.handle(req, res, body, served);
      await (spending === undefined
        ? handle()
        : spending.within(spending.current() ?? spending.begin(), handle));
    },
    async bodyless(req, res, served) {
      const isSession =
        (req.method === 'GET' || req.method === 'DELETE') && req.headers['mcp-session-id'] !== undefined;
      if (!isSession) throw new HttpRefusal(405, 'Method not allowed.', { headers: { allow: 'POST' } });
      const { sessions } = await sdk();
      await sessions.handle(req, res, undefined, served);
    },
    async passed(req, res, { callerId, body, engineFor }) {
      const known = await legs;
      const caller = await known?.openerOf(req.headers['mcp-session-id']?.toString() ?? '', callerId);
      if (known === undefined || caller === undefined) throw sessionNotFound();
      await known.sessions.handle(req, res, body, { caller, engine: await engineFor(caller) });
    },
    async nowhere(req, caller) {
      if (req.headers['mcp-session-id'] !== undefined) (await legs)?.sessions.leave(req, caller.id);
    },
    figures: async () => (await legs)?.figures() ?? { sessions: 0, listen: 0, session: 0 },
    async close() {
      await (await legs)?.close();
    },
  };
}

function hasMatchingHeaders({ headers }: IncomingMessage, request: HotRequest): boolean {
  if (headers['mcp-protocol-version'] !== MODERN_VERSION || headers['mcp-method'] !== request.method)
    return false;
  if (headers.accept?.includes('application/json') !== true) return false;
  return request.method === 'tools/list' || headers['mcp-name'] === request.name;
}
