/** The two legs through the SDK, which is loaded with the first request that needs it. */
import type { IncomingMessage } from 'node:http';
import type { Identity } from '@parley/identity';
import type { Caller, ChangeBus, ServerInfo } from '@parley/kit';
import { UnreadBytes } from '@parley/http';
import type { Spending } from '@parley/store';
import type { Limits } from '../limits.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Leg, SessionLeg } from './leg.ts';
import type { ClientWatches } from './notices.ts';
import { createNoticeBoard } from './notices.ts';

/** What the legs are built from. */
export interface LegOptions {
  readonly identity: Identity;
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly changes: ChangeBus;
  /** Hears who listens, and to which documents. */
  readonly watches?: ClientWatches | undefined;
  readonly limits: Limits;
  readonly anonymous?: Caller | undefined;
  /** Other processes on the same database; absent: there are none. */
  readonly replicas?: Replicas | undefined;
  /** Where the time of requests is counted; absent: nowhere. */
  readonly spending?: Spending | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

/** What is open. */
export interface LegFigures {
  readonly sessions: number;
  /** Streams of `subscriptions/listen`. */
  readonly listen: number;
  /** Streams of sessions. */
  readonly session: number;
}

/** Both legs, and which of them a message belongs to. */
export interface SdkLegs {
  readonly sessions: SessionLeg;
  /** Who opened a session, with the rights of now; undefined when there is no such session of this caller. */
  openerOf(sessionId: string, callerId: string): Promise<Caller | undefined>;
  /** True for a call in perfect order, which is one for the sessions without a second look. */
  isHotCall(req: IncomingMessage, body: unknown): boolean;
  /** The leg of the era that a message is of. */
  legFor(req: IncomingMessage, body: unknown): Leg;
  figures(): LegFigures;
  close(): Promise<void>;
}

/** Loads the SDK and builds both legs over one notice board. */
export async function loadLegs(options: LegOptions): Promise<SdkLegs> {
  const { identity, anonymous } = options;
  const current = async (caller: Caller) => (caller === anonymous ? caller : identity.current(caller));
  const [{ createModernLeg }, { createSessionLeg }, { sessionCallOf }, { classifyInboundRequest }] =
    await Promise.all([
      import('./modern.ts'),
      import('./sessions.ts'),
      import('./session-request.ts'),
      import('@modelcontextprotocol/server'),
    ]);
  const board = createNoticeBoard({ ...options, current });
  const parts = { ...options, board, unread: new UnreadBytes() };
  const modern = createModernLeg(parts);
  const sessions = createSessionLeg(parts);
  return {
    sessions,
    async openerOf(sessionId, callerId) {
      const opener = sessions.openerOf(sessionId);
      return opener?.id === callerId ? current(opener) : undefined;
    },
    isHotCall: (req, body) => sessionCallOf(req.headers, body) !== undefined,
    legFor(req, body) {
      const version = req.headers['mcp-protocol-version']?.toString();
      const method = req.headers['mcp-method']?.toString();
      const outcome = classifyInboundRequest({
        httpMethod: 'POST',
        ...(version !== undefined && { protocolVersionHeader: version }),
        ...(method !== undefined && { mcpMethodHeader: method }),
        body,
      });
      return outcome.kind === 'legacy' ? sessions : modern;
    },
    figures: () => ({ ...sessions.open(), listen: modern.open() }),
    async close() {
      board.close();
      await Promise.all([modern.close(), sessions.close()]);
    },
  };
}
