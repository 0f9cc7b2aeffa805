/** What deliveries look like from outside, and what this process did with them. */
import type { Store } from '@parley/store';
import { Durations } from '@parley/store';
import { sql } from 'kysely';
import type { DeliveryStatus } from '../schema.ts';
import type { Attempt } from './parts.ts';

/** Where a delivery stands that has not arrived: `due` and `later` are pending. */
export type StandingState = 'due' | 'later' | 'processing' | 'dead';

/** The deliveries in one state, of all processes. */
export interface StandingDeliveries {
  readonly state: StandingState;
  /** At most 10,000. */
  readonly count: number;
  /** How long the oldest of them has been due; 0 where none is. */
  readonly oldestMs: number;
}

/** What one kind of target was brought by this process. */
export class KindCounts {
  readonly outcomes = new Map<Attempt['outcome'], number>();
  /** How long attempts took, each with all the events that it brought. */
  readonly attempts = new Durations();
}

/** What this process has brought, by the kind of target. */
export class DeliveryCounts {
  readonly #kinds = new Map<string, KindCounts>();

  of(kind: string): KindCounts {
    const counts = this.#kinds.get(kind) ?? new KindCounts();
    this.#kinds.set(kind, counts);
    return counts;
  }

  /** Counts an attempt, and each event of it. */
  count(kind: string, attempts: Iterable<Attempt>, tookMs: number): void {
    const { outcomes, attempts: durations } = this.of(kind);
    durations.observe(tookMs);
    for (const { outcome } of attempts) outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }

  entries(): readonly (readonly [kind: string, counts: KindCounts])[] {
    return [...this.#kinds];
  }
}

/** What is known of deliveries. */
export interface EventFigures {
  readonly delivered: DeliveryCounts;
  readonly standing: readonly StandingDeliveries[];
}

/** So many rows of the index are looked at: a scrape must not become a scan, and SQLite holds up everybody meanwhile. */
const MOST_COUNTED = 10_000;
const COUNTED: readonly DeliveryStatus[] = ['pending', 'processing', 'dead'];

interface Row {
  status: DeliveryStatus;
  is_due: number;
  count: number;
  since: number;
}

/** Counts the deliveries that have not arrived, over the index by status. */
export async function standingDeliveries(store: Store, now: number): Promise<StandingDeliveries[]> {
  const parts = COUNTED.map(
    (status) => sql`select * from (
      select status, next_at, case when next_at <= ${now} then 1 else 0 end as is_due
      from event_deliveries where status = ${sql.lit(status)} order by next_at limit ${MOST_COUNTED}
    ) as ${sql.ref(status)}`,
  );
  const { rows } = await sql<Row>`
    select status, is_due, count(*) as count, min(next_at) as since
    from (${sql.join(parts, sql` union all `)}) as standing group by status, is_due`.execute(store.db());
  const found = new Map<StandingState, StandingDeliveries>();
  for (const row of rows) {
    const state = stateOf(row);
    const before = found.get(state);
    const isDue = state === 'due' || state === 'processing';
    const oldestMs = Math.max(isDue ? now - row.since : 0, before?.oldestMs ?? 0);
    found.set(state, { state, count: row.count + (before?.count ?? 0), oldestMs });
  }
  return [...found.values()];
}

function stateOf({ status, is_due }: Row): StandingState {
  if (status === 'processing' || status === 'dead') return status;
  return is_due === 1 ? 'due' : 'later';
}
