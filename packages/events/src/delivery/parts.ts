/** What delivering is built from, and the seam of what can be delivered to. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { CloudEvent, UnnumberedEvent } from '../cloud-event.ts';
import type { HeldFilters } from '../held-filters.ts';
import type { EventLimits } from '../limits.ts';
import type { EventTargetRow } from '../schema.ts';
import type { Arrivals } from './arrivals.ts';
import type { DeliveryCounts } from './figures.ts';
import type { Lingering } from './linger.ts';
import type { PumpWaker } from './pump-waker.ts';

/** How one attempt ended. */
export type Attempt =
  | { readonly outcome: 'delivered'; readonly statusCode: number | null }
  /** Tried again later, until no attempt is left. */
  | { readonly outcome: 'failed'; readonly statusCode: number | null; readonly error: string }
  /** Another attempt would be of no use. */
  | { readonly outcome: 'dead'; readonly statusCode: number | null; readonly error: string }
  /** The target wants nothing any more. */
  | { readonly outcome: 'cancelled'; readonly error: string }
  /** The target wants it later; that is no failure. */
  | { readonly outcome: 'deferred'; readonly delayMs: number }
  /** Nobody here can take it, but somebody may say that it arrived. */
  | { readonly outcome: 'waiting'; readonly error: string }
  /** The target takes nothing until somebody resumes it. */
  | { readonly outcome: 'paused'; readonly error: string };

/** What a target is known by. */
export type Target = Pick<EventTargetRow, 'id' | 'organization_id' | 'kind'>;

/** A kind of target: how events are brought there, and what the target learns from it. */
export interface TargetKind {
  readonly kind: string;
  readonly retryDelaysMs: readonly number[];
  /** The part of a delay that is added to it by chance, so that many do not come back at once. */
  readonly jitter: number;
  /** How many attempts of one target are under way at once. */
  readonly lanes: number;
  /** How many deliveries one attempt may bring. */
  readonly batch: number;
  /** Whether deliveries with the same order key keep their order. */
  readonly isOrdered: boolean;
  /** Whether each subscription that matches has a delivery of its own; otherwise the target has one. */
  readonly perSubscription: boolean;
  /** The only targets of this kind that an event is for, whose filters alone are asked; undefined: all that want it. */
  audience?(tx: StoreTransaction, event: UnnumberedEvent): Promise<ReadonlySet<string> | undefined>;
  /** Tries once, each event once; throws only when the signal fires or the fault is our own. */
  attempt(target: Target, load: Load, signal: AbortSignal): Promise<ReadonlyMap<string, Attempt>>;
  /** Told with the commit that stores attempts which all arrived, of several targets; waits for no rows of others. */
  arrived?(tx: StoreTransaction, targetIds: readonly string[]): void;
  /** Told in the transaction that stores any other attempts. */
  settled(tx: StoreTransaction, target: Target, attempts: readonly Attempt[]): Promise<void>;
}

/** What one attempt brings. */
export interface Load {
  readonly events: readonly CloudEvent[];
  /** The subscriptions that wanted them. */
  readonly subscriptionIds: readonly string[];
}

export interface DeliveryParts {
  readonly store: Store;
  readonly tasks: TaskEngine;
  readonly kinds: ReadonlyMap<string, TargetKind>;
  readonly limits: EventLimits;
  readonly heldFilters: HeldFilters;
  readonly delivered: DeliveryCounts;
  readonly arrivals: Arrivals;
  readonly lingering: Lingering;
  readonly waker: PumpWaker;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}
