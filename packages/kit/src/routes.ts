/** Routes that a toolset brings besides MCP; the program that serves it dispatches to them by prefix. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** Everything under one prefix; the routes guard themselves. */
export interface RouteSet {
  readonly prefix: string;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends every stream and socket. */
  close(): Promise<void>;
}
