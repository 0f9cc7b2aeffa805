/** The ends that runs come to, of all tasks of a process: many in one commit, on connections that creators do not use. */
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { PoolName, TaskRow } from '../schema.ts';
import { Batches } from './batches.ts';
import type { TaskChanges } from './changes.ts';
import type { Ending, TaskEnd } from './finish.ts';
import { finish, LeaseLost } from './finish.ts';

export interface EndWriterOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
}

/** Writes ends. */
export class EndWriter {
  readonly #options: EndWriterOptions;
  /** A pool each, as when tasks are made. */
  readonly #batches: Readonly<Record<PoolName, Batches<TaskEnd, void>>>;

  constructor(options: EndWriterOptions) {
    this.#options = options;
    const batches = () => new Batches<TaskEnd, void>((ends) => this.#write(ends));
    this.#batches = { caller: batches(), system: batches() };
  }

  /** Resolves after the commit; throws when the claim has lost its task. */
  end(task: TaskRow, ending: Ending): Promise<void> {
    return this.#batches[task.pool].add({ task, ending });
  }

  async #write(ends: readonly TaskEnd[]) {
    const { store, changes, limits, now } = this.#options;
    const ended = await store.transaction((tx) => finish(tx, ends, { changes, limits, now: now() }), {
      lane: 'ending',
    });
    return ends.map(({ task }) => (ended.has(task.id) ? { value: undefined } : { error: new LeaseLost() }));
  }
}
