/** How much pages may send: a bucket of messages per session, and a minute in which violations count. */
import { MemoryWindows, TokenBuckets } from '@parley/http';
import type { AnnotationLimits } from '../limits.ts';

/** Counts what sessions send to this process. */
export class Meter {
  readonly #messages: TokenBuckets;
  readonly #violations = new MemoryWindows({ spanMs: 60_000 });
  readonly #tolerated: number;
  readonly #now: () => number;

  constructor(limits: AnnotationLimits, now: () => number) {
    this.#messages = new TokenBuckets(limits.messagesPerSecond, limits.messageBurst, now);
    this.#tolerated = limits.violationsPerMinute - 1;
    this.#now = now;
  }

  /** Takes one message; false when the session sends too fast. */
  take(sessionId: string): boolean {
    return this.#messages.take(sessionId) === 0;
  }

  /** Notes a violation; true when there were too many in a minute. */
  noteViolation(sessionId: string): boolean {
    return this.#violations.take([{ name: sessionId, limit: this.#tolerated }], this.#now()) > 0;
  }
}
