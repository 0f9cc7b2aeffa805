/** A worker: runs what was claimed, renews its leases, and takes over from workers that are gone. */
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import { CANCEL, READY } from './changes.ts';
import { Claimer } from './claimer.ts';
import { EndWriter } from './end-writer.ts';
import type { RunReport } from './figures.ts';
import { RunCounts } from './figures.ts';
import type { Lease } from './journal.ts';
import type { Kind } from './kinds.ts';
import { TaskStopped } from './kinds.ts';
import type { GoneWorkers } from './lease.ts';
import { releaseLapsed, releaseTask, renewLeases } from './lease.ts';
import type { Pool } from './pools.ts';
import { knownAs, poolsOf } from './pools.ts';
import { isUnserved, persist, UnwrittenError } from './persist.ts';
import { ProcessPlaces } from './process-places.ts';
import { ProgressWriter } from './progress-writer.ts';
import { runTask } from './run-task.ts';
import { Sleeper } from './sleeper.ts';
import { StepWriter } from './step-writer.ts';
import { UnheardClaims } from './unheard-claims.ts';
import { workerName, WorkerWatch } from './watch.ts';

export interface WorkerOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** Told of every run when it is over, while its time is still known to the store. */
  readonly onRun?: ((report: RunReport) => void) | undefined;
}

interface Running {
  readonly row: TaskRow;
  readonly controller: AbortController;
  readonly lease: Lease;
  ended: Promise<void>;
}

/** How many cancels are remembered that came before their task began here. */
const MOST_EARLY_CANCELS = 1_000;

/** A lease whose row was in use is renewed so much later. */
const RENEW_AGAIN_MS = 500;

/** What was given back because of the database does not come again in the same moment. */
const GIVEN_BACK_MS = 1_000;

