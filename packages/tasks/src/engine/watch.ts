/** Who is there among the workers of a database: their names, and the looks of one worker after itself and the others. */
import { randomUUID } from 'node:crypto';
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { TaskTables } from '../schema.ts';
import type { GoneWorkers } from './lease.ts';

/** Only such a worker holds a lock as long as it lives, so only such a one can be missed: not one of an older version. */
const HELD = 'worker_held_';
/** What a worker that others may miss has of their grace, before it stops what they may begin. */
const OWN_SHARE = 0.6;

/** A name for a new worker, which says whether it can be missed. */
export function workerName(store: Store): string {
  return `${store.presence.isKept ? HELD : 'worker_'}${randomUUID()}`;
}

export interface WatchOptions {
  readonly store: Store;
  readonly workerId: string;
  readonly leaseMs: number;
  readonly now: () => number;
  /** Stops what runs here under leases that end before this time. */
  surrender(leaseUntil: number): void;
  renew(): Promise<void>;
  takeFrom(gone: GoneWorkers): Promise<void>;
}

/** The looks of one worker. */
export class WorkerWatch {
  readonly #options: WatchOptions;
  #isLooking = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Looks once; one look at a time, but a look that waits for the database does not keep the worker from giving up. */
  async look(): Promise<void> {
    const { store, now, leaseMs, surrender } = this.#options;
    const missedMs = store.presence.missedMs();
    const ownMs = store.presence.graceMs * OWN_SHARE;
    if (missedMs >= ownMs) surrender(now() + leaseMs - ownMs);
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      // A lease that was renewed just now tells the others what the lock cannot.
      await (missedMs > 0 ? this.#options.renew() : this.#lookForOthers());
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookForOthers(): Promise<void> {
    const { store, workerId, leaseMs, now, takeFrom } = this.#options;
    const rows = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select('worker_id')
      .distinct()
      .where('state', '=', sql.lit('running'))
      .execute();
    const others = rows.flatMap(({ worker_id: id }) => (id?.startsWith(HELD) && id !== workerId ? [id] : []));
    const workerIds = await store.presence.gone(others);
    if (workerIds.length > 0)
      await takeFrom({ workerIds, leaseUntil: now() + leaseMs - store.presence.graceMs });
  }
}
