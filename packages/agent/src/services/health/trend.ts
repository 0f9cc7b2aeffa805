/** The formula of a trend: the newer half of the values against the older one. */

export type Trend = 'improving' | 'stable' | 'regressing' | 'unknown';

/** Of values in the order of time; fewer is better. */
export function trendOf(values: readonly number[]): Trend {
  if (values.length < 2) return 'unknown';
  const half = Math.ceil(values.length / 2);
  const older = mean(values.slice(0, half));
  const change = mean(values.slice(half)) - older;
  if (Math.abs(change) < Math.max(1, older / 10)) return 'stable';
  return change < 0 ? 'improving' : 'regressing';
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