/** Runs tasks of the kinds it knows. */
export class Worker {
  readonly id: string;
  /** The places of this process. */
  readonly places = new ProcessPlaces();
  readonly counts = new RunCounts();
  readonly claims: UnheardClaims;
  readonly #options: WorkerOptions;
  readonly #claimer: Claimer;
  readonly #watch: WorkerWatch;
  readonly #parts: {
    readonly steps: StepWriter;
    readonly ends: EndWriter;
    readonly progress: ProgressWriter;
    readonly sleeper: Sleeper;
  };
  readonly #kinds = new Map<string, Kind>();
  readonly #running = new Map<string, Running>();
  /** Cancelled while their claim was on its way here, so that no run could be told. */
  readonly #earlyCancels = new Set<string>();
  readonly #unsubscribe: (() => void)[] = [];
  #pools: readonly Pool[] = [];
  #timers: NodeJS.Timeout[] = [];
  #renewTimer: NodeJS.Timeout | undefined;
  /** When the database was last seen to be away. */
  #awayAt = -Infinity;
  #isOpen = false;

  constructor(options: WorkerOptions) {
    const { store, limits, now, onFault } = options;
    this.#options = options;
    this.id = workerName(store);
    this.#parts = {
      steps: new StepWriter(options),
      ends: new EndWriter({ ...options, counts: this.counts }),
      progress: new ProgressWriter(options),
      sleeper: new Sleeper(),
    };
    this.claims = new UnheardClaims({
      ...options,
      workerId: this.id,
      isRun: ({ id, fence }) => this.#running.get(id)?.row.fence === fence,
    });
    this.#claimer = new Claimer({
      store,
      workerId: this.id,
      claims: this.claims,
      places: this.places,
      leaseMs: limits.leaseMs,
      suspectCrashes: limits.suspectCrashes,
      now,
      onFault,
      pools: () => this.#pools,
      hasSuspect: () => [...this.#running.values()].some(({ row }) => row.crashes >= limits.suspectCrashes),
      adopt: (row) => this.adopt(row),
    });
    this.#watch = new WorkerWatch({
      store,
      workerId: this.id,
      leaseMs: limits.leaseMs,
      now,
      surrender: (leaseUntil) => this.#surrender(leaseUntil),
      renew: () => this.#renew(),
      takeFrom: (gone) => this.#takeOver(gone),
    });
  }

  register(kind: Kind): void {
    this.#kinds.set(kind.kind, kind);
    const run = [...this.#kinds.values()].filter(({ isRunElsewhere }) => isRunElsewhere !== true);
    this.#pools = poolsOf(run, this.#options.limits);
    this.#claimer.nudge();
  }

  kindOf(name: string): Kind | undefined {
    return this.#kinds.get(name);
  }

  /** The pool whose places a kind takes, if this process runs it. */
  poolOf(name: string): Pool | undefined {
    const kind = this.#kinds.get(name);
    return kind && this.#pools.find(({ kinds }) => kinds.includes(knownAs(kind)));
  }

  /** Whether it takes tasks; before and after, those that are made are left to others. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** What knows and takes those that stand in line. */
  get claimer(): Claimer {
    return this.#claimer;
  }

  start(): void {
    const { store, limits, onFault } = this.#options;
    this.#isOpen = true;
    this.places.open();
    // Also tells of cancels whose signal was missed.
    const renew = () => detach(this.#renew(), (error) => onFault(error, 'task lease'));
    this.#unsubscribe.push(
      store.signal.subscribe(READY, () => this.#claimer.nudge()),
      store.signal.subscribe(CANCEL, ({ payload }) => {
        if (payload !== null) this.cancel(payload);
        else renew();
      }),
    );
    const takeOver = () => {
      this.claims.look();
      detach(this.#takeOver(), (error) => onFault(error, 'task takeover'));
    };
    this.#timers = [
      setInterval(renew, limits.renewMs).unref(),
      setInterval(takeOver, limits.takeoverMs / 2).unref(),
    ];
    if (store.presence.isKept) this.#keepWatch();
    this.#claimer.open();
    takeOver();
  }

  #keepWatch(): void {
    const { store, limits, onFault } = this.#options;
    const look = () => detach(this.#watch.look(), (error) => onFault(error, 'task presence'));
    this.#timers.push(setInterval(look, limits.presenceMs).unref());
    detach(store.presence.hold(this.id), (error) => onFault(error, 'task presence'));
  }

  /** Runs a task that was claimed, in a place that was taken for it. */
  adopt(row: TaskRow): void {
    const kind = this.#kinds.get(row.kind);
    if (kind === undefined) return this.places.giveBack(row.pool, 1);
    // An older run of ours whose lease lapsed meanwhile.
    this.#running.get(row.id)?.controller.abort(leaseLost());
    const controller = new AbortController();
    if (!this.#isOpen) controller.abort(shutdown());
    else if (this.#earlyCancels.delete(row.id)) controller.abort(cancelled());
    const lease = { until: row.lease_until ?? 0 };
    const run: Running = { row, controller, lease, ended: Promise.resolve() };
    this.#running.set(row.id, run);
    // The timer for the nearest due time may have to be set anew.
    const onParked = () => this.#claimer.nudge();
    const own = { row, kind, controller, lease, onParked };
    const work = () => runTask({ ...this.#options, ...this.#parts, counts: this.counts, ...own });
    run.ended = this.#measured(row, work)
      .catch((error: unknown) => {
        this.#options.onFault(error, `task ${row.kind}`);
        return isUnserved(error) ? this.#giveBack(run) : undefined;
      })
      .finally(() => {
        this.places.giveBack(row.pool, 1);
        // It may have been claimed again before this line.
        if (this.#running.get(row.id) === run) this.#running.delete(row.id);
        this.#claimer.freed();
      });
  }

  /** A run that the database did not serve goes back as soon as that is there again, and is no crash. */
  async #giveBack({ row, controller }: Running): Promise<void> {
    const { store, limits, now, onFault } = this.#options;
    const release = () => releaseTask(store, row, now() + GIVEN_BACK_MS);
    try {
      await persist(release, { signal: controller.signal, forMs: limits.leaseMs });
    } catch (error) {
      // Its lease lapses instead.
      if (!(error instanceof UnwrittenError)) onFault(error, `task ${row.kind}`);
    }
  }

  /** Runs it with a time of its own, which is not that of whoever made or claimed the task. */
  #measured(row: TaskRow, work: () => Promise<void>): Promise<void> {
    const { store, now, onRun } = this.#options;
    const { id: taskId, kind, pool } = row;
    const queueMs = Math.max(0, now() - Math.max(row.due_at, row.created_at));
    const startedMs = performance.now();
    this.counts.waits[pool].observe(queueMs);
    this.counts.running[pool] += 1;
    return store.spending.within(store.spending.begin(), async () => {
      try {
        // In a turn of its own: whoever made the task watches it by then, and hears of its first progress.
        await new Promise(setImmediate);
        await work();
      } finally {
        this.counts.running[pool] -= 1;
        onRun?.({ taskId, kind, pool, queueMs, runMs: performance.now() - startedMs });
      }
    });
  }

  /** Fires the signal of a task that runs here, or is about to. */
  cancel(taskId: string): void {
    const run = this.#running.get(taskId);
    if (run !== undefined) return run.controller.abort(cancelled());
    const [oldest] = this.#earlyCancels;
    if (this.#earlyCancels.size >= MOST_EARLY_CANCELS && oldest !== undefined)
      this.#earlyCancels.delete(oldest);
    this.#earlyCancels.add(taskId);
  }

  /** Stops claiming, waits for what others still begin, fires every signal, and waits until each task is let go. */
  async stop(begun: () => Promise<void>): Promise<void> {
    this.#isOpen = false;
    this.places.close();
    for (const timer of [...this.#timers, this.#renewTimer]) clearTimeout(timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    await this.#claimer.close();
    await this.claims.close();
    for (const { controller } of this.#running.values()) controller.abort(shutdown());
    await begun();
    while (this.#running.size > 0) {
      const running = [...this.#running.values()];
      for (const { controller } of running) controller.abort(shutdown());
      await Promise.all(running.map(({ ended }) => ended));
    }
    this.#parts.sleeper.close();
    await this.#parts.progress.close();
    await this.#options.store.presence.leave(this.id);
  }

  async #renew(): Promise<void> {
    const held = [...this.#running];
    if (held.length === 0) return;
    const { store, limits, now } = this.#options;
    const until = now() + limits.leaseMs;
    const taskIds = held.map(([id]) => id);
    let rows;
    try {
      rows = await this.#noting(renewLeases(store, this.id, { taskIds, until }));
    } catch (error) {
      // Nobody can say any more that these are ours.
      this.#surrender(now());
      throw error;
    }
    const stillHeld = new Map(rows.map((row) => [row.id, row]));
    for (const [id, run] of held) {
      const row = stillHeld.get(id);
      if (row?.fence !== run.row.fence) run.controller.abort(leaseLost());
      else if (row.cancel_reason !== null) this.cancel(id);
      else if (row.isRenewed) run.lease.until = Math.max(run.lease.until, until);
    }
    if (rows.some(({ isRenewed }) => !isRenewed)) this.#renewAgain();
  }

  /** What somebody else was writing is free in a moment. */
  #renewAgain(): void {
    if (!this.#isOpen || this.#renewTimer !== undefined) return;
    this.#renewTimer = setTimeout(() => {
      this.#renewTimer = undefined;
      detach(this.#renew(), (error) => this.#options.onFault(error, 'task lease'));
    }, RENEW_AGAIN_MS).unref();
  }

  #surrender(leaseUntil: number): void {
    for (const run of this.#running.values())
      if (run.lease.until <= leaseUntil) run.controller.abort(leaseLost());
  }

  async #noting<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof StoreUnavailableError) this.#awayAt = this.#options.now();
      throw error;
    }
  }

  async #takeOver(gone?: GoneWorkers): Promise<void> {
    const { store, limits, now } = this.#options;
    // After a pause of the whole process, and before anybody else may take what runs here.
    const isLate = [...this.#running.values()].some(({ lease }) => lease.until <= now());
    if (isLate) await this.#renew();
    const runningHere = [...this.#running.keys()];
    // Who lives could not renew while the database was away, so that a lease is over says nothing of its task.
    const areCrashes = now() - this.#awayAt > limits.leaseMs + limits.takeoverMs;
    const lapsed = { now: now(), runningHere, areCrashes, ...(gone && { gone }) };
    const takenOver = await this.#noting(releaseLapsed(store, lapsed));
    this.counts.takenOver += takenOver;
    this.#claimer.nudge();
  }
}

function shutdown(): TaskStopped {
  return new TaskStopped('shutdown', 'The server is stopping.');
}

function cancelled(): TaskStopped {
  return new TaskStopped('cancel', 'The task was cancelled.');
}

function leaseLost(): TaskStopped {
  return new TaskStopped('lease_lost', 'Another worker has the task now.');
}
