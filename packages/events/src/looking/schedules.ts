/** Reading what is still to happen: the schedules of an organization that will fire. */
import type { Queryable } from '@parley/store';
import type { EventTables } from '../schema.ts';

/** A schedule that will fire. */
export interface ScheduleEntry {
  /** What cancels it; of one that fires once, also the id that its event will have. */
  readonly id: string;
  readonly type: string;
  readonly subject: string | null;
  /** The source that its events will have. */
  readonly publisher: string;
  /** Null for one that fires once. */
  readonly cron: string | null;
  readonly timezone: string | null;
  readonly nextAt: number;
}

/** The schedules of an organization, the next one first. */
export async function readSchedules(
  on: Queryable,
  organizationId: string,
  limit: number,
): Promise<ScheduleEntry[]> {
  const rows = await on
    .db<EventTables>()
    .selectFrom('event_schedules')
    .select(['id', 'type', 'subject', 'source', 'cron', 'timezone'])
    .select(({ ref }) => ref('next_at').$notNull().as('nextAt'))
    .where('organization_id', '=', organizationId)
    .where('next_at', 'is not', null)
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id, type, subject, source, cron, timezone, nextAt }) => ({
    id,
    type,
    subject: subject === '' ? null : subject,
    publisher: source,
    cron: cron === '' ? null : cron,
    timezone: cron === '' ? null : timezone,
    nextAt,
  }));
}
