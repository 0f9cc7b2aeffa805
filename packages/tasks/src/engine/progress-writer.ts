/** Progress: told at once to watchers in this process, written to the store a few times a second. */
import { detach } from '@parley/kit';
import type { RowTableColumns, Store } from '@parley/store';
import { planLast, rowTable } from '@parley/store';
import { sql } from 'kysely';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow } from '../schema.ts';
import type { TaskProgress } from '../task.ts';
import type { TaskChanges } from './changes.ts';
import { oneLine } from './rows.ts';
import type { Said } from './said.ts';
import { keepSaid, MOST_SAID } from './said.ts';

interface Report {
  readonly row: TaskRow;
  readonly progress: TaskProgress;
  readonly message: string | null;
  /** What was said since the last write, the oldest first. */
  readonly said: readonly Said[];
}

interface ProgressRow extends TaskProgress {
  readonly id: string;
  readonly fence: number;
  readonly message: string | null;
}

const COLUMNS: RowTableColumns<ProgressRow> = {
  id: 'text',
  fence: 'integer',
  done: 'double precision',
  total: 'double precision',
  message: 'text',
};

/** Collects reports and writes the newest of each task, and what all of them said. */
export class ProgressWriter {
  readonly #store: Store;
  readonly #changes: TaskChanges;
  readonly #limits: TaskLimits;
  readonly #now: () => number;
  readonly #onFault: (error: unknown, where: string) => void;
  readonly #dirty = new Map<string, Report>();
  /** The last message of each task that runs here: the same one again is no news. */
  readonly #lastSaid = new Map<string, string>();
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
    const said = [...(this.#dirty.get(row.id)?.said ?? [])];
    if (line !== null && line !== this.#lastSaid.get(row.id)) {
      this.#lastSaid.set(row.id, line);
      said.push({ ...progress, at: this.#now(), message: line });
      if (said.length > MOST_SAID) said.shift();
    }
    this.#dirty.set(row.id, { row, progress, message: line, said });
    this.#changes.tell(row.id, { kind: 'progress', progress: { ...progress, message: line } });
    this.#timer ??= setTimeout(() => {
      detach(this.#writeAll(), (error) => this.#onFault(error, 'task progress'));
    }, this.#limits.progressEveryMs).unref();
  }

  /** Writes what is left of one task, before its end is written. */
  async flush(taskId: string): Promise<void> {
    this.#lastSaid.delete(taskId);
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
    const now = this.#now();
    const rows = reports.map(({ row: { id, fence }, progress: { done, total }, message }) => ({
      id,
      fence,
      done,
      total,
      message,
    }));
    const said = reports.flatMap((report) =>
      report.said.map((one, nth) => ({ ...one, nth, id: report.row.id, fence: report.row.fence })),
    );
    await this.#store.transaction(async (tx) => {
      const table = rowTable<ProgressRow>(tx.engine, 'told', { rows, columns: COLUMNS });
      const write = sql`
        update tasks set progress_done = told.done, progress_total = told.total,
          status_message = coalesce(told.message, tasks.status_message),
          updated_at = case when tasks.updated_at > ${now} then tasks.updated_at else ${now} end
        from ${table} where tasks.id = told.id and tasks.fence = told.fence and tasks.state = 'running'`;
      planLast(tx, 'named', () => {
        tx.last(write);
        keepSaid(tx, said);
      });
      for (const { id } of rows) await this.#changes.announce(tx, id);
    });
  }
}
