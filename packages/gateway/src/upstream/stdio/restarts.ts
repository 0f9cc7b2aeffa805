/** When a program that crashed may be started again. */
import type { ProgramTimes } from './times.ts';
import { MOST_CRASHES } from './times.ts';

export class Restarts {
  readonly #times: ProgramTimes;
  readonly #now: () => number;
  #crashes: number[] = [];

  constructor(times: ProgramTimes, now: () => number) {
    this.#times = times;
    this.#now = now;
  }

  crashed(): void {
    this.#crashes = [...this.#recent(), this.#now()];
  }

  /** The time until the next start: none, or one that each crash of the last minutes has doubled. */
  waitMs(): number {
    const recent = this.#recent();
    const last = recent.at(-1);
    if (last === undefined) return 0;
    const { backoffMs, mostBackoffMs } = this.#times;
    const delayMs = Math.min(backoffMs * 2 ** (recent.length - 1), mostBackoffMs);
    // A clock that was set back must not keep a program from ever starting.
    return Math.max(0, Math.min(delayMs, last + delayMs - this.#now()));
  }

  /** True: whoever calls before the next start is told so at once instead of being kept waiting. */
  get areTooMany(): boolean {
    return this.#recent().length >= MOST_CRASHES;
  }

  get isClean(): boolean {
    return this.#recent().length === 0;
  }

  #recent(): number[] {
    const since = this.#now() - this.#times.crashWindowMs;
    return this.#crashes.filter((at) => at > since);
  }
}
