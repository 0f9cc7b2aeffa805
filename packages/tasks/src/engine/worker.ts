/** A worker: claims what is due, runs it, renews its leases, and wakes for the nearest due time with one timer. */
import { randomUUID } from 'node:crypto';
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import { claimDue, lockClaims, releaseLapsed } from './claim.ts';
import type { Kind } from './kinds.ts';
import { TaskStopped } from './kinds.ts';
import { ProgressWriter } from './progress-writer.ts';
import { runTask } from './run-task.ts';
import { Sleeper } from './sleeper.ts';

/** What a worker is built from. */
export interface WorkerOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

/** Signal topics between workers. */
export const READY = 'task.ready';
export const CANCEL = 'task.cancel';

interface Running {
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

// Longer timers overflow; waking once in a while to look again is fine.
const MAX_TIMER_MS = 60 * 60_000;

/** Runs tasks of the kinds it knows. */
export class Worker {
  readonly id = `worker_${randomUUID()}`;
  readonly progress: ProgressWriter;
  readonly #options: WorkerOptions;
  readonly #kinds = new Map<string, Kind>();
  readonly #running = new Map<string, Running>();
  readonly #sleeper: Sleeper;
  readonly #unsubscribe: (() => void)[] = [];
  #timers: NodeJS.Timeout[] = [];
  #dueTimer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #again = false;
  #isOpen = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#sleeper = new Sleeper(options.now);
    this.progress = new ProgressWriter(options);
  }

  register(kind: Kind): void {
    this.#kinds.set(kind.kind, kind);
  }

  kindOf(name: string): Kind | undefined {
    return this.#kinds.get(name);
  }

  /** How many more tasks this process may run. */
  get room(): number {
    return this.#isOpen ? this.#options.limits.runningPerProcess - this.#running.size : 0;
  }

  start(): void {
    const { store, limits, onFault } = this.#options;
    this.#isOpen = true;
    this.#unsubscribe.push(
      store.signal.subscribe(READY, () => this.nudge()),
      store.signal.subscribe(CANCEL, ({ payload }) => payload !== null && this.cancel(payload)),
    );
    const renew = () => void this.#renew().catch((error: unknown) => onFault(error, 'task lease'));
    const takeOver = () => void this.#takeOver().catch((error: unknown) => onFault(error, 'task takeover'));
    this.#timers = [
      setInterval(renew, limits.renewMs).unref(),
      setInterval(takeOver, limits.takeoverMs / 2).unref(),
    ];
    takeOver();
  }

  /** Looks for work soon; many nudges make one look. */
  nudge(): void {
    if (!this.#isOpen) return;
    if (this.#pass !== undefined) {
      this.#again = true;
      return;
    }
    this.#pass = this.#claim()
      .catch((error: unknown) => this.#options.onFault(error, 'task claim'))
      .finally(() => {
        this.#pass = undefined;
        if (!this.#again) return;
        this.#again = false;
        this.nudge();
      });
  }

  /** Runs a task that was claimed when it was created. */
  adopt(row: TaskRow): void {
    const kind = this.#kinds.get(row.kind);
    if (kind === undefined) return;
    const controller = new AbortController();
    const ended = runTask({
      ...this.#options,
      row,
      kind,
      controller,
      sleeper: this.#sleeper,
      progress: this.progress,
    })
      .catch((error: unknown) => this.#options.onFault(error, `task ${row.kind}`))
      .finally(() => {
        this.#running.delete(row.id);
        this.nudge();
      });
    this.#running.set(row.id, { controller, ended });
  }

  /** Fires the signal of a task that runs here. */
  cancel(taskId: string): void {
    this.#running.get(taskId)?.controller.abort(new TaskStopped('cancel', 'The task was cancelled.'));
  }

  /** Stops claiming, fires every signal, and waits until each task is let go. */
  async stop(): Promise<void> {
    this.#isOpen = false;
    for (const timer of this.#timers) clearTimeout(timer);
    clearTimeout(this.#dueTimer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#pass;
    const running = [...this.#running.values()];
    for (const { controller } of running)
      controller.abort(new TaskStopped('shutdown', 'The server is stopping.'));
    await Promise.all(running.map(({ ended }) => ended));
    this.#sleeper.close();
    await this.progress.close();
  }

  async #claim(): Promise<void> {
    const { store, limits, now } = this.#options;
    const kinds = [...this.#kinds.values()].map(({ kind, version }) => ({ kind, version }));
    if (kinds.length === 0) return;
    const room = this.room;
    const rows =
      room <= 0
        ? []
        : await store.transaction(async (tx) => {
            await lockClaims(tx, store.engine);
            return claimDue(tx, { workerId: this.id, kinds, room, now: now(), limits });
          });
    for (const row of rows) this.adopt(row);
    if (this.#isOpen) await this.#wakeForNext();
  }

  /** One timer for the nearest due time, however many tasks wait. */
  async #wakeForNext(): Promise<void> {
    const { store, now } = this.#options;
    const next = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select((min) => min.fn.min('due_at').as('due_at'))
      .where('state', 'in', ['ready', 'asking'])
      .where('due_at', '>', now())
      .executeTakeFirst();
    clearTimeout(this.#dueTimer);
    if (next?.due_at == null) return;
    const waitMs = Math.min(Math.max(1, Number(next.due_at) - now()), MAX_TIMER_MS);
    this.#dueTimer = setTimeout(() => this.nudge(), waitMs).unref();
  }

  async #renew(): Promise<void> {
    if (this.#running.size === 0) return;
    const { store, limits, now } = this.#options;
    await store
      .db<TaskTables>()
      .updateTable('tasks')
      .set({ lease_until: now() + limits.leaseMs })
      .where('worker_id', '=', this.id)
      .where('state', '=', 'running')
      .execute();
  }

  async #takeOver(): Promise<void> {
    const { store, now } = this.#options;
    const isLapsed = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select('id')
      .where('state', '=', 'running')
      .where('lease_until', '<', now())
      .limit(1)
      .executeTakeFirst();
    if (isLapsed !== undefined) {
      await store.transaction(async (tx) => {
        await lockClaims(tx, store.engine);
        await releaseLapsed(tx, now());
      });
    }
    this.nudge();
  }
}
