/** The 2025 leg: sessions, each with a server of its own, bound to the credential that opened it. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { detach, OpenConnection } from '@parley/kit';
import { HttpRefusal, Places } from '@parley/http';
import { createProtocolServer, withLegacyCodes } from '@parley/kit/protocol';
import { asProtocolFault } from '../calls/unavailable-store.ts';
import { cancelledId } from '../messages.ts';
import { sessionNotFound } from '../replicas/forward.ts';
import { AnswerBatch } from './answer-batch.ts';
import { createEventLog, RETRY_MS } from './event-log.ts';
import { PROCESS, streamPlaces } from '../limits.ts';
import { HotCalls } from './hot-calls.ts';
import { SessionCalls } from './session-calls.ts';
import { sessionCallOf } from './session-request.ts';
import type { LegParts, SessionLeg } from './leg.ts';
import { isWanted, sendNotice } from './send-notice.ts';
import type { Served } from './served.ts';
import { begunOf, servedOf, withServed } from './served.ts';
import { WatchedUris } from './watched-uris.ts';

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: ReturnType<typeof createProtocolServer>;
  readonly served: Served;
  readonly path: string;
  /** What tools keep for the session ends with it. */
  readonly connection: OpenConnection;
  readonly unsubscribe: () => void;
  readonly watched: WatchedUris;
  readonly calls: SessionCalls;
  readonly hot: HotCalls;
  /** Settles when the server listens to the transport. */
  readonly connected: Promise<void>;
  usedAtMs: number;
  /** Responses that are open. */
  busy: number;
}

// A busy session may end at any moment, so it is worth asking again soon.
const BUSY_RETRY_SECONDS = '5';

