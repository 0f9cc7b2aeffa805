/** What is remembered of each call, read and denial. */
import type { Caller } from '../access/caller.ts';
import type { RequestInfo } from '../define/context.ts';

/** One finished or refused call. */
export interface CallRecord {
  readonly caller: Caller;
  /** A method of the protocol, or `rest` for a route of a toolset; the name is the route's then. */
  readonly method: 'tools/call' | 'resources/read' | 'prompts/get' | 'rest';
  readonly name: string;
  readonly toolset: string;
  readonly outcome: 'ok' | 'error' | 'denied' | 'cancelled';
  readonly code: string | null;
  readonly durationMs: number;
  readonly info: RequestInfo;
}

/** Takes records; must not throw and must not wait. */
export type Observer = (record: CallRecord) => void;
