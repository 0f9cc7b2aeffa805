/** The ends that runs come to, of all tasks of a process: many in one commit, on connections that creators do not use. */
import type { Store } from '@parley/store';
import { Batches } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { PoolName, TaskRow } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import type { RunCounts } from './figures.ts';
import type { Ending, TaskEnd } from './finish.ts';
import { finish, LeaseLost } from './finish.ts';

export interface EndWriterOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
  readonly counts: RunCounts;
}

/** Writes ends. */
export class EndWriter {
  readonly #options: EndWriterOptions;
  /** A pool each, as when tasks are made. */
  readonly #batches: Readonly<Record<PoolName, Batches<TaskEnd, void>>>;

  constructor(options: EndWriterOptions) {
    this.#options = options;
    const write = (ends: readonly TaskEnd[]) =>
      options.store.spending.within(undefined, () => this.#write(ends));
    const batches = () => new Batches<TaskEnd, void>(write);
    this.#batches = { caller: batches(), system: batches() };
  }

  /** Resolves after the commit; throws when the claim has lost its task. */
  async end(task: TaskRow, ending: Ending): Promise<void> {
    const { store, counts } = this.#options;
    await store.spending.wait('database', 'commit', this.#batches[task.pool].add({ task, ending }));
    counts.ended[ending.outcome] += 1;
  }

  async #write(ends: readonly TaskEnd[]) {
    const { store, changes, limits, now } = this.#options;
    let ended: ReadonlySet<string> = new Set();
    const onWritten = (ids: ReadonlySet<string>) => (ended = ids);
    await store.transaction((tx) => finish(tx, ends, { changes, limits, now: now(), onWritten }), {
      lane: 'ending',
    });
    return ends.map(({ task }) => (ended.has(task.id) ? { value: undefined } : { error: new LeaseLost() }));
  }
}