/** Creates the leg. */
export function createSessionLeg(options: LegParts): SessionLeg {
  const { limits, replicas, unread, onFault } = options;
  const sessions = new Map<string, Session>();
  // Counted from the first moment, so that many openings at once cannot pass the limit together.
  const open = new Set<Session>();
  const places = new Places();
  const answers = new AnswerBatch();
  const sweep = setInterval(closeIdle, 60_000).unref();
  const tellEnd = (error: unknown) => onFault(error, 'session end');

  function closeIdle(): void {
    for (const session of open) if (isIdle(session)) end(session);
  }

  function forget(session: Session): void {
    session.unsubscribe();
    session.watched.clear();
    open.delete(session);
    if (session.transport.sessionId !== undefined) sessions.delete(session.transport.sessionId);
    detach(session.connection.end(), tellEnd);
  }

  function end(session: Session): void {
    // Gone at once: nobody may find it while it closes.
    forget(session);
    detach(close(session), tellEnd);
  }

  async function close({ hot, server }: Session): Promise<void> {
    await hot.handOver();
    await server.close();
  }

  /** Most clients never end a session, so at the limit the one that was idle longest makes room. */
  function makeRoom(callerId: string): void {
    const mine = [...open].filter((session) => session.served.caller.id === callerId);
    if (mine.length < limits.sessionsPerCaller) return;
    const idle = mine
      .filter(({ busy, calls }) => busy === 0 && calls.isNone)
      .toSorted((a, b) => a.usedAtMs - b.usedAtMs)[0];
    if (idle !== undefined) return end(idle);
    throw new HttpRefusal(
      429,
      `At most ${limits.sessionsPerCaller} sessions may be open at once, and all of them are busy.`,
      { headers: { 'retry-after': BUSY_RETRY_SECONDS } },
    );
  }

  function isIdle({ busy, usedAtMs }: Session): boolean {
    return busy === 0 && performance.now() - usedAtMs > limits.sessionIdleMs;
  }

  function openSession(served: Served, path: string): Session {
    makeRoom(served.caller.id);
    const watched = new WatchedUris((uri) => options.board.watch(served, uri));
    const connection = new OpenConnection();
    const log = createEventLog();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => replicas?.newSessionId() ?? randomBytes(16).toString('base64url'),
      eventStore: log,
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
    });
    const server = createProtocolServer({
      engine: served.engine,
      caller: served.caller,
      info: options.info,
      instructions: options.instructions,
      era: 'legacy',
      callerOf: (ctx) => servedOf(ctx.http?.authInfo).caller,
      begunCall: (ctx) => begunOf(ctx.http?.authInfo),
      watched,
      watchLimits: limits,
      connection,
      failed: asProtocolFault,
    });
    const unsubscribe = options.board.add({
      ...served,
      wants: (change) => isWanted(server, change, watched),
      // A client that has gone without a word leaves its session behind, and nobody who hears.
      watches: (uri) => session.busy > 0 && watched.has(uri),
      // It may have ended after it was chosen to hear of this.
      tell: async (change) => {
        if (open.has(session)) await sendNotice(server, change);
      },
      end: () => close(session),
    });
    const calls = new SessionCalls();
    const { engine } = served;
    const session: Session = {
      transport,
      server,
      served,
      path,
      connection,
      unsubscribe,
      watched,
      calls,
      hot: new HotCalls({ transport, server, engine, connection, calls, log, answers, unread, onFault }),
      connected: server.connect(calls.watch(withLegacyCodes(transport))),
      usedAtMs: performance.now(),
      busy: 0,
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
    server.onclose = () => forget(session);
    open.add(session);
    return session;
  }

  /** A session of another credential or another URL is like one that never was. */
  function mineOf(req: IncomingMessage, callerId: string): Session | undefined {
    const session = sessions.get(req.headers['mcp-session-id']?.toString() ?? '');
    return session?.served.caller.id === callerId && session.path === pathOf(req) ? session : undefined;
  }

  function sessionFor(req: IncomingMessage, body: unknown, served: Served): Session {
    if (req.headers['mcp-session-id'] !== undefined) {
      const session = mineOf(req, served.caller.id);
      // The sweep may not have come by yet, and an idle session is over whether it has or not.
      if (session !== undefined && !isIdle(session)) return session;
      throw sessionNotFound();
    }
    if (!isOpening(req, body)) throw new HttpRefusal(400, 'Bad Request: Mcp-Session-Id header is required');
    return openSession(served, pathOf(req));
  }

  function placeFor({ caller }: Served): () => void {
    const release = places.take(streamPlaces(caller, limits));
    if (release !== undefined) return release;
    throw new HttpRefusal(429, 'Too many streams are open. Close one, or try again later.', {
      headers: {
        'retry-after': '60',
      },
    });
  }

  return {
    async handle(req, res, body, served) {
      // Whoever left while the body was read would never be seen to leave.
      if (res.destroyed) return;
      const elsewhere = replicas?.ownerOf(req);
      if (replicas !== undefined && elsewhere !== undefined) {
        unread.guard(res);
        if (req.method === 'GET') res.once('close', placeFor(served));
        await replicas.pass(elsewhere, { req, res, body, callerId: served.caller.id });
        return;
      }
      // What a session can do is said once, so its opening waits for servers of which nothing is known yet, as lists do.
      if (isOpening(req, body)) await served.engine.settled(served.caller);
      if (res.destroyed) return;
      const session = sessionFor(req, body, served);
      const release = req.method === 'GET' ? placeFor(served) : undefined;
      session.usedAtMs = performance.now();
      session.busy += 1;
      const undo = session.calls.begin(body);
      res.once('close', () => {
        session.busy -= 1;
        if (res.statusCode >= 400) undo();
        session.usedAtMs = performance.now();
        release?.();
        // An initialize that the SDK refused never became a session.
        if (session.transport.sessionId === undefined) end(session);
      });
      await session.connected;
      const call = req.method === 'POST' ? sessionCallOf(req.headers, body) : undefined;
      if (call !== undefined && session.hot.begin(call, { req, res, body, served })) return;
      unread.guard(res);
      // What ends a call reaches it through the SDK.
      if (isEnding(req, body)) await session.hot.handOver();
      await session.transport.handleRequest(withServed(req, served), res, body);
    },
    leave(req, callerId) {
      const session = mineOf(req, callerId);
      if (session !== undefined) end(session);
    },
    openerOf: (sessionId) => sessions.get(sessionId)?.served.caller,
    open: () => ({ sessions: open.size, session: places.taken(PROCESS) }),
    async close() {
      clearInterval(sweep);
      replicas?.endStreams();
      await Promise.all(
        [...open].map(async (session) => {
          await close(session);
          await session.connection.end();
        }),
      );
    },
  };
}

function isOpening({ headers }: IncomingMessage, body: unknown): boolean {
  return headers['mcp-session-id'] === undefined && [body].flat().some((message) => isInitialize(message));
}

function isInitialize(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'initialize'
  );
}

/** True for the end of a session, and for the notice that cancels a call. */
function isEnding({ method }: IncomingMessage, body: unknown): boolean {
  return method === 'DELETE' || [body].flat().some((message) => cancelledId(message) !== undefined);
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?')[0] ?? '';
}
