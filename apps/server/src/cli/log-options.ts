/** What `parley logs` and `parley audit` are asked with alike: how many lines, and from which time. */
import { UsageError } from '../config.ts';

/** The most lines that one command prints at once. */
export const MOST_LINES = 10_000;

const DEFAULT_LIMIT = 20;

export function parseLimit(given: unknown): number {
  if (typeof given !== 'string') return DEFAULT_LIMIT;
  const limit = Number(given);
  if (!Number.isInteger(limit) || limit < 0 || limit > MOST_LINES)
    throw new UsageError(`--limit: must be a whole number from 0 to ${MOST_LINES} (got "${given}")`);
  return limit;
}

const UNITS_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, or how long ago it is. */
export function parseTime(flag: 'since' | 'until', given: unknown): number | undefined {
  if (typeof given !== 'string') return undefined;
  const match = /^(\d{1,6})([mhd])$/.exec(given);
  const at =
    match === null ? Date.parse(given) : Date.now() - Number(match[1]) * (UNITS_MS[match[2] ?? ''] ?? 0);
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`--${flag}: must look like 30m, 12h, 7d or 2026-11-16T09:00:00Z (got "${given}")`);
}
