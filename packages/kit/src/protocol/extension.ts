/** A protocol extension: a capability and the methods that come with it, for 2026-07-28 clients. */
import type * as z from 'zod';
import type { Caller } from '../access/caller.ts';
import type { Exchange } from '../call/exchange.ts';

export interface ExtensionMethod {
  readonly params: z.ZodType;
  /** Gets parameters that passed the schema. */
  handle(params: never, caller: Caller, exchange: Exchange): Promise<Record<string, unknown>>;
}

/** A notice of an extension, without the id of the subscription it goes to. */
export interface ExtensionNotice {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface ExtensionSubscription {
  /** The part of what was asked for that is honoured; the acknowledgement shows it. */
  readonly honored: unknown;
  /** Begins to send; called when the acknowledgement is out. */
  start(): void;
  close(): void;
}

/** The part of `subscriptions/listen` that an extension serves. */
export interface ExtensionListen {
  /** Its field in `notifications`. */
  readonly field: string;
  open(
    wanted: unknown,
    caller: Caller,
    send: (notice: ExtensionNotice) => void,
  ): Promise<ExtensionSubscription>;
}

export interface Extension {
  /** The key under `capabilities.extensions`. */
  readonly name: string;
  /** False: an organization has nothing of it here, so it is neither told of nor served. Absent: it always is. */
  isServed?(member: Pick<Caller, 'organizationId'>): boolean;
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
  readonly listen?: ExtensionListen;
}
