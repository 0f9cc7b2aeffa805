/** Who waits for which task: told at once in this process, by the store's signal in others. */
import type { Store, StoreTransaction } from '@parley/store';
import type { RawBuilder } from 'kysely';
import type { TaskRow } from '../schema.ts';
import type { TaskProgress } from '../task.ts';

/** What a watcher is told. */
export type TaskChange =
  | { readonly kind: 'changed' }
  | { readonly kind: 'progress'; readonly progress: TaskProgress & { readonly message: string | null } };

type Listener = (change: TaskChange) => void;

/** Something that others than the owner may want to hear of. */
export interface TaskHappening {
  readonly what: 'created' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly taskId: string;
  readonly organizationId: string;
  readonly ownerId: string;
  readonly kind: string;
}

/** The condition that something did happen to a task, from its id; to be asked with the commit. */
export type OnlyIf = (taskId: RawBuilder<string>) => RawBuilder<boolean>;

/**
 * Told in the transaction of what happens, of all that happens in it at once; with `onlyIf`, of what may have happened to
 * these when the last statements so far have run.
 */
export type TellTask = (
  tx: StoreTransaction,
  happenings: readonly TaskHappening[],
  onlyIf?: OnlyIf,
) => Promise<void>;

/** A change of a task that others may hear of. */
export interface TaskNews {
  readonly task: Pick<TaskRow, 'id' | 'organization_id' | 'owner_id' | 'kind'>;
  readonly what: TaskHappening['what'];
}

/** Signal topics between workers. */
export const READY = 'task.ready';
export const CANCEL = 'task.cancel';

const CHANGED = 'task.changed';

/** The signal that a task has changed. */
export const changed = (taskId: string) => ({ topic: CHANGED, payload: taskId });
/** The signal that one waits to be taken. */
export const IS_READY = { topic: READY, payload: null };

/** How the owners of the system's own work are called. */
const SYSTEM = 'system_';

/** Carries changes of tasks to those who watch them. */
export class TaskChanges {
  readonly #store: Store;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #unsubscribe: () => void;
  readonly #tellOthers: TellTask | undefined;

  constructor(store: Store, tellOthers?: TellTask) {
    this.#store = store;
    this.#tellOthers = tellOthers;
    this.#unsubscribe = store.signal.subscribe(CHANGED, ({ topic, payload }) => {
      if (topic !== '*' && payload !== null) this.tell(payload, { kind: 'changed' });
      else for (const id of this.#listeners.keys()) this.tell(id, { kind: 'changed' });
    });
  }

  /** Announces a change with the transaction that makes it. */
  announce(tx: StoreTransaction, taskId: string): Promise<void> {
    const { topic, payload } = changed(taskId);
    return tx.signal(topic, payload);
  }

  /** Has everybody look at a task that may have changed without anybody being told. */
  mayHaveChanged(taskId: string): Promise<void> {
    const { topic, payload } = changed(taskId);
    return this.#store.signal.publish(topic, payload);
  }

  /** Tells others what happened to tasks of callers; the work of the system itself is nobody's news. */
  async happened(tx: StoreTransaction, news: readonly TaskNews[], onlyIf?: OnlyIf): Promise<void> {
    const told = news
      .filter(({ task }) => !task.owner_id.startsWith(SYSTEM))
      .map(({ task: { id: taskId, organization_id: organizationId, owner_id: ownerId, kind }, what }) => ({
        what,
        taskId,
        organizationId,
        ownerId,
        kind,
      }));
    if (told.length > 0) await this.#tellOthers?.(tx, told, onlyIf);
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
