/** What a store counts of itself, for those who run it. */
import type { UnavailableReason } from './errors.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Spending } from './spending.ts';

const BOUNDS_S = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60];

/** How often something took how long. */
export class Durations {
  /** The upper bounds in seconds; what is beyond the last one counts in one more. */
  readonly boundsS: readonly number[] = BOUNDS_S;
  readonly counts: number[] = Array<number>(BOUNDS_S.length + 1).fill(0);
  sumS = 0;

  observe(ms: number): void {
    const seconds = ms / 1000;
    let place = 0;
    while (place < BOUNDS_S.length && seconds > (BOUNDS_S[place] ?? Infinity)) place += 1;
    this.counts[place] = (this.counts[place] ?? 0) + 1;
    this.sumS += seconds;
  }
}

/** The connections that some statements share, and how long they take. */
export interface LaneFigures {
  /** `general`, `ending` or `records`. */
  readonly lane: string;
  /** How many there may be. */
  readonly size: number;
  readonly busy: number;
  readonly idle: number;
  /** How many wait for one now. */
  readonly waiting: number;
  /** How long whoever had to wait for one did. */
  readonly waits: Durations;
  readonly statements: Durations;
}

/** How signals come from other processes and go to them. */
export interface SignalFigures {
  readonly isBroken: boolean;
  /** How often the link was lost. */
  readonly losses: number;
  readonly sent: number;
  readonly received: number;
}

/** What a store counts. */
export interface StoreFigures {
  /** The database, as OpenTelemetry calls it. */
  readonly system: string;
  readonly lanes: readonly LaneFigures[];
  /** How often the database did not do what it was asked to, by the reason. */
  readonly unavailable: ReadonlyMap<UnavailableReason, number>;
  readonly signals: SignalFigures;
}

/** Measures what goes through the connections of one lane. */
export class LaneMeter {
  readonly waits = new Durations();
  readonly statements = new Durations();
  readonly unavailable = new Map<UnavailableReason, number>();
  readonly #spending: Spending;

  constructor(spending: Spending) {
    this.#spending = spending;
  }

  /** Measures a statement that blocks. */
  blocking<T>(sql: string, run: () => T): T {
    const end = this.#begin();
    try {
      return run();
    } finally {
      end(sql);
    }
  }

  /** Measures a statement. */
  async statement<T>(sql: string, run: () => Promise<T>): Promise<T> {
    const end = this.#begin();
    try {
      return await run();
    } finally {
      end(sql);
    }
  }

  /** Measures the wait for a connection or a lock. */
  async wait<T>(waiting: Promise<T>): Promise<T> {
    const startMs = performance.now();
    const end = this.#spending.current()?.begin('queue');
    try {
      return await waiting;
    } finally {
      this.waits.observe(performance.now() - startMs);
      end?.('connection');
    }
  }

  /** Counts an error, and returns it. */
  counted<E>(error: E): E {
    if (error instanceof StoreUnavailableError)
      this.unavailable.set(error.reason, (this.unavailable.get(error.reason) ?? 0) + 1);
    return error;
  }

  #begin(): (sql: string) => void {
    const startMs = performance.now();
    const spent = this.#spending.current();
    const end = spent?.begin('database');
    return (sql) => {
      this.statements.observe(performance.now() - startMs);
      // Only a trace shows the word.
      end?.(spent?.stretches === undefined ? '' : firstWord(sql));
    };
  }
}

/** What a statement does; its text and values are nobody's business. */
function firstWord(sql: string): string {
  return /^\s{0,100}([a-z]{1,20})/i.exec(sql)?.[1]?.toLowerCase() ?? 'statement';
}

/** All lanes together. */
export function unavailableOf(meters: readonly LaneMeter[]): ReadonlyMap<UnavailableReason, number> {
  const all = new Map<UnavailableReason, number>();
  for (const { unavailable } of meters)
    for (const [reason, count] of unavailable) all.set(reason, (all.get(reason) ?? 0) + count);
  return all;
}
