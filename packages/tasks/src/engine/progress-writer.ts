/** Progress: told at once to watchers in this process, written to the store a few times a second. */
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskProgress } from '../task.ts';
import type { TaskChanges } from './changes.ts';
import { notBefore, oneLine } from './rows.ts';

interface Report {
  readonly row: TaskRow;
  readonly progress: TaskProgress;
  readonly message: string | null;
}

/** Collects reports and writes the newest of each task. */
export class ProgressWriter {
  readonly #store: Store;
  readonly #changes: TaskChanges;
  readonly #limits: TaskLimits;
  readonly #now: () => number;
  readonly #onFault: (error: unknown, where: string) => void;
  readonly #dirty = new Map<string, Report>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: {
    store: Store;
    changes: TaskChanges;
    limits: TaskLimits;
    now: () => number;
    onFault: (error: unknown, where: string) => void;
  }) {
    this.#store = options.store;
    this.#changes = options.changes;
    this.#limits = options.limits;
    this.#now = options.now;
    this.#onFault = options.onFault;
  }

  report(row: TaskRow, progress: TaskProgress, message: string | null): void {
    const line = message === null ? null : oneLine(message);
    this.#dirty.set(row.id, { row, progress, message: line });
    this.#changes.tell(row.id, { kind: 'progress', progress: { ...progress, message: line } });
    this.#timer ??= setTimeout(() => {
      detach(this.#writeAll(), (error) => this.#onFault(error, 'task progress'));
    }, this.#limits.progressEveryMs).unref();
  }

  /** Writes what is left of one task, before its end is written. */
  async flush(taskId: string): Promise<void> {
    const report = this.#dirty.get(taskId);
    if (report === undefined) return;
    this.#dirty.delete(taskId);
    await this.#write([report]).catch((error: unknown) => this.#onFault(error, 'task progress'));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    this.#timer = undefined;
    // In one order everywhere, so that two writers never wait for each other in a circle.
    const reports = [...this.#dirty.values()].toSorted((left, right) =>
      left.row.id < right.row.id ? -1 : 1,
    );
    this.#dirty.clear();
    if (reports.length === 0) return;
    await this.#write(reports).catch((error: unknown) => this.#onFault(error, 'task progress'));
  }

  async #write(reports: readonly Report[]): Promise<void> {
    await this.#store.transaction(async (tx) => {
      for (const { row, progress, message } of reports) {
        await tx
          .db<TaskTables>()
          .updateTable('tasks')
          .set({
            progress_done: progress.done,
            progress_total: progress.total,
            updated_at: notBefore(this.#now()),
            ...(message !== null && { status_message: message }),
          })
          .where('id', '=', row.id)
          .where('fence', '=', row.fence)
          .where('state', '=', 'running')
          .execute();
        await this.#changes.announce(tx, row.id);
      }
    });
  }
}
