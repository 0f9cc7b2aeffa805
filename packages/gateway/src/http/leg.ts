/** A leg: the messages of one era on their way through the SDK, and what both legs stand on. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnreadBytes } from '@parley/http';
import type { Caller, ServerInfo } from '@parley/kit';
import type { Limits } from '../limits.ts';
import type { NoticeBoard } from './notices.ts';
import type { Replicas } from '../replicas/replicas.ts';
import type { Served } from './served.ts';

/** Serves the messages of one era. */
export interface Leg {
  handle(req: IncomingMessage, res: ServerResponse, body: unknown, served: Served): Promise<void>;
  close(): Promise<void>;
}

/** The leg whose clients may listen. */
export interface ModernLeg extends Leg {
  /** How many streams are open. */
  open(): number;
}

/** The leg whose clients come back to what they opened. */
export interface SessionLeg extends Leg {
  /** Who opened a session that is still open here. */
  openerOf(sessionId: string): Caller | undefined;
  /** Ends a session of this caller whose URL leads nowhere any more. */
  leave(req: IncomingMessage, callerId: string): void;
  /** How many sessions are open, and how many of their streams. */
  open(): { readonly sessions: number; readonly session: number };
}

export interface LegParts {
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly board: NoticeBoard;
  readonly unread: UnreadBytes;
  readonly limits: Limits;
  /** Other processes that sessions may be in; absent: there are none. */
  readonly replicas?: Replicas | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}
