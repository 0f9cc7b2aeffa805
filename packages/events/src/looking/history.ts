/** Reading what happened: events in the order of their numbers, from any cursor on. */
import type { Queryable } from '@parley/store';
import type { CloudEvent } from '../cloud-event.ts';
import { toCloudEvent } from '../cloud-event.ts';
import { checkPattern } from '../matching.ts';
import type { EventRow, EventStatus, EventTables } from '../schema.ts';
import { sql } from 'kysely';

/** Which events are wanted. */
export interface HistoryQuery {
  /** Those after this number. */
  readonly after: number;
  /** Those before this number. */
  readonly before?: number | undefined;
  readonly source?: string | undefined;
  readonly subject?: string | undefined;
  readonly status?: EventStatus | undefined;
  /** Types, `prefix.*` or `*`; none means all. */
  readonly types: readonly string[];
  readonly limit: number;
  /** The newest first; the oldest by default. */
  readonly newestFirst?: boolean;
}

/** The events of an organization. Numbers appear in their order, so whoever goes on from the last one misses none. */
export async function readHistory(
  on: Queryable,
  organizationId: string,
  query: HistoryQuery,
): Promise<CloudEvent[]> {
  return (await readRows(on, organizationId, query)).map(toCloudEvent);
}

/** An event, and what became of it so far. */
export interface LookedAt {
  readonly event: CloudEvent;
  readonly status: EventStatus;
  /** False: nobody had subscribed to it, so that there was nothing to deliver. */
  readonly hasSubscribers: boolean;
}

/** The same with what became of each. */
export async function readStates(
  on: Queryable,
  organizationId: string,
  query: HistoryQuery,
): Promise<LookedAt[]> {
  const rows = await readRows(on, organizationId, query);
  const heard = await heardOf(on, rows);
  return rows.map((row) => lookedAt(row, heard));
}

function lookedAt(row: EventRow, heard: ReadonlySet<string>): LookedAt {
  return { event: toCloudEvent(row), status: row.status, hasSubscribers: heard.has(row.id) };
}

/** Those of the events that were for somebody. */
async function heardOf(on: Queryable, rows: readonly EventRow[]): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const found = await on
    .db<EventTables>()
    .selectFrom('event_deliveries')
    .select('event_id')
    .distinct()
    .where(
      'event_id',
      'in',
      rows.map(({ id }) => id),
    )
    .execute();
  return new Set(found.map(({ event_id }) => event_id));
}

/** The event with this id. */
export async function findEvent(
  on: Queryable,
  organizationId: string,
  eventId: string,
): Promise<LookedAt | undefined> {
  const row = await on
    .db<EventTables>()
    .selectFrom('events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row && lookedAt(row, await heardOf(on, [row]));
}

async function readRows(
  on: Queryable,
  organizationId: string,
  { after, before, source, subject, status, types, limit, newestFirst = false }: HistoryQuery,
): Promise<EventRow[]> {
  for (const type of types) checkPattern(type, 'types');
  let query = on
    .db<EventTables>()
    .selectFrom('events')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('seq', '>', after)
    .orderBy('seq', newestFirst ? 'desc' : 'asc')
    .limit(limit)
    .$if(before !== undefined, (all) => all.where('seq', '<', before ?? 0))
    .$if(source !== undefined, (all) => all.where('source', '=', source ?? ''))
    .$if(subject !== undefined, (all) => all.where('subject', '=', subject ?? ''))
    .$if(status !== undefined, (all) => all.where('status', '=', status ?? 'pending'));
  if (types.length > 0 && !types.includes('*'))
    query = query.where(({ or, eb }) =>
      or(
        types.map((type) => {
          if (!type.endsWith('.*')) return eb('type', '=', type);
          const prefix = type.slice(0, -1);
          // Exact on both databases, whatever their collation; a pattern of LIKE is not.
          return eb(sql<string>`substr(type, 1, ${sql.lit(prefix.length)})`, '=', prefix);
        }),
      ),
    );
  return query.execute();
}

/** The number of the newest event. */
export async function lastNumber(on: Queryable, organizationId: string): Promise<number> {
  const row = await on
    .db<EventTables>()
    .selectFrom('event_sequences')
    .select('seq')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row?.seq ?? 0;
}
