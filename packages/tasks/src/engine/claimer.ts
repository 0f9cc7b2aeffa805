/** The looks of a worker for work: many reasons to look make one look, and one timer wakes it for the nearest due time. */
import type { Store } from '@parley/store';
import type { PoolName, TaskRow } from '../schema.ts';
import type { ClaimRequest, Look } from './claim.ts';
import { claimDue, giveTurns, lookForWork } from './claim.ts';
import type { Pool } from './pools.ts';
import type { ProcessPlaces } from './process-places.ts';
import { organizationsOf } from './running.ts';
import type { UnheardClaims } from './unheard-claims.ts';

export interface ClaimerOptions {
  readonly store: Store;
  readonly workerId: string;
  readonly places: ProcessPlaces;
  readonly claims: UnheardClaims;
  readonly leaseMs: number;
  readonly suspectCrashes: number;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  /** The pools with the kinds that are run here. */
  pools(): readonly Pool[];
  /** Whether a task runs here whose earlier runs ended with their worker, perhaps because of the task. */
  hasSuspect(): boolean;
  /** Runs a task that was claimed; its place is taken. */
  adopt(row: TaskRow): void;
}

// Longer timers overflow; waking once in a while to look again is fine.
const MAX_TIMER_MS = 60 * 60_000;

/** What stands in line as far as a process knows. */
export interface Line {
  readonly count: number;
  readonly organizations: readonly string[];
}

const EMPTY: Line = { count: 0, organizations: [] };

/** Looks for due tasks and claims them. */
export class Claimer {
  readonly #options: ClaimerOptions;
  /** The highest turn that was served here: nobody who comes later is served before it. */
  readonly #served = new Map<PoolName, number>();
  #pass: Promise<void> | undefined;
  #again = false;
  #isOpen = false;
  /** Whether something was left waiting at the last look. */
  #isSomeWaiting = false;
  readonly #lines = new Map<PoolName, Line>();
  #dueTimer: NodeJS.Timeout | undefined;

  constructor(options: ClaimerOptions) {
    this.#options = options;
  }

  open(): void {
    this.#isOpen = true;
    this.nudge();
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    clearTimeout(this.#dueTimer);
    await this.#pass;
  }

  /** The highest turn of a pool that was served here. */
  servedIn({ name }: Pool): number {
    return this.#served.get(name) ?? 0;
  }

  /** Those of a pool that wait for a place that they may have, as far as the last look told. */
  lineOf({ name }: Pool): Line {
    return this.#lines.get(name) ?? EMPTY;
  }

  /** What a claim of as many would ask for now. */
  request(pool: Pool, room: number, organizations: readonly string[]): ClaimRequest {
    const { workerId, suspectCrashes, leaseMs, now } = this.#options;
    const leaseUntil = now() + leaseMs;
    const hasSuspect = this.#options.hasSuspect();
    return { workerId, pool, room, organizations, leaseUntil, suspectCrashes, hasSuspect };
  }

  /** Runs what was claimed, in places that were taken for it. */
  adoptAll(pool: Pool, rows: readonly TaskRow[]): void {
    const served = Math.max(this.servedIn(pool), ...rows.map((row) => row.served_turn ?? 0));
    this.#served.set(pool.name, served);
    const { count, organizations } = this.lineOf(pool);
    this.#lines.set(pool.name, { count: Math.max(0, count - rows.length), organizations });
    for (const row of rows) this.#options.adopt(row);
  }

  /** New ones stand in line, for the places of this process. */
  lined(pool: Pool, rows: readonly TaskRow[]): void {
    const { count, organizations } = this.lineOf(pool);
    const all = new Set([...organizations, ...organizationsOf(rows)]);
    this.#lines.set(pool.name, { count: count + rows.length, organizations: [...all] });
  }

  /** A place became free; nobody needs to look when nobody waits for it. */
  freed(): void {
    if (this.#isSomeWaiting) this.nudge();
  }

  /** Looks soon. */
  nudge(): void {
    if (!this.#isOpen) return;
    if (this.#pass !== undefined) {
      this.#again = true;
      return;
    }
    // A turn of the event loop between two looks: a long queue of short tasks must not keep others waiting.
    this.#pass = this.#options.store.spending
      .within(undefined, () => new Promise(setImmediate).then(() => this.#look()))
      .catch((error: unknown) => this.#options.onFault(error, 'task claim'))
      .finally(() => {
        this.#pass = undefined;
        if (!this.#again) return;
        this.#again = false;
        this.nudge();
      });
  }

  async #look(): Promise<void> {
    const { store, now, pools } = this.#options;
    const able = pools().filter(({ kinds }) => kinds.length > 0);
    if (able.length === 0) return;
    // Before the look, so that what comes while it runs is not forgotten.
    this.#isSomeWaiting = true;
    const at = now();
    const { looks, nextDueAt } = await lookForWork(store, able, at);
    this.#isSomeWaiting = looks.some(({ due, head }) => due > 0 || head !== null);
    for (const { pool: name, due, inLine, organizations } of looks)
      this.#lines.set(name, { count: due + inLine, organizations });
    for (const pool of able) {
      const look = looks.find(({ pool: name }) => name === pool.name);
      if (look !== undefined && look.due + look.inLine > 0) await this.#claimIn(pool, look, at);
    }
    this.#wakeAt(nextDueAt);
  }

  async #claimIn(pool: Pool, { head, due, inLine, organizations }: Look, at: number): Promise<void> {
    const { store, places, claims } = this.#options;
    const room = places.take(pool, due + inLine);
    if (room === 0) return;
    let began = 0;
    try {
      const served = Math.max(this.#served.get(pool.name) ?? 0, (head ?? 1) - 1);
      if (due > 0) await giveTurns(store, { pool, now: at, served });
      this.#served.set(pool.name, served);
      await claims.during(async () => {
        const rows = await claimDue(store, this.request(pool, room, organizations));
        began = rows.length;
        this.adoptAll(pool, rows);
      });
      // There may be more than one look counts.
      if (began > 0) this.#again = true;
    } finally {
      places.giveBack(pool.name, room - began);
    }
  }

  /** One timer for the nearest due time after the last look, however many tasks wait. */
  #wakeAt(dueAt: number | null): void {
    clearTimeout(this.#dueTimer);
    if (dueAt === null || !this.#isOpen) return;
    const waitMs = Math.min(Math.max(1, dueAt - this.#options.now()), MAX_TIMER_MS);
    this.#dueTimer = setTimeout(() => this.nudge(), waitMs).unref();
  }
}
