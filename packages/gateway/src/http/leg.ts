/** A leg: the messages of one era on their way through the SDK, and what both legs stand on. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { UnreadBytes } from '@parley/http';
import type { ServerInfo } from '@parley/kit';
import type { Limits } from '../limits.ts';
import type { NoticeBoard } from './notices.ts';
import type { Served } from './served.ts';

/** Serves the messages of one era. */
export interface Leg {
  handle(req: IncomingMessage, res: ServerResponse, body: unknown, served: Served): Promise<void>;
  close(): Promise<void>;
}

export interface LegParts {
  readonly info: ServerInfo;
  readonly instructions?: string | undefined;
  readonly board: NoticeBoard;
  readonly unread: UnreadBytes;
  readonly limits: Limits;
  readonly onFault: (error: unknown, where: string) => void;
}
