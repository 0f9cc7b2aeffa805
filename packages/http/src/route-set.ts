/** Routes that a toolset brings besides MCP; the program that serves it dispatches to them by prefix. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The body of a refusal, with its media type. */
export interface RawRefusal {
  readonly type: string;
  readonly body: string;
}

/** An OpenAPI document of a set of routes. */
export type OpenApiDocument = Readonly<Record<string, unknown>>;

/** Everything under one prefix. */
export interface RouteSet {
  /** What it is called where two sets want the same prefix. */
  readonly name: string;
  /** Where two prefixes fit a path, the longer one has it. */
  readonly prefix: string;
  /** Every route of it, e.g. `GET /notes/:id`, for whoever writes down what there is. */
  routes?(): Promise<readonly string[]>;
  /** True when it checks host, origin and credential itself; the server does so for every other set. */
  readonly isGuarded?: boolean;
  handle(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /** Takes over a WebSocket offer, after its own checks; absent where none is spoken. */
  upgrade?(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** A refusal in the form of these routes, for a request that was refused before it reached them; absent: as MCP writes it. */
  refusal?(status: number, message: string): RawRefusal;
  /** The OpenAPI document about it; absent where there is none. */
  openApi?(): Promise<OpenApiDocument>;
  /** Where somebody is sent who asks for nothing but the site; undefined: nowhere here. */
  front?(req: IncomingMessage): Promise<string | undefined>;
  /** How many streams and sockets are open; absent where there are none. */
  streams?(): number;
  /** Ends every stream and socket. */
  close(): Promise<void>;
}
