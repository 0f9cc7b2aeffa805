/** Where the time of one piece of work goes: counted by whoever keeps it waiting, without being told whose time it is. */
import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * What work waits for. `queue`: a connection, a lock or a place; `database`: statements and commits; `upstream`:
 * another server; `purpose`: what it was called to wait for, such as a change, a task or an answer.
 */
export type SpentOn = 'queue' | 'database' | 'upstream' | 'purpose';

/** One time that the work waited. */
export interface Stretch {
  readonly on: SpentOn;
  /** The word for it: the first one of a statement, or what was asked of another server. */
  readonly what: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** A call of one statement after the other could keep any number. */
const MOST_STRETCHES = 128;

interface Running {
  count: number;
  sinceMs: number;
  totalMs: number;
}

const idle = (): Running => ({ count: 0, sinceMs: 0, totalMs: 0 });

/** The time of one piece of work. What goes on at once for the same reason counts once. */
export class Spent {
  /** By `performance.now()`. */
  readonly startedMs = performance.now();
  /** How long it took to find out who calls and whether they may; nothing of that is in the other figures. */
  admitMs = 0;
  /** The first of them, where somebody wants to show them. */
  readonly stretches: Stretch[] | undefined;
  /** How many more there were. */
  untoldStretches = 0;
  #on: Record<SpentOn, Running> = {
    queue: idle(),
    database: idle(),
    upstream: idle(),
    purpose: idle(),
  };

  constructor({ keepsStretches = false }: { readonly keepsStretches?: boolean } = {}) {
    if (keepsStretches) this.stretches = [];
  }

  /** Begins to wait; returns the function that ends it, which is given the word for it. */
  begin(on: SpentOn): (what: string) => void {
    const running = this.#on[on];
    const startMs = performance.now();
    if (running.count === 0) running.sinceMs = startMs;
    running.count += 1;
    return (what) => {
      const endMs = performance.now();
      running.count -= 1;
      if (running.count === 0) running.totalMs += endMs - running.sinceMs;
      if (this.stretches === undefined) return;
      if (this.stretches.length < MOST_STRETCHES) this.stretches.push({ on, what, startMs, endMs });
      else this.untoldStretches += 1;
    };
  }

  /** How much of the time went there so far. */
  msOn(on: SpentOn): number {
    const { count, sinceMs, totalMs } = this.#on[on];
    return count === 0 ? totalMs : totalMs + performance.now() - sinceMs;
  }

  /** Says that it is known who calls: all until now was for that. */
  admitted(): void {
    this.admitMs = performance.now() - this.startedMs;
    this.#on = { queue: idle(), database: idle(), upstream: idle(), purpose: idle() };
  }
}

/** Finds the piece of work that goes on. Off until somebody wants to know, and then free where nothing is begun. */
export class Spending {
  #storage: AsyncLocalStorage<Spent | undefined> | undefined;
  #keepsStretches = false;

  /** Counts from now on; with every stretch where traces show them. */
  turnOn({ keepsStretches = false }: { readonly keepsStretches?: boolean } = {}): void {
    this.#storage ??= new AsyncLocalStorage();
    this.#keepsStretches ||= keepsStretches;
  }

  /** A new piece of work; undefined while nobody wants to know. */
  begin(): Spent | undefined {
    return this.#storage && new Spent({ keepsStretches: this.#keepsStretches });
  }

  /** Runs `work`, whose time is that of `spent`; undefined: nobody's. */
  within<T>(spent: Spent | undefined, work: () => T): T {
    return this.#storage === undefined ? work() : this.#storage.run(spent, work);
  }

  /** The piece of work that this code runs for. */
  current(): Spent | undefined {
    return this.#storage?.getStore();
  }

  /** Counts the wait for a promise. */
  async wait<T>(on: SpentOn, what: string, waiting: Promise<T>): Promise<T> {
    const end = this.current()?.begin(on);
    if (end === undefined) return waiting;
    try {
      return await waiting;
    } finally {
      end(what);
    }
  }
}
