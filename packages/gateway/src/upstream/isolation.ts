/** Keeps one upstream from harming the others: a place for each call, and a breaker for what fails too often. */
import type { BreakerState } from './breaker.ts';
import { Breaker } from './breaker.ts';
import { Bulkhead } from './bulkhead.ts';
import { breakerOpen, tooBusy } from './errors.ts';
import type { FaultKind, UpstreamFault } from './link.ts';

/** How a call ended, as far as the breaker cares: `neither` says nothing about the upstream. */
export type Ending = 'ok' | 'failed' | 'neither';

export interface IsolationOptions {
  readonly now?: () => number;
  /** Told when the breaker of a connection has another state. */
  onChange?(connectionId: string, state: BreakerState): void;
  readonly limits?: Partial<IsolationLimits>;
}

export interface IsolationLimits {
  readonly inFlight: number;
  readonly waiting: number;
  readonly waitMs: number;
}

const LIMITS: IsolationLimits = { inFlight: 64, waiting: 256, waitMs: 5_000 };

/** What is not the upstream's failing: its own words, what the caller did, and what this server forbids. */
const ENDINGS: Readonly<Record<FaultKind, Ending>> = {
  unreachable: 'failed',
  timeout: 'failed',
  broken: 'failed',
  invalid_result: 'failed',
  dropped: 'failed',
  auth_required: 'ok',
  forbidden: 'ok',
  rate_limited: 'ok',
  rpc: 'ok',
  not_allowed: 'neither',
  changed: 'neither',
};

/** What a fault says about the health of its upstream. */
export function endingOf({ kind, isOfCaller, isRefusal }: UpstreamFault): Ending {
  if (isOfCaller) return 'neither';
  return isRefusal ? 'ok' : ENDINGS[kind];
}

/** The way of calls to one connection. */
export class Lane {
  readonly #breaker: Breaker;
  readonly #bulkhead: Bulkhead;

  constructor(breaker: Breaker, bulkhead: Bulkhead) {
    this.#breaker = breaker;
    this.#bulkhead = bulkhead;
  }

  get state(): BreakerState {
    return this.#breaker.state;
  }

  /** Takes a place, at once where there is one; throws `unavailable` or `rate_limited`. Whoever has entered leaves. */
  enter(title: string, signal: AbortSignal): Promise<void> | undefined {
    const waitMs = this.#breaker.admit();
    if (waitMs !== undefined) throw breakerOpen(title, waitMs);
    try {
      const waiting = this.#bulkhead.enter(signal, () => tooBusy(title));
      return waiting?.catch((error: unknown) => this.#gaveUp(error));
    } catch (error) {
      return this.#gaveUp(error);
    }
  }

  /** Gives the place back. */
  leave(ending: Ending): void {
    this.#bulkhead.leave();
    this.#breaker.count(ending);
  }

  /** Gives the place back while the call goes on, because it waits for a person. */
  stepAside(): void {
    this.#bulkhead.leave();
    // Whoever asks a question is well.
    this.#breaker.count('ok');
  }

  /** Counts how a call ended that had stepped aside. */
  count(ending: Ending): void {
    this.#breaker.count(ending);
  }

  reset(): void {
    this.#breaker.reset();
  }

  #gaveUp(error: unknown): never {
    this.#breaker.count('neither');
    throw error;
  }
}

/** The lanes of all connections. */
export interface Isolation {
  lane(connectionId: string): Lane;
  /** The state of a breaker, without making one. */
  stateOf(connectionId: string): BreakerState;
  /** Lets the next call through. */
  reset(connectionId: string): void;
  /** Drops what is known of a connection that is gone. */
  forget(connectionId: string): void;
}

/** Pauses are measured, not dated: a clock that is set back must not keep a breaker open. */
const measured = () => performance.now();

export function createIsolation({ now = measured, onChange, limits }: IsolationOptions = {}): Isolation {
  const lanes = new Map<string, Lane>();
  const all = { ...LIMITS, ...limits };
  return {
    lane(connectionId) {
      const known = lanes.get(connectionId);
      if (known !== undefined) return known;
      const tell = (state: BreakerState) => onChange?.(connectionId, state);
      const lane = new Lane(new Breaker(now, tell), new Bulkhead(all));
      lanes.set(connectionId, lane);
      return lane;
    },
    stateOf: (connectionId) => lanes.get(connectionId)?.state ?? 'closed',
    reset: (connectionId) => lanes.get(connectionId)?.reset(),
    forget: (connectionId) => lanes.delete(connectionId),
  };
}
