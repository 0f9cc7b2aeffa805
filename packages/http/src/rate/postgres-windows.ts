/** Windows of a minute that replicas share: one statement per request, one small row per client. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { RateWindowRow } from '../tables.ts';
import { rateTable } from '../tables.ts';
import type { Hits, RateCounter, Share } from './window.ts';
import { leaveMsOf, MINUTE, waitMsOf } from './window.ts';

const MAX_CLOSED = 10_000;
/** Seconds that still count: a minute, and the one that is not over yet. */
const SLOTS = MINUTE.spanMs / MINUTE.stepMs + 1;

/** Creates a counter on the table of a toolset that `createRestTables` made. */
export function createPostgresWindows(store: Store, toolset: string): RateCounter {
  const table = rateTable(toolset);
  // Hits only leave with time, so who was refused until then needs no statement.
  const closedUntil = new Map<string, number>();

  function knownWait(shares: readonly Share[], nowMs: number): number {
    const waits = shares.map(({ name }) => (closedUntil.get(name) ?? 0) - nowMs);
    return Math.max(0, ...waits);
  }

  return {
    async take(shares, nowMs) {
      const known = knownWait(shares, nowMs);
      if (known > 0) return known;
      const rows = await hit(store, table, shares, slotOf(nowMs));
      let longest = 0;
      for (const { bucket, slot, counts, max_hits, is_open } of rows) {
        if (is_open) continue;
        const wait = waitMsOf(hitsOf(slot, counts), max_hits, nowMs);
        if (closedUntil.size >= MAX_CLOSED) closedUntil.clear();
        closedUntil.set(bucket, nowMs + wait);
        longest = Math.max(longest, wait);
      }
      return longest;
    },
    async sweep(nowMs) {
      for (const [name, until] of closedUntil) if (until <= nowMs) closedUntil.delete(name);
      await store
        .db<Record<string, RateWindowRow>>()
        .deleteFrom(table)
        .where('slot', '<=', slotOf(nowMs) - SLOTS)
        .execute();
    },
  };
}

function slotOf(nowMs: number): number {
  return Math.floor(nowMs / MINUTE.stepMs);
}

/** The hits of a row, oldest first; the last count is that of its second. */
function hitsOf(slot: number, counts: readonly number[]): Hits[] {
  return counts.map((count, at) => {
    const second = slot - (SLOTS - 1) + at;
    return { count, leaveMs: leaveMsOf(MINUTE, second * MINUTE.stepMs) };
  });
}

/** Moves each window to this second and counts one hit in it when there is room; the row lock keeps it exact. */
async function hit(
  store: Store,
  table: string,
  shares: readonly Share[],
  slot: number,
): Promise<RateWindowRow[]> {
  // Every request locks its address before its key, so no two wait for each other.
  const values = shares.map(
    ({ name, limit }) =>
      sql`(${name}::text, ${slot}::bigint, array_fill(0, array[${sql.lit(SLOTS - 1)}]) || 1, ${limit}::integer, true)`,
  );
  const { rows } = await sql<RateWindowRow>`
    insert into ${sql.table(table)} as w (bucket, slot, counts, max_hits, is_open)
    values ${sql.join(values)}
    on conflict (bucket) do update set (slot, counts, max_hits, is_open) = (
      select greatest(w.slot, excluded.slot),
        case when summed.total < excluded.max_hits
          then summed.counts[1:${sql.lit(SLOTS - 1)}] || (summed.counts[${sql.lit(SLOTS)}] + 1)
          else summed.counts end,
        excluded.max_hits,
        summed.total < excluded.max_hits
      from (
        select moved.counts, (select sum(hits) from unnest(moved.counts) as hits) as total
        from (
          select w.counts[(gap.seconds + 1):${sql.lit(SLOTS)}] || array_fill(0, array[gap.seconds]) as counts
          from (
            select least(greatest(excluded.slot - w.slot, 0), ${sql.lit(SLOTS)})::integer as seconds
          ) as gap
        ) as moved
      ) as summed
    )
    returning bucket, slot, counts, max_hits, is_open`.execute(store.db<Record<string, RateWindowRow>>());
  return rows;
}
