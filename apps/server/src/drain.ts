/** How long a server that is told to stop answers on: long enough for a balancer to notice, and not longer. */
import type { Config } from './config.ts';

const LEAST_MS = 1_000;
const MOST_MS = 10_000;
/** A question that is older says nothing about who asks now. */
const FORGOTTEN_MS = 60_000;
const REMEMBERED = 8;

/** When `/ready` was asked for lately. */
export interface Asked {
  note(): void;
  /** The longest wait between two of the last questions; undefined when nobody asks again and again. */
  everyMs(): number | undefined;
}

/** Remembers the last questions, however many ask. */
export function createAsked(now: () => number = () => performance.now()): Asked {
  const times: number[] = [];
  return {
    note() {
      times.push(now());
      if (times.length > REMEMBERED) times.shift();
    },
    everyMs() {
      const since = now() - FORGOTTEN_MS;
      const recent = times.filter((at) => at >= since);
      const waits = recent.slice(1).map((at, index) => at - (recent[index] ?? at));
      return waits.length === 0 ? undefined : Math.max(...waits);
    },
  };
}

/** What was set; else, where others can take over, twice the time between two questions for `/ready`. */
export function drainMsOf(
  { drainMs, areMany }: Config['replicas'],
  askedEveryMs: number | undefined,
): number {
  if (drainMs !== undefined) return drainMs;
  if (!areMany) return 0;
  return Math.min(MOST_MS, Math.max(LEAST_MS, 2 * (askedEveryMs ?? 0)));
}
