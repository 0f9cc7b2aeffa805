/** A breaker: after too many failures an upstream is left alone for a while, and then tried with one call. */

/** `closed`: calls pass. `open`: they fail at once. `half-open`: one call tries whether it works again. */
export type BreakerState = 'closed' | 'open' | 'half-open';

const IN_A_ROW = 5;
const SAMPLES = 20;
const SHARE = 0.5;
const WINDOW_MS = 30_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 5 * 60_000;
/** What those are told who come while one call tries. */
const PROBE_MS = 1_000;

export class Breaker {
  readonly #now: () => number;
  readonly #onChange: (state: BreakerState) => void;
  #state: BreakerState = 'closed';
  #failuresInARow = 0;
  /** The last outcomes, oldest first at `#at`: when each was, negative for a failure. */
  readonly #outcomes = new Float64Array(SAMPLES);
  #at = 0;
  #seen = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #openUntil = 0;
  #isProbing = false;

  constructor(now: () => number, onChange: (state: BreakerState) => void = () => undefined) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** Undefined: the call may pass, and is counted when it has ended. Else the time after which to try again. */
  admit(): number | undefined {
    if (this.#state === 'closed') return undefined;
    const leftMs = this.#openUntil - this.#now();
    if (leftMs > 0) return leftMs;
    if (this.#isProbing) return PROBE_MS;
    this.#isProbing = true;
    this.#become('half-open');
    return undefined;
  }

  /** Counts how a call ended. */
  count(ending: 'ok' | 'failed' | 'neither'): void {
    if (this.#state !== 'closed') return this.#afterProbe(ending);
    if (ending === 'neither') return;
    this.#note(ending === 'failed');
    if (ending === 'ok') {
      this.#failuresInARow = 0;
      return;
    }
    this.#failuresInARow += 1;
    if (this.#failuresInARow >= IN_A_ROW || this.#isHalfFailing()) this.#open(FIRST_PAUSE_MS);
  }

  reset(): void {
    this.#failuresInARow = 0;
    this.#seen = 0;
    this.#isProbing = false;
    this.#become('closed');
  }

  /** Calls that began before it opened end in between; only the one that tries decides. */
  #afterProbe(ending: 'ok' | 'failed' | 'neither'): void {
    if (!this.#isProbing) return;
    this.#isProbing = false;
    if (ending === 'ok') this.reset();
    else if (ending === 'failed') this.#open(Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS));
    // Else the next call tries.
  }

  #open(pauseMs: number): void {
    this.#pauseMs = pauseMs;
    this.#openUntil = this.#now() + pauseMs;
    this.#become('open');
  }

  #become(state: BreakerState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#onChange(state);
  }

  #note(isFailure: boolean): void {
    this.#outcomes[this.#at] = isFailure ? -this.#now() : this.#now();
    this.#at = (this.#at + 1) % SAMPLES;
    if (this.#seen < SAMPLES) this.#seen += 1;
  }

  #isHalfFailing(): boolean {
    const oldest = Math.abs(this.#outcomes[this.#at] ?? 0);
    if (this.#seen < SAMPLES || this.#now() - oldest > WINDOW_MS) return false;
    let failures = 0;
    for (const outcome of this.#outcomes) if (outcome < 0) failures += 1;
    return failures >= SAMPLES * SHARE;
  }
}
