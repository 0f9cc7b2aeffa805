/** A sliding window of one minute, counted in steps of a second. */

/** Seconds that still count: a minute, and the one that is not over yet. */
export const SLOTS = 61;

/** Hits of one client. */
export interface Window {
  /** The second of the last count. */
  readonly slot: number;
  /** Hits per second, oldest first; always `SLOTS` of them. */
  readonly counts: readonly number[];
}

/** What is counted for a request, and how much of it one minute may hold. */
export interface Bucket {
  readonly name: string;
  readonly limit: number;
}

/** Counts requests. */
export interface RateCounter {
  /** Counts one hit in each bucket; 0 when all were within their limits, else how long to wait. */
  take(buckets: readonly Bucket[], nowMs: number): number | Promise<number>;
  /** Forgets who has not come for a minute. */
  sweep(nowMs: number): Promise<void>;
}

/** The second that a moment lies in. */
export function slotOf(nowMs: number): number {
  return Math.floor(nowMs / 1000);
}

/** How long until one more hit fits; hits leave the window with their second. */
export function waitMs({ slot, counts }: Window, limit: number, nowMs: number): number {
  let left = counts.reduce((sum, count) => sum + count, 0);
  for (const [at, count] of counts.entries()) {
    left -= count;
    if (left < limit) return Math.max(1, (slot + at + 1) * 1000 - nowMs);
  }
  return SLOTS * 1000;
}

/** The window as it stands at a later second. */
export function shifted({ slot, counts }: Window, nowSlot: number): Window {
  const gap = Math.min(Math.max(nowSlot - slot, 0), SLOTS);
  if (gap === 0) return { slot, counts };
  return { slot: nowSlot, counts: [...counts.slice(gap), ...Array<number>(gap).fill(0)] };
}
