/** How much one page may send: a bucket of messages, and a count of violations. */
import type { AnnotationLimits } from '../limits.ts';

const MINUTE_MS = 60_000;

/** Counts what one session sends to this process. */
export class Meter {
  readonly #limits: AnnotationLimits;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;
  #violations: number[] = [];

  constructor(limits: AnnotationLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#tokens = limits.messageBurst;
    this.#filledAt = now();
  }

  /** True when it has nothing to remember any more. */
  isIdle(): boolean {
    return this.#now() - this.#filledAt > MINUTE_MS;
  }

  /** Takes one message; false when the page sends too fast. */
  take(): boolean {
    const now = this.#now();
    const { messagesPerSecond, messageBurst } = this.#limits;
    const earned = ((now - this.#filledAt) / 1000) * messagesPerSecond;
    this.#tokens = Math.min(messageBurst, this.#tokens + earned);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Notes a violation; true when there were too many in a minute. */
  isTooMuch(): boolean {
    const now = this.#now();
    this.#violations = [...this.#violations.filter((at) => now - at < MINUTE_MS), now];
    return this.#violations.length >= this.#limits.violationsPerMinute;
  }
}
