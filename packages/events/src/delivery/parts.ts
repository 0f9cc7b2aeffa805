/** What delivering is built from, and the seam of what can be delivered to. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { CloudEvent } from '../cloud-event.ts';
import type { EventLimits } from '../limits.ts';
import type { EventTargetRow } from '../schema.ts';

/** How one attempt ended. */
export type Attempt =
  | { readonly outcome: 'delivered'; readonly statusCode: number | null }
  /** Tried again later, until no attempt is left. */
  | { readonly outcome: 'failed'; readonly statusCode: number | null; readonly error: string }
  /** Another attempt would be of no use. */
  | { readonly outcome: 'dead'; readonly statusCode: number | null; readonly error: string }
  /** The target wants nothing any more. */
  | { readonly outcome: 'cancelled'; readonly error: string };

/** What a target is known by. */
export type Target = Pick<EventTargetRow, 'id' | 'organization_id' | 'kind'>;

/** A kind of target: how an event is brought there, and what the target learns from it. */
export interface TargetKind {
  readonly kind: string;
  readonly retryDelaysMs: readonly number[];
  /** Tries once; throws only when the signal fires or the fault is our own. */
  attempt(target: Target, event: CloudEvent, signal: AbortSignal): Promise<Attempt>;
  /** Told in the transaction that stores the attempt. */
  settled(tx: StoreTransaction, target: Target, attempt: Attempt): Promise<void>;
}

export interface DeliveryParts {
  readonly store: Store;
  readonly tasks: TaskEngine;
  readonly kinds: ReadonlyMap<string, TargetKind>;
  readonly limits: EventLimits;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}
