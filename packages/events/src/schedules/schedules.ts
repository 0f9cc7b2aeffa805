/** Events to come: once at a time, or by cron. Each firing is an event of its own. */
import { ToolError, typeId } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { NewEvent } from '../cloud-event.ts';
import { checkEvent } from '../cloud-event.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import type { EventLimits } from '../limits.ts';
import type { EventScheduleRow, EventTables } from '../schema.ts';

/** Told when a schedule was made or changed. */
export const SCHEDULED = 'event.schedule';

/** What is to happen. */
export type NewSchedule = Pick<NewEvent, 'organizationId' | 'source' | 'type' | 'subject' | 'data'> &
  (
    | { readonly deliverAt: number; readonly cron?: undefined }
    | { readonly cron: string; readonly timezone: string; readonly deliverAt?: undefined }
  );

/** A schedule as its maker sees it. */
export interface Schedule {
  /** Of one that fires once, the id that its event will have. */
  readonly id: string;
  readonly type: string;
  readonly source: string;
  /** When it fires next. */
  readonly nextAt: number;
}

/** Makes a schedule; an active one with the same words is kept, with its data replaced. */
export async function addSchedule(parts: DeliveryParts, wanted: NewSchedule): Promise<Schedule> {
  const { store, limits, now } = parts;
  const data = checkEvent(wanted, limits);
  const row = await newRow(wanted, data, now());
  return store.transaction(async (tx) => {
    await tx.exclusive(`events.schedules ${wanted.organizationId}`);
    const same = row.cron === '' ? undefined : await findSame(tx, row);
    const kept = same === undefined ? row : { ...same, data, updated_at: now() };
    const db = tx.db<EventTables>();
    if (same !== undefined)
      await db.updateTable('event_schedules').set(kept).where('id', '=', same.id).execute();
    else {
      await refuseTooMany(tx, row, limits);
      await db.insertInto('event_schedules').values(row).execute();
    }
    await tx.signal(SCHEDULED);
    return { id: kept.id, type: kept.type, source: kept.source, nextAt: kept.next_at ?? now() };
  });
}

async function newRow(wanted: NewSchedule, data: string | null, now: number): Promise<EventScheduleRow> {
  const { cron = '' } = wanted;
  const timezone = wanted.cron === undefined ? 'UTC' : wanted.timezone;
  const nextAt = wanted.cron === undefined ? wanted.deliverAt : await firstInstant(cron, timezone, now);
  if (nextAt === undefined)
    throw new ToolError('invalid', 'cron: this names no time to come. Write one that does.');
  return {
    id: typeId(cron === '' ? 'evt' : 'sch', now),
    organization_id: wanted.organizationId,
    source: wanted.source,
    type: wanted.type,
    subject: wanted.subject ?? '',
    data,
    cron: cron.trim(),
    timezone,
    next_at: nextAt,
    last_at: null,
    cancelled_at: null,
    created_at: now,
    updated_at: now,
  };
}

async function firstInstant(cron: string, timezone: string, now: number): Promise<number | undefined> {
  const { checkCron, nextInstant } = await import('./cron.ts');
  checkCron(cron, timezone);
  return nextInstant(cron, timezone, now);
}

function findSame(tx: StoreTransaction, row: EventScheduleRow): Promise<EventScheduleRow | undefined> {
  const query = tx
    .db<EventTables>()
    .selectFrom('event_schedules')
    .selectAll()
    .where('organization_id', '=', row.organization_id)
    .where('source', '=', row.source)
    .where('type', '=', row.type)
    .where('subject', '=', row.subject)
    .where('cron', '=', row.cron)
    .where('timezone', '=', row.timezone)
    .where('cancelled_at', 'is', null);
  // It may be firing right now.
  return tx.locked(query).executeTakeFirst();
}

async function refuseTooMany(
  tx: StoreTransaction,
  { organization_id, source, cron }: EventScheduleRow,
  { schedulesPerOrganization, cronsPerSource }: EventLimits,
): Promise<void> {
  const active = tx
    .db<EventTables>()
    .selectFrom('event_schedules')
    .select(({ fn }) => fn.countAll<number | string>().as('active'))
    .where('organization_id', '=', organization_id)
    .where('next_at', 'is not', null);
  const ofAll = await active.executeTakeFirstOrThrow();
  if (Number(ofAll.active) >= schedulesPerOrganization)
    throw tooMany('An organization', schedulesPerOrganization);
  // What fires once took its place in the rate when it was published.
  if (cron === '') return;
  const ofSource = await active
    .where('source', '=', source)
    .where('cron', '<>', '')
    .executeTakeFirstOrThrow();
  if (Number(ofSource.active) >= cronsPerSource) throw tooMany('A caller', cronsPerSource, ' by cron');
}

function tooMany(who: string, most: number, which = ''): ToolError {
  return new ToolError('conflict', `${who} may have at most ${most} schedules${which}. Cancel one first.`);
}
