/** Counts that replicas share: one statement per request, one small row per client. */
import type { Store } from '@parley/store';
import { sql } from 'kysely';
import type { FeedbackTables, RateWindowRow } from '../../schema.ts';
import type { Bucket, RateCounter } from './window.ts';
import { SLOTS, slotOf, waitMs } from './window.ts';

const MAX_CLOSED = 10_000;

/** Creates a counter on the table of migration 005. */
export function createPostgresCounter(store: Store): RateCounter {
  // Hits only leave with time, so who was refused until then needs no statement.
  const closedUntil = new Map<string, number>();

  function knownWait(buckets: readonly Bucket[], nowMs: number): number {
    const waits = buckets.map(({ name }) => (closedUntil.get(name) ?? 0) - nowMs);
    return Math.max(0, ...waits);
  }

  return {
    async take(buckets, nowMs) {
      const known = knownWait(buckets, nowMs);
      if (known > 0) return known;
      const rows = await hit(store, buckets, slotOf(nowMs));
      let longest = 0;
      for (const { bucket, slot, counts, max_hits, is_open } of rows) {
        if (is_open) continue;
        const wait = waitMs({ slot, counts }, max_hits, nowMs);
        if (closedUntil.size >= MAX_CLOSED) closedUntil.clear();
        closedUntil.set(bucket, nowMs + wait);
        longest = Math.max(longest, wait);
      }
      return longest;
    },
    async sweep(nowMs) {
      for (const [name, until] of closedUntil) if (until <= nowMs) closedUntil.delete(name);
      await store
        .db<FeedbackTables>()
        .deleteFrom('feedback_rate_windows')
        .where('slot', '<=', slotOf(nowMs) - SLOTS)
        .execute();
    },
  };
}

/** Moves each window to this second and counts one hit in it when there is room; the row lock keeps it exact. */
async function hit(store: Store, buckets: readonly Bucket[], slot: number): Promise<RateWindowRow[]> {
  // Every request locks its address before its key, so no two wait for each other.
  const values = buckets.map(
    ({ name, limit }) =>
      sql`(${name}::text, ${slot}::bigint, array_fill(0, array[${sql.lit(SLOTS - 1)}]) || 1, ${limit}::integer, true)`,
  );
  const { rows } = await sql<RateWindowRow>`
    insert into feedback_rate_windows as w (bucket, slot, counts, max_hits, is_open)
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
    returning bucket, slot, counts, max_hits, is_open`.execute(store.db<FeedbackTables>());
  return rows;
}
