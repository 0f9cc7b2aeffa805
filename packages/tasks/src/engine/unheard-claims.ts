/** Claims whose answer was lost: they may have been committed, so this worker may have tasks that nobody runs. */
import type { Store } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskTables } from '../schema.ts';
import type { HeldTask } from './lease.ts';
import { releaseTask } from './lease.ts';

export interface UnheardClaimsOptions {
  readonly store: Store;
  readonly workerId: string;
  readonly limits: Pick<TaskLimits, 'leaseMs'>;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Whether a claim of a task is run here. */
  isRun(claim: Pick<HeldTask, 'id' | 'fence'>): boolean;
}

/** Knows the claims that are on their way, and gives back what was claimed by those that were not heard of. */
export class UnheardClaims {
  readonly #options: UnheardClaimsOptions;
  readonly #onTheirWay = new Set<Promise<unknown>>();
  /** Later than this, leases give back what is left. */
  #lookUntil = -Infinity;
  #looking: Promise<unknown> | undefined;

  constructor(options: UnheardClaimsOptions) {
    this.#options = options;
  }

  /** Does work that claims tasks and adopts them. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const claim = work();
    this.#onTheirWay.add(claim);
    try {
      return await claim;
    } catch (error) {
      this.doubt(error);
      throw error;
    } finally {
      this.#onTheirWay.delete(claim);
    }
  }

  /** Told how a claim failed. */
  doubt(error: unknown): void {
    if (!(error instanceof StoreUnavailableError)) return;
    this.#lookUntil = this.#options.now() + this.#options.limits.leaseMs;
    this.look();
  }

  /** Looks for them while there may be any: a commit may come later than the word that its connection is lost. */
  look(): void {
    const { now, onFault } = this.#options;
    if (this.#looking !== undefined || now() >= this.#lookUntil) return;
    this.#looking = this.#giveBack()
      // A database that is away is looked at again, as long as there may be any.
      .catch((error: unknown) => error instanceof StoreUnavailableError || onFault(error, 'task claim'))
      .finally(() => (this.#looking = undefined));
  }

  /** Resolves when no look is under way. */
  async close(): Promise<void> {
    await this.#looking;
  }

  async #giveBack(): Promise<void> {
    const { store, workerId, now, isRun } = this.#options;
    const held = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select(['id', 'fence'])
      .where('state', '=', sql.lit('running'))
      .where('worker_id', '=', workerId)
      .execute();
    // Those that were committed before the look, and have yet to be adopted.
    await Promise.allSettled(this.#onTheirWay);
    // What has ended meanwhile has another state, and is left alone.
    for (const task of held) if (!isRun(task)) await releaseTask(store, task, now());
  }
}
