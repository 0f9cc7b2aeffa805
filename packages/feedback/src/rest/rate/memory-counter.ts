/** Counts in the memory of this process: enough where one process serves, as over SQLite. */
import type { RateCounter, Window } from './window.ts';
import { shifted, SLOTS, slotOf, waitMs } from './window.ts';

const MAX_BUCKETS = 100_000;
const EMPTY = Array<number>(SLOTS).fill(0);

/** Creates an empty counter. */
export function createMemoryCounter(): RateCounter {
  const windows = new Map<string, Window>();

  const forget = (nowMs: number) => {
    const oldest = slotOf(nowMs) - SLOTS;
    for (const [name, { slot }] of windows) if (slot <= oldest) windows.delete(name);
  };
  const hit = (name: string, limit: number, nowMs: number): number => {
    const slot = slotOf(nowMs);
    const now = shifted(windows.get(name) ?? { slot, counts: EMPTY }, slot);
    if (now.counts.reduce((sum, count) => sum + count, 0) >= limit) return waitMs(now, limit, nowMs);
    if (!windows.has(name) && windows.size >= MAX_BUCKETS) forget(nowMs);
    // Everyone starts anew after this; better than growing without end.
    if (windows.size >= MAX_BUCKETS) windows.clear();
    windows.set(name, { ...now, counts: now.counts.with(SLOTS - 1, (now.counts[SLOTS - 1] ?? 0) + 1) });
    return 0;
  };
  return {
    take: (buckets, nowMs) => Math.max(...buckets.map(({ name, limit }) => hit(name, limit, nowMs))),
    sweep: async (nowMs) => forget(nowMs),
  };
}
