/** What a sliding window is: so many hits in any span of time. */

/** How long a hit counts. */
export interface Span {
  readonly spanMs: number;
  /** Hits of one step leave together, which keeps few numbers for many hits; 0 by default: each leaves on its own. */
  readonly stepMs?: number;
}

/** A minute; hits leave by the second. */
export const MINUTE = { spanMs: 60_000, stepMs: 1000 } as const;

/** What is counted for a request, and how much of it one window may hold. */
export interface Share {
  readonly name: string;
  readonly limit: number;
}

/** Counts requests. */
export interface RateCounter {
  /** Counts one hit in each share; 0 when all were within their limits, else how long to wait. */
  take(shares: readonly Share[], nowMs: number): number | Promise<number>;
  /** Forgets who has not come for the whole span. */
  sweep(nowMs: number): void | Promise<void>;
}

/** Hits that leave a window together. */
export interface Hits {
  readonly leaveMs: number;
  readonly count: number;
}

/** When a hit of this moment leaves: its step is over, and the span after it. */
export function leaveMsOf({ spanMs, stepMs = 0 }: Span, nowMs: number): number {
  return (stepMs === 0 ? nowMs : (Math.floor(nowMs / stepMs) + 1) * stepMs) + spanMs;
}

/** How long until one more hit fits; hits are in the order in which they leave. */
export function waitMsOf(hits: readonly Hits[], limit: number, nowMs: number): number {
  let left = hits.reduce((sum, { count }) => sum + count, 0);
  if (left < limit) return 0;
  for (const { leaveMs, count } of hits) {
    left -= count;
    if (left < limit) return Math.max(1, leaveMs - nowMs);
  }
  // A limit of nothing lets nothing through, however long somebody waits.
  return MINUTE.spanMs;
}
