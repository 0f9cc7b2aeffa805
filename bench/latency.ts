/** Owns what a row of measured times is told as. */

/** Times of one thing done many times. */
export interface Latency {
  count: number;
  p50Ms: number;
  p99Ms: number;
}

/** The middle and the slow end of some times. */
export function latencyOf(timesMs: readonly number[]): Latency {
  const sorted = timesMs.toSorted((left, right) => left - right);
  return { count: sorted.length, p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) };
}

/** What all but the slowest twentieth stay under. */
export function p95Of(timesMs: readonly number[]): number {
  return quantile(
    timesMs.toSorted((left, right) => left - right),
    0.95,
  );
}

function quantile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  if (value === undefined) throw new Error('Nothing was timed, so there is no latency to tell.');
  return Number(value.toFixed(2));
}
