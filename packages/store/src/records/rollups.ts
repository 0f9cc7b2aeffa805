/** Figures of calls between two times, put together from rollups of minutes and hours. */
import type { RecordTable, RollupSlot } from './record-table.ts';
import { ROLLUPS } from './record-table.ts';

/** Which calls are counted. */
export interface CallStatsQuery {
  readonly organizationId: string;
  /** One toolset or connection, and one of its tools; absent: all of them. */
  readonly toolset?: string;
  readonly tool?: string;
  readonly since?: number;
  readonly until?: number;
}

/** How many calls there were, how many failed, and how long they took. */
export interface CallStats {
  readonly calls: number;
  readonly errors: number;
  readonly averageMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Buckets of one length, from and up to a time. */
export interface Span {
  readonly stepMs: number;
  readonly from: number;
  readonly to: number;
}

const [MINUTES, HOURS] = ROLLUPS;

/** The figures; exact to the minute where minutes are kept, to the hour before. */
export async function callStats(
  table: Pick<RecordTable, 'rollup'>,
  { organizationId, toolset = '', tool = '', since = 0, until = Infinity }: CallStatsQuery,
  now: number,
): Promise<CallStats> {
  const slots: RollupSlot[] = [];
  for (const span of spansOf(since, until, now))
    slots.push(...(await table.rollup({ organizationId, toolset, tool, ...span })));
  const calls = sum(slots, (slot) => slot.calls);
  const totalUs = sum(slots, (slot) => slot.durationUs);
  return {
    calls,
    errors: sum(slots, (slot) => slot.errors),
    averageMs: calls === 0 ? 0 : totalUs / calls / 1000,
    p50Ms: percentile(slots, calls, 0.5),
    p95Ms: percentile(slots, calls, 0.95),
    p99Ms: percentile(slots, calls, 0.99),
  };
}

/** Whole hours, and the minutes before and after them; where minutes are gone, the hour counts as a whole. */
export function spansOf(since: number, until: number, now: number): Span[] {
  const end = Math.min(until, now + HOURS.stepMs);
  const firstMinuteKept = now - MINUTES.keptMs;
  const isFine = (at: number) => at >= firstMinuteKept;
  const fromMinute = Math.floor(since / MINUTES.stepMs) * MINUTES.stepMs;
  const toMinute = (Math.floor(end / MINUTES.stepMs) + 1) * MINUTES.stepMs;
  const firstHour = isFine(since) ? hourAfter(fromMinute - 1) : hourBefore(fromMinute);
  const lastHour = isFine(end) ? hourBefore(toMinute) : hourAfter(toMinute - 1);
  if (firstHour >= lastHour) return nonEmpty([{ stepMs: MINUTES.stepMs, from: fromMinute, to: toMinute }]);
  return nonEmpty([
    { stepMs: MINUTES.stepMs, from: fromMinute, to: firstHour },
    { stepMs: HOURS.stepMs, from: firstHour, to: lastHour },
    { stepMs: MINUTES.stepMs, from: lastHour, to: toMinute },
  ]);
}

function nonEmpty(spans: Span[]): Span[] {
  return spans.filter(({ from, to }) => from < to);
}

function hourBefore(at: number): number {
  return Math.floor(at / HOURS.stepMs) * HOURS.stepMs;
}

function hourAfter(at: number): number {
  return hourBefore(at) + HOURS.stepMs;
}

function sum(slots: readonly RollupSlot[], of: (slot: RollupSlot) => number): number {
  return slots.reduce((total, slot) => total + of(slot), 0);
}

/** The middle of the slot that the share falls into: within a tenth of the exact figure. */
function percentile(slots: readonly RollupSlot[], calls: number, share: number): number {
  const counts = new Map<number, number>();
  for (const { slot, calls: count } of slots) counts.set(slot, (counts.get(slot) ?? 0) + count);
  let left = Math.ceil(calls * share);
  for (const [slot, count] of [...counts].toSorted(([a], [b]) => a - b)) {
    left -= count;
    if (left <= 0) return Math.max(0, 2 ** ((slot + 0.5) / 4) - 1) / 1000;
  }
  return 0;
}
