/** What the line to the owner is built from. */
import type { Events } from '@parley/events';
import type { Identity } from '@parley/identity';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { Reputation } from '../reputation/reputation.ts';
import type { Channels } from '../../adapters/channels/index.ts';

export interface OwnerParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly tasks: TaskEngine;
  readonly events: Events;
  readonly channels: Channels;
  readonly conduct: Pick<Reputation, 'recordViolation'>;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Whose line it is. */
export interface OfAgent {
  readonly organizationId: string;
  readonly agentId: string;
}
