/** The 2025 leg: sessions, each with a server of its own, bound to the credential that opened it. */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import type { Server } from '@modelcontextprotocol/server';
import type { Change, ChangeBus, ServerInfo } from '@parley/kit';
import { createProtocolServer, withLegacyCodes } from '@parley/kit/protocol';
import { HttpRefusal, REFUSED } from './answers.ts';
import { createEventLog } from './event-log.ts';
import type { Limits } from './limits.ts';
import type { CurrentCaller } from './listen.ts';
import { mayLearn } from './listen.ts';
import type { Served } from './modern.ts';
import { servedOf, withServed } from './modern.ts';

/** Serves 2025 messages. */
export interface SessionLeg {
  handle(req: IncomingMessage, res: ServerResponse, body: unknown, served: Served): Promise<void>;
  close(): Promise<void>;
}

/** What the leg is built from. */
export interface SessionOptions {
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly changes: ChangeBus;
  readonly current: CurrentCaller;
  readonly limits: Limits;
  readonly onFault: (error: unknown, where: string) => void;
}

interface Session {
  readonly transport: NodeStreamableHTTPServerTransport;
  readonly server: Server;
  readonly served: Served;
  readonly path: string;
  readonly unsubscribe: () => void;
  usedAtMs: number;
  busy: number;
}

const RETRY_MS = 1000;

/** Creates the leg. */
export function createSessionLeg(options: SessionOptions): SessionLeg {
  const { limits } = options;
  const sessions = new Map<string, Session>();
  const sweep = setInterval(() => void closeIdle(), 60_000).unref();

  async function closeIdle(): Promise<void> {
    for (const session of sessions.values()) if (isIdle(session)) await session.server.close();
  }

  function isIdle({ busy, usedAtMs }: Session): boolean {
    return busy === 0 && performance.now() - usedAtMs > limits.sessionIdleMs;
  }

  async function openSession(served: Served, path: string): Promise<Session> {
    const mine = [...sessions.values()].filter((session) => session.served.caller.id === served.caller.id);
    if (mine.length >= limits.sessionsPerCaller) {
      throw new HttpRefusal(
        429,
        REFUSED,
        `At most ${limits.sessionsPerCaller} sessions may be open at once.`,
        { 'retry-after': '60' },
      );
    }
    const watched = new Set<string>();
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString('base64url'),
      eventStore: createEventLog(),
      retryInterval: RETRY_MS,
      onsessioninitialized: (id) => {
        sessions.set(id, session);
      },
    });
    const server = createProtocolServer({
      engine: served.engine,
      info: options.info,
      instructions: options.instructions,
      era: 'legacy',
      callerOf: (ctx) => servedOf(ctx.http?.authInfo).caller,
      watched,
    });
    const unsubscribe = options.changes.subscribe((change) => {
      tell(session, change, options.current, watched).catch((error: unknown) =>
        options.onFault(error, 'session notice'),
      );
    });
    const session: Session = {
      transport,
      server,
      served,
      path,
      unsubscribe,
      usedAtMs: performance.now(),
      busy: 0,
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's server is no event target
    server.onclose = () => {
      unsubscribe();
      if (transport.sessionId !== undefined) sessions.delete(transport.sessionId);
    };
    await server.connect(withLegacyCodes(transport));
    return session;
  }

  async function sessionFor(req: IncomingMessage, body: unknown, served: Served): Promise<Session> {
    const id = req.headers['mcp-session-id'];
    const path = req.url?.split('?')[0] ?? '';
    if (typeof id === 'string') {
      const session = sessions.get(id);
      // A session of another credential or another URL answers like one that never was.
      const isMine = session?.served.caller.id === served.caller.id && session.path === path;
      // The sweep may not have come by yet, and an idle session is over whether it has or not.
      if (isMine && !isIdle(session)) return session;
      throw new HttpRefusal(404, -32001, 'Session not found');
    }
    const opens = [body].flat().some((message) => isInitialize(message));
    if (!opens) throw new HttpRefusal(400, REFUSED, 'Bad Request: Mcp-Session-Id header is required');
    return openSession(served, path);
  }

  return {
    async handle(req, res, body, served) {
      const session = await sessionFor(req, body, served);
      session.usedAtMs = performance.now();
      session.busy += 1;
      res.once('close', () => {
        session.busy -= 1;
        session.usedAtMs = performance.now();
        // An initialize that the SDK refused never became a session.
        if (session.transport.sessionId === undefined) session.server.close().catch(() => undefined);
      });
      await session.transport.handleRequest(withServed(req, served), res, body);
    },
    async close() {
      clearInterval(sweep);
      await Promise.all([...sessions.values()].map((session) => session.server.close()));
    },
  };
}

function isInitialize(message: unknown): boolean {
  return (
    typeof message === 'object' && message !== null && 'method' in message && message.method === 'initialize'
  );
}

async function tell(
  session: Session,
  change: Change,
  current: CurrentCaller,
  watched: ReadonlySet<string>,
): Promise<void> {
  const { server, served } = session;
  const caller = await current(served.caller);
  if (caller === undefined) return server.close();
  if (!mayLearn(change, caller, served.engine)) return;
  const { prompts, resources } = served.engine.catalog;
  if (change.kind === 'tools') await server.sendToolListChanged();
  else if (change.kind === 'prompts' && prompts.length > 0) await server.sendPromptListChanged();
  else if (change.kind === 'resources' && resources.length > 0) await server.sendResourceListChanged();
  else if (change.kind === 'resource' && watched.has(change.uri))
    await server.sendResourceUpdated({ uri: change.uri });
}
