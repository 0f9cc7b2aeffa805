/** How often one address may write; kept in this process, since it only has to slow down a nuisance. */

/** Counts what each key did within the last while. */
export interface RateLimit {
  /** Counts one more; answers undefined when it may pass, else the seconds to wait. */
  take(key: string): number | undefined;
}

const MAX_KEYS = 10_000;

/** Creates a limit over a sliding window. */
export function createRateLimit(rule: { max: number; windowMs: number; now: () => number }): RateLimit {
  const { max, windowMs, now } = rule;
  const taken = new Map<string, number[]>();
  return {
    take(key) {
      const at = now();
      const recent = (taken.get(key) ?? []).filter((time) => time > at - windowMs && time <= at);
      const [oldest] = recent;
      if (recent.length >= max && oldest !== undefined)
        return Math.max(1, Math.ceil((oldest + windowMs - at) / 1000));
      // Moved to the end, so that the first one is the one that was quiet for longest.
      taken.delete(key);
      taken.set(key, [...recent, at]);
      const [first] = taken.keys();
      if (taken.size > MAX_KEYS && first !== undefined) taken.delete(first);
      return undefined;
    },
  };
}
