/** Firing: whoever comes first takes what is due, writes its execution and moves it on, in one transaction. */
import type { CloudEvent, Listener } from '@parley/events';
import type { StoreTransaction } from '@parley/store';
import { LAPSE_MS } from './approval-notice.ts';
import { addExecution, executionOwner, settle, startPending } from './executions.ts';
import type { ScheduleParts, WakingParts } from './parts.ts';
import { configOf, writeSchedule } from './rows.ts';
import type { ScheduleTables } from './schema.ts';
import { dueUpTo } from './timing.ts';

const BATCH = 100;
const HOUR_MS = 60 * 60_000;
/** A task that ended without a word is only looked for after a while. */
const LOST_AFTER_MS = 60_000;
/** How often an event may wake one schedule in an hour; further ones wait, so that one which wakes itself does no harm. */
const WAKES_PER_HOUR = 60;
const WAKE_AGAIN_MS = 5 * 60_000;

/** Fires what is due, lapses what nobody answered, and starts what waits. */
export async function checkSchedules(parts: ScheduleParts): Promise<void> {
  await fireDue(parts);
  await lapse(parts);
  await endLost(parts);
  await startWaiting(parts);
}

async function fireDue(parts: ScheduleParts): Promise<void> {
  const { store, now, onFault } = parts;
  for (;;) {
    const due = await store
      .db<ScheduleTables>()
      .selectFrom('agent_schedules')
      .select('id')
      .where('next_run_at', '<=', now())
      .orderBy('next_run_at')
      .limit(BATCH)
      .execute();
    let fired = 0;
    for (const { id } of due)
      // One that cannot fire holds up no other.
      await store
        .transaction((tx) => fireOne(parts, tx, id))
        .then((isFired) => (fired += Number(isFired)))
        .catch((error: unknown) => onFault(error, 'schedule'));
    if (due.length < BATCH || fired === 0) return;
  }
}

/** False when another process has fired it. */
async function fireOne(parts: ScheduleParts, tx: StoreTransaction, id: string): Promise<boolean> {
  const now = parts.now();
  const query = tx.db<ScheduleTables>().selectFrom('agent_schedules').selectAll().where('id', '=', id);
  // Waits for whoever holds it: that may be an execution that ends, and then nobody else would fire it.
  const row = await tx.locked(query).executeTakeFirst();
  // Fired, moved or paused since the look.
  if (row === undefined || row.next_run_at === null || row.next_run_at > now) return false;
  const { timing } = configOf(row);
  if (timing.kind === 'event') return false;
  const { skipped, fires, next } = await dueUpTo(timing, row.next_run_at, now);
  await writeSchedule(tx, id, { next_run_at: next, updated_at: now });
  for (const dueAt of skipped) await addExecution(parts, tx, row, { dueAt, cause: '', isSkipped: true });
  if (fires !== undefined) await addExecution(parts, tx, row, { dueAt: fires, cause: '' });
  return true;
}

/** Nobody answered in time. */
async function lapse({ store, now }: ScheduleParts): Promise<void> {
  await store
    .db<ScheduleTables>()
    .updateTable('schedule_executions')
    .set({
      status: 'cancelled',
      result: 'Nobody approved it in time.',
      finished_at: now(),
      updated_at: now(),
    })
    .where('status', '=', 'waiting')
    .where('created_at', '<=', now() - LAPSE_MS)
    .execute();
}

/** Ends executions whose task is over without having ended them: it was given up. */
async function endLost(parts: ScheduleParts): Promise<void> {
  const { store, tasks, now } = parts;
  const running = await store
    .db<ScheduleTables>()
    .selectFrom('schedule_executions')
    .select(['id', 'organization_id', 'task_id'])
    .where('status', '=', 'running')
    .where('started_at', '<=', now() - LOST_AFTER_MS)
    .execute();
  for (const { id, organization_id, task_id } of running) {
    const task = await tasks.get(executionOwner(organization_id), task_id ?? '');
    if (task === undefined || task.finishedAt !== null)
      await settle(parts, id, { isOk: false, text: 'The work was given up.' });
  }
}

/** A place may have become free where nobody could say so. */
async function startWaiting(parts: ScheduleParts): Promise<void> {
  const { store } = parts;
  const organizations = await store
    .db<ScheduleTables>()
    .selectFrom('schedule_executions')
    .select('organization_id')
    .distinct()
    .where('status', '=', 'pending')
    .execute();
  for (const { organization_id: id } of organizations)
    await store.transaction((tx) => startPending(parts, tx, id));
}

/** Wakes a schedule for an event, once; says when to come again if it was woken too often. */
export async function wake(
  { listeners, ...parts }: WakingParts,
  tx: StoreTransaction,
  listener: Listener,
  event: CloudEvent,
): Promise<{ readonly retryAfterMs: number } | undefined> {
  const { id } = listener;
  const db = tx.db<ScheduleTables>();
  const query = db.selectFrom('agent_schedules').selectAll().where('id', '=', id);
  const row = await tx.locked(query).executeTakeFirst();
  // It went with its agent.
  if (row === undefined) await listeners.forget(tx, listener);
  if (row?.status !== 'active' || row.deleted_at !== null) return undefined;
  const woken = await db
    .selectFrom('schedule_executions')
    .select('id')
    .where('schedule_id', '=', id)
    .where('created_at', '>', parts.now() - HOUR_MS)
    .limit(WAKES_PER_HOUR)
    .execute();
  if (woken.length >= WAKES_PER_HOUR) return { retryAfterMs: WAKE_AGAIN_MS };
  const { type, subject } = event;
  const dueAt = Date.parse(event.time);
  await addExecution(parts, tx, row, { dueAt, cause: event.id, event: { type, subject } });
  return undefined;
}
