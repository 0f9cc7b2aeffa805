/** What schedules are built from. */
import type { Events, Inside } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { AgentCallers } from '../../permissions/lookup.ts';
import type { Measure } from '../health/measure.ts';
import type { Foresee, Perform } from './actions.ts';

/** Something that the owner of an agent has to know. */
export interface OwnerNotice {
  readonly organizationId: string;
  readonly agentId: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly title: string;
  readonly message: string;
  /** The same key means the same notice, after a crash. */
  readonly key: string;
}

/** Tells the owner of an agent; with a transaction, as the last part of it. */
export type NotifyOwner = (notice: OwnerNotice, tx?: StoreTransaction) => Promise<void>;

export interface ScheduleParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly tasks: TaskEngine;
  readonly events: Events;
  readonly callers: AgentCallers;
  readonly perform: Perform;
  readonly foresee: Foresee;
  readonly notifyOwner: NotifyOwner;
  readonly measure: Measure;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

/** With the listeners that events wake. */
export interface WakingParts extends ScheduleParts {
  readonly listeners: Inside;
}
