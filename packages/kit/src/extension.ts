/** A protocol extension: a capability and the methods that come with it, for 2026-07-28 clients. */
import type * as z from 'zod';
import type { Caller } from './caller.ts';
import type { Exchange } from './exchange.ts';

/** One method of an extension. */
export interface ExtensionMethod {
  readonly params: z.ZodType;
  /** Gets parameters that passed the schema. */
  handle(params: never, caller: Caller, exchange: Exchange): Promise<Record<string, unknown>>;
}

/** An extension. */
export interface Extension {
  /** The key under `capabilities.extensions`. */
  readonly name: string;
  readonly methods: Readonly<Record<string, ExtensionMethod>>;
}
