/** Firing: whoever comes first takes a schedule that is due, makes its event, and moves it on, in one transaction. */
import { detach } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import { cancelSchedule } from '../cancel.ts';
import type { DeliveryParts } from '../delivery/parts.ts';
import { publishEvents } from '../publish.ts';
import type { EventScheduleRow, EventTables } from '../schema.ts';
import { SCHEDULED } from './schedules.ts';

const BATCH = 100;
// Longer timers overflow; the look every few seconds comes before anyway.
const MAX_TIMER_MS = 60 * 60_000;

/** Whether a source may still publish, as it stands now. */
export type MayPublish = (organizationId: string, source: string) => Promise<boolean>;

/** Fires what is due; returns when the next one is, as far as anybody knows. */
export async function fireDue(parts: DeliveryParts, mayPublish: MayPublish): Promise<number | undefined> {
  const { store, now } = parts;
  for (;;) {
    const due = await store
      .db<EventTables>()
      .selectFrom('event_schedules')
      .select(['id', 'organization_id', 'source', 'next_at'])
      .where('next_at', 'is not', null)
      .orderBy('next_at')
      .limit(BATCH)
      .execute();
    const at = now();
    const ready = due.filter(({ next_at }) => (next_at ?? at) <= at);
    for (const { id, organization_id, source } of ready)
      // One that cannot fire holds up no other.
      await mayPublish(organization_id, source)
        .then((may) => store.transaction((tx) => fireOne(parts, tx, id, may)))
        .catch((error: unknown) => parts.onFault(error, 'event schedule'));
    if (ready.length < BATCH) return nextAfter(parts, at);
    await new Promise(setImmediate);
  }
}

/** Asked again after firing: what has just fired has its next time only now. */
async function nextAfter({ store }: DeliveryParts, at: number): Promise<number | undefined> {
  const next = await store
    .db<EventTables>()
    .selectFrom('event_schedules')
    .select('next_at')
    .where('next_at', '>', at)
    .orderBy('next_at')
    .limit(1)
    .executeTakeFirst();
  return next?.next_at ?? undefined;
}

async function fireOne(
  parts: DeliveryParts,
  tx: StoreTransaction,
  scheduleId: string,
  mayPublish: boolean,
): Promise<void> {
  const db = tx.db<EventTables>();
  const query = db.selectFrom('event_schedules').selectAll().where('id', '=', scheduleId);
  // Another replica that holds it fires it.
  const row = await tx.locked(query, { skipHeld: true }).executeTakeFirst();
  const now = parts.now();
  // Fired, moved or cancelled since the look.
  if (row === undefined || row.next_at === null || row.next_at > now) return;
  if (!mayPublish) {
    await cancelSchedule(tx, { organizationId: row.organization_id }, row.id, now);
    return;
  }
  if (row.cron === '') await db.deleteFrom('event_schedules').where('id', '=', row.id).execute();
  else {
    const { nextInstant } = await import('./cron.ts');
    // After a long pause one late firing is made, and the plan goes on from now.
    const nextAt = nextInstant(row.cron, row.timezone, now) ?? null;
    const moved = { last_at: row.next_at, next_at: nextAt };
    await db.updateTable('event_schedules').set(moved).where('id', '=', row.id).execute();
  }
  await publishEvents(parts, tx, [firingOf(row, row.next_at)]);
}

function firingOf(row: EventScheduleRow, instant: number) {
  return {
    organizationId: row.organization_id,
    source: row.source,
    type: row.type,
    ...(row.subject !== '' && { subject: row.subject }),
    ...(row.data !== null && { data: fromJson<unknown>(row.data) }),
    time: instant,
    ...(row.cron === '' ? { id: row.id } : { scheduleId: row.id }),
  };
}

/** Keeps looking: at the next due time, when a schedule changes, and every few seconds in case a signal was lost. */
export function createFiring(parts: DeliveryParts, mayPublish: MayPublish) {
  const { store, limits, now, onFault } = parts;
  let timer: NodeJS.Timeout | undefined;
  let polling: NodeJS.Timeout | undefined;
  let unlisten: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let isAsked = false;

  async function look(): Promise<void> {
    for (isAsked = true; isAsked;) {
      isAsked = false;
      const nextAt = await fireDue(parts, mayPublish);
      clearTimeout(timer);
      if (nextAt === undefined || polling === undefined) continue;
      const waitMs = Math.min(Math.max(1, nextAt - now()), MAX_TIMER_MS);
      timer = setTimeout(run, waitMs).unref();
    }
  }

  function run(): void {
    isAsked = true;
    if (running !== undefined) return;
    running = look().finally(() => (running = undefined));
    detach(running, (error) => onFault(error, 'event schedules'));
  }

  return {
    start() {
      unlisten = store.signal.subscribe(SCHEDULED, run);
      polling = setInterval(run, limits.pollMs).unref();
      run();
    },
    async stop() {
      clearInterval(polling);
      polling = undefined;
      unlisten?.();
      // What went wrong in it was told already.
      await running?.catch(() => undefined);
      clearTimeout(timer);
    },
  };
}
