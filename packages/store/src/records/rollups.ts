/** Figures of calls between two times, put together from rollups of minutes and hours. */
import type { RecordTable, RollupSlot, ToolSlot } from './record-table.ts';
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

/** The same part by part. */
export interface CallSeriesQuery extends CallStatsQuery {
  readonly since: number;
  readonly until: number;
  /** How long a part is. */
  readonly stepMs: number;
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

/** The figures of one part of the time. */
export interface CallPoint extends CallStats {
  /** When the part begins. */
  readonly at: number;
}

/** The figures of one tool. */
export interface ToolStats extends CallStats {
  readonly toolset: string;
  readonly tool: string;
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
  return statsOf(slots);
}

/** The figures of what is in these slots. */
export function statsOf(slots: readonly RollupSlot[]): CallStats {
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

/** The slot that a call falls into, as the engines count it. */
export function slotOf(durationUs: number): number {
  return Math.floor(Math.log2(durationUs + 1) * 4);
}

/** The figures part by part, those without a call left out; parts shorter than a bucket that is kept are as long as that. */
export async function callSeries(
  table: Pick<RecordTable, 'rollupSeries'>,
  { organizationId, toolset = '', tool = '', since, until, stepMs }: CallSeriesQuery,
  now: number,
): Promise<CallPoint[]> {
  const isFine = stepMs % HOURS.stepMs !== 0 && since >= now - MINUTES.keptMs;
  const unitMs = isFine ? MINUTES.stepMs : HOURS.stepMs;
  const wholeMs = Math.max(unitMs, Math.ceil(stepMs / unitMs) * unitMs);
  const from = Math.floor(since / wholeMs) * wholeMs;
  const span = { stepMs: unitMs, from, to: until + 1 };
  const found = await table.rollupSeries({ organizationId, toolset, tool, ...span });
  const parts = Map.groupBy(found, ({ bucket }) => Math.floor(bucket / wholeMs) * wholeMs);
  return [...parts].map(([at, slots]) => ({ at, ...statsOf(slots) })).toSorted((a, b) => a.at - b.at);
}

/** The figures tool by tool, the most called first. */
export async function toolStats(
  table: Pick<RecordTable, 'rollupTools'>,
  { organizationId, since, until }: { organizationId: string; since: number; until: number },
  now: number,
): Promise<ToolStats[]> {
  const slots: ToolSlot[] = [];
  for (const span of spansOf(since, until, now))
    slots.push(...(await table.rollupTools({ organizationId, ...span })));
  // Neither name has a line end: both come from validated names and patterns of paths.
  const byTool = Map.groupBy(slots, ({ toolset, tool }) => `${toolset}\n${tool}`);
  return [...byTool.values()]
    .map((own) => ({ toolset: own[0]?.toolset ?? '', tool: own[0]?.tool ?? '', ...statsOf(own) }))
    .toSorted((a, b) => b.calls - a.calls);
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
