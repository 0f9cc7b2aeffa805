/** A worker: claims what is due, runs it, renews its leases, and wakes for the nearest due time with one timer. */
import { randomUUID } from 'node:crypto';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import { CANCEL, READY } from './changes.ts';
import { claimDue, lockClaims, Turns } from './claim.ts';
import type { Kind } from './kinds.ts';
import { poolOf, poolsOf } from './pools.ts';
import type { Pool } from './pools.ts';
import { TaskStopped } from './kinds.ts';
import { releaseLapsed, renewLeases } from './lease.ts';
import { ProgressWriter } from './progress-writer.ts';
import { runTask } from './run-task.ts';
import { Sleeper } from './sleeper.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
}

interface Running {
  readonly kind: string;
  readonly controller: AbortController;
  readonly fence: number;
  leaseUntil: number;
  ended: Promise<void>;
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
  readonly #sleeper = new Sleeper();
  readonly #turns = new Turns();
  readonly #unsubscribe: (() => void)[] = [];
  #pools: readonly Pool[] = [];
  #timers: NodeJS.Timeout[] = [];
  #dueTimer: NodeJS.Timeout | undefined;
  #pass: Promise<void> | undefined;
  #again = false;
  #isOpen = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.progress = new ProgressWriter(options);
  }

  register(kind: Kind): void {
    this.#kinds.set(kind.kind, kind);
    const run = [...this.#kinds.values()].filter(({ isRunElsewhere }) => isRunElsewhere !== true);
    this.#pools = poolsOf(run, this.#options.limits);
    this.nudge();
  }

  kindOf(name: string): Kind | undefined {
    return this.#kinds.get(name);
  }

  /** The pool whose places a kind takes. */
  poolOf(kind: string): Pool | undefined {
    return poolOf(this.#pools, kind);
  }

  /** How many more tasks of a pool this process may run. */
  roomIn(pool: Pool): number {
    if (!this.#isOpen) return 0;
    const running = [...this.#running.values()].filter(({ kind }) => this.poolOf(kind) === pool);
    return pool.perProcess - running.length;
  }

  start(): void {
    const { store, limits, onFault } = this.#options;
    this.#isOpen = true;
    // Also tells of cancels whose signal was missed.
    const renew = () => detach(this.#renew(), (error) => onFault(error, 'task lease'));
    this.#unsubscribe.push(
      store.signal.subscribe(READY, () => this.nudge()),
      store.signal.subscribe(CANCEL, ({ payload }) => {
        if (payload !== null) this.cancel(payload);
        else renew();
      }),
    );
    const takeOver = () => detach(this.#takeOver(), (error) => onFault(error, 'task takeover'));
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
    // A turn of the event loop between two looks: a long queue of short tasks must not keep others waiting.
    this.#pass = new Promise(setImmediate)
      .then(() => this.#claim())
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
    // An older run of ours whose lease lapsed meanwhile.
    this.#running.get(row.id)?.controller.abort(leaseLost());
    const controller = new AbortController();
    if (!this.#isOpen) controller.abort(shutdown());
    const { fence, lease_until: leaseUntil } = row;
    const held = { kind: row.kind, fence, leaseUntil: leaseUntil ?? 0 };
    const run: Running = { ...held, controller, ended: Promise.resolve() };
    this.#running.set(row.id, run);
    this.#turns.took(row);
    run.ended = runTask({
      ...this.#options,
      row,
      kind,
      controller,
      sleeper: this.#sleeper,
      progress: this.progress,
    })
      .catch((error: unknown) => this.#options.onFault(error, `task ${row.kind}`))
      .finally(() => {
        // It may have been claimed again before this line.
        if (this.#running.get(row.id) === run) this.#running.delete(row.id);
        this.nudge();
      });
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
    while (this.#running.size > 0) {
      const running = [...this.#running.values()];
      for (const { controller } of running) controller.abort(shutdown());
      await Promise.all(running.map(({ ended }) => ended));
    }
    this.#sleeper.close();
    await this.progress.close();
  }

  async #claim(): Promise<void> {
    if (this.#kinds.size === 0) return;
    const at = this.#options.now();
    for (const pool of this.#pools) await this.#claimIn(pool, at);
    if (this.#isOpen) await this.#wakeForNext(at);
  }

  async #claimIn(pool: Pool, at: number): Promise<void> {
    const room = this.roomIn(pool);
    if (room <= 0 || pool.kinds.length === 0 || !(await this.#hasDue(pool, at))) return;
    const { store, limits } = this.#options;
    const turns = this.#turns;
    const rows = await store.transaction(async (tx) => {
      await lockClaims(tx);
      return claimDue(tx, { workerId: this.id, pool, room, now: at, limits, turns });
    });
    for (const row of rows) this.adopt(row);
  }

  /** A look without a lock, so that an idle worker does not stand in the way of writers. */
  async #hasDue(pool: Pool, at: number): Promise<boolean> {
    const due = await this.#options.store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select('id')
      .where('state', 'in', ['ready', 'asking'])
      .where(
        'kind',
        'in',
        pool.kinds.map(({ kind }) => kind),
      )
      .where('due_at', '<=', at)
      .limit(1)
      .executeTakeFirst();
    return due !== undefined;
  }

  /** One timer for the nearest due time after the last look, however many tasks wait. */
  async #wakeForNext(at: number): Promise<void> {
    const { store, now } = this.#options;
    const next = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select((min) => min.fn.min('due_at').as('due_at'))
      .where('state', 'in', ['ready', 'asking'])
      .where('due_at', '>', at)
      .executeTakeFirst();
    clearTimeout(this.#dueTimer);
    const dueAt = next?.due_at ?? null;
    if (dueAt === null || !this.#isOpen) return;
    const waitMs = Math.min(Math.max(1, dueAt - now()), MAX_TIMER_MS);
    this.#dueTimer = setTimeout(() => this.nudge(), waitMs).unref();
  }

  async #renew(): Promise<void> {
    const held = [...this.#running];
    if (held.length === 0) return;
    const { store, limits, now } = this.#options;
    const until = now() + limits.leaseMs;
    const ids = held.map(([id]) => id);
    let rows;
    try {
      rows = await renewLeases(store, this.id, ids, until);
    } catch (error) {
      // Nobody can say any more that these are ours.
      for (const [, run] of held) if (run.leaseUntil <= now()) run.controller.abort(leaseLost());
      throw error;
    }
    for (const [id, run] of held) {
      const row = rows.find((candidate) => candidate.id === id && candidate.fence === run.fence);
      if (row === undefined) run.controller.abort(leaseLost());
      else if (row.cancel_reason !== null) this.cancel(id);
      else run.leaseUntil = until;
    }
  }

  async #takeOver(): Promise<void> {
    const { store, now } = this.#options;
    const lapsed = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .select('id')
      .where('state', '=', 'running')
      .where('lease_until', '<', now())
      .limit(1)
      .executeTakeFirst();
    if (lapsed !== undefined) {
      await store.transaction((tx) => releaseLapsed(tx, now()));
    }
    this.nudge();
  }
}

function shutdown(): TaskStopped {
  return new TaskStopped('shutdown', 'The server is stopping.');
}

function leaseLost(): TaskStopped {
  return new TaskStopped('lease_lost', 'Another worker has the task now.');
}
