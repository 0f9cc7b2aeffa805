/** When an upstream is asked again, after it has answered or failed. */
import type { UpstreamFailure } from '../upstream.ts';

const EVERY_MS = 5 * 60_000;
/** Nothing is due later: a time beyond it was written before a clock was set back, here or in another process. */
export const FARTHEST_MS = 2 * EVERY_MS;
const FIRST_RETRY_MS = 30_000;
const SHORTEST_TTL_MS = 30_000;
/** An upstream that announces change after change is asked no oftener. */
export const BETWEEN_MS = 1_000;
/** A list that lost all its tools is believed when it is seen again after this time. */
export const EMPTY_MS = 30_000;

/** How an attempt went. */
export interface Attempt {
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  /** True when a change was announced meanwhile. */
  readonly isWanted: boolean;
  /** True when all tools were gone, which has to be seen twice. */
  readonly isEmptied: boolean;
  /** In a row, this one counted. */
  readonly failures: number;
  readonly failedWith: UpstreamFailure['status'] | null;
  readonly ttlMs: number | null;
}

export function nextDue(attempt: Attempt): number {
  const { now, random, isWanted, isEmptied } = attempt;
  if (isWanted) return now + BETWEEN_MS;
  // A little later and never earlier: it counts how far apart the two are.
  if (isEmptied) return now + Math.ceil(EMPTY_MS * (1 + random / 10));
  return now + Math.round(pauseOf(attempt) * (0.9 + random / 5));
}

function pauseOf({ failures, failedWith, ttlMs }: Attempt): number {
  // Only a person can change that, and whoever does asks at once.
  if (failedWith === 'auth_required' || failedWith === 'disabled') return EVERY_MS;
  if (failures > 0) return Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures - 1, 10), EVERY_MS);
  // Zero says that nothing may be kept, which every server says that has no opinion.
  if (ttlMs === null || ttlMs <= 0) return EVERY_MS;
  return Math.min(Math.max(ttlMs, SHORTEST_TTL_MS), EVERY_MS);
}
