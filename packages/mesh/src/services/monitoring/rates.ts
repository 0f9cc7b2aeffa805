/** How many calls there were part by part, how many failed and how long they took: from rollups, or by a walk over the records. */
import type { CallStats, RecordFilter, RecordLog } from '@parley/store';
import { slotOf, statsOf } from '@parley/store';
import { connectionIdOf } from './connection-ids.ts';
import { walkRecords } from './scan.ts';
import type { TitlesOf } from './titles.ts';

/** Which part of the time, and in about how many parts. */
export interface RatesQuery {
  readonly since: number;
  readonly until: number;
  readonly parts: number;
}

export interface ToolRate extends CallStats {
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
}

export interface Rates {
  readonly stepMs: number;
  readonly stats: CallStats;
  /** Parts without a call are left out. */
  readonly points: (CallStats & { readonly at: string })[];
  /** The most called ones. */
  readonly tools: ToolRate[];
  /** True when not all records could be looked at. */
  readonly partial: boolean;
}

const MINUTE = 60_000;
const STEPS_MS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080].map(
  (minutes) => minutes * MINUTE,
);
const MOST_TOOLS = 50;

export async function readRates(
  { records, titlesOf }: { readonly records: RecordLog; readonly titlesOf: TitlesOf },
  filter: RecordFilter,
  { since, until, parts }: RatesQuery,
): Promise<Rates> {
  const wanted = (until - since) / parts;
  const stepMs = STEPS_MS.find((step) => step >= wanted) ?? Math.ceil(wanted / MINUTE) * MINUTE;
  const { organizationId, toolset, tool, ...rest } = filter;
  // Rollups know the tools of a connection one by one, and all calls together.
  const isRolledUp = Object.keys(rest).length === 0 && (toolset === undefined) === (tool === undefined);
  const found = isRolledUp
    ? await rolledUp(records, filter, { since, until, stepMs })
    : await walked(records, { ...filter, since, until }, stepMs);
  const shown = found.tools.slice(0, MOST_TOOLS);
  const titles = await titlesOf(
    organizationId,
    shown.map((each) => each.toolset),
  );
  return {
    stepMs,
    stats: found.stats,
    points: found.points.map(({ at, ...stats }) => ({ at: new Date(at).toISOString(), ...stats })),
    tools: shown.map(({ toolset: place, tool: toolName, ...stats }) => ({
      connectionId: connectionIdOf(organizationId, place),
      connectionTitle: titles.get(place) ?? null,
      toolName,
      ...stats,
    })),
    partial: found.partial,
  };
}

interface Found {
  readonly stats: CallStats;
  readonly points: (CallStats & { readonly at: number })[];
  readonly tools: (CallStats & { readonly toolset: string; readonly tool: string })[];
  readonly partial: boolean;
}

async function rolledUp(
  records: RecordLog,
  { organizationId, toolset, tool }: RecordFilter,
  { since, until, stepMs }: { since: number; until: number; stepMs: number },
): Promise<Found> {
  const one = toolset === undefined || tool === undefined ? {} : { toolset, tool };
  const time = { organizationId, since, until };
  const stats = await records.stats({ ...time, ...one });
  const points = await records.series({ ...time, ...one, stepMs });
  const all = await records.toolStats(time);
  const tools =
    tool === undefined ? all : all.filter((each) => each.toolset === toolset && each.tool === tool);
  return { stats, points, tools, partial: false };
}

async function walked(records: RecordLog, filter: RecordFilter, stepMs: number): Promise<Found> {
  const all = new Slots();
  const points = new Map<number, Slots>();
  const tools = new Map<string, Slots & { toolset?: string; tool?: string }>();
  const partial = await walkRecords(
    (page) => records.list({ ...filter, ...page }),
    ({ at, durationUs, outcome, toolset, tool }) => {
      const isError = outcome === 'error' || outcome === 'denied';
      all.add(durationUs, isError);
      entryOf(points, Math.floor(at / stepMs) * stepMs).add(durationUs, isError);
      const own = entryOf(tools, `${toolset}\n${tool}`);
      own.add(durationUs, isError);
      Object.assign(own, { toolset, tool });
    },
  );
  return {
    stats: all.stats(),
    points: [...points].map(([at, slots]) => ({ at, ...slots.stats() })).toSorted((a, b) => a.at - b.at),
    tools: [...tools.values()]
      .map((slots) => ({ toolset: slots.toolset ?? '', tool: slots.tool ?? '', ...slots.stats() }))
      .toSorted((a, b) => b.calls - a.calls),
    partial,
  };
}

/** Counts by how long calls took, as rollups keep them. */
class Slots {
  readonly #slots = new Map<number, { slot: number; calls: number; errors: number; durationUs: number }>();

  add(durationUs: number, isError: boolean): void {
    const slot = slotOf(durationUs);
    const entry = this.#slots.get(slot) ?? { slot, calls: 0, errors: 0, durationUs: 0 };
    entry.calls += 1;
    entry.errors += isError ? 1 : 0;
    entry.durationUs += durationUs;
    this.#slots.set(slot, entry);
  }

  stats(): CallStats {
    return statsOf([...this.#slots.values()]);
  }
}

function entryOf<Key>(map: Map<Key, Slots>, key: Key): Slots {
  const known = map.get(key) ?? new Slots();
  map.set(key, known);
  return known;
}
