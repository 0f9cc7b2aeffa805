/** Who waits for which task: told at once in this process, by the store's signal in others. */
import type { Store, StoreTransaction } from '@parley/store';
import type { TaskProgress } from '../task.ts';

/** What a watcher is told. */
export type TaskChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'progress'; readonly progress: TaskProgress & { readonly message: string | null } };

type Listener = (change: TaskChange) => void;

/** Signal topics between workers. */
export const READY = 'task.ready';
export const CANCEL = 'task.cancel';

const CHANGED = 'task.changed';

/** Carries changes of tasks to those who watch them. */
export class TaskChanges {
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #unsubscribe: () => void;

  constructor(store: Store) {
    this.#unsubscribe = store.signal.subscribe(CHANGED, ({ topic, payload }) => {
      if (topic !== '*' && payload !== null) this.tell(payload, { kind: 'changed' });
      else for (const id of this.#listeners.keys()) this.tell(id, { kind: 'changed' });
    });
  }

  /** Announces a change with the transaction that makes it. */
  announce(tx: StoreTransaction, taskId: string): Promise<void> {
    return tx.signal(CHANGED, taskId);
  }

  /** Tells the watchers in this process. */
  tell(taskId: string, change: TaskChange): void {
    for (const listener of this.#listeners.get(taskId) ?? []) listener(change);
  }

  /** Watches one task; returns the function that ends it. */
  watch(taskId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(taskId) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(taskId, listeners);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) this.#listeners.delete(taskId);
    };
  }

  close(): void {
    this.#unsubscribe();
    this.#listeners.clear();
  }
}
