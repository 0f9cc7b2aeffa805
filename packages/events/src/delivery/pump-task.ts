/** The pump of a target as a durable task: one at a time for each target, made with the work that needs it. */
import { systemCaller } from '@parley/kit';
import type { StoreTransaction } from '@parley/store';
import type { NewTask } from '@parley/tasks';
import type { EventTables, EventTargetRow } from '../schema.ts';
import type { DeliveryParts, Target } from './parts.ts';

export const PUMP_KIND = 'events.deliver';

/** Tells a running pump of new work, with the id of its target. */
export const DUE = 'event.due';

// Nobody reads the result; the engine keeps it as short as it can.
const TTL_MS = 1;

/** What a pump is told. */
export interface PumpInput {
  readonly targetId: string;
  readonly pump: number;
}

/** The target, held until the transaction ends; nothing but a publisher changes its deliveries without holding it. */
export function lockTarget(tx: StoreTransaction, targetId: string): Promise<EventTargetRow | undefined> {
  const query = tx.db<EventTables>().selectFrom('event_targets').selectAll().where('id', '=', targetId);
  // A publisher only needs that it stays.
  return tx.locked(query, { to: 'write' }).executeTakeFirst();
}

/** The row of a target that nothing was sent to. */
export function newTarget(
  { id, organization_id }: Pick<Target, 'id' | 'organization_id'>,
  kind: string,
): EventTargetRow {
  return { id, organization_id, kind, pump: 1, fence: 0, pump_at: null, paused_reason: null };
}

/** Makes sure that a pump looks at a locked target at a time, or is looking now. */
export async function wakePump(
  parts: Pick<DeliveryParts, 'tasks'>,
  tx: StoreTransaction,
  target: EventTargetRow,
  runAt: number,
): Promise<void> {
  await tx.signal(DUE, target.id);
  // The common case while many events come: a pump is there already.
  if (target.pump_at !== null && target.pump_at <= runAt) return;
  await renewPump(parts, tx, target, runAt);
}

/** The same when nobody can be sure that the pump still exists. */
export async function renewPump(
  parts: Pick<DeliveryParts, 'tasks'>,
  tx: StoreTransaction,
  target: EventTargetRow,
  runAt: number,
): Promise<void> {
  const task = await parts.tasks.enqueueIn(tx, pumpTask(target, target.pump, runAt));
  // A pump hands over before it ends; one that is not working was given up.
  if (task.status === 'working') await writePump(tx, target.id, { pump_at: runAt });
  else await nextPump(parts, tx, target, runAt);
}

/** Hands a locked target over to a new pump, which starts at a time; without a time, the next delivery starts it. */
export async function nextPump(
  parts: Pick<DeliveryParts, 'tasks'>,
  tx: StoreTransaction,
  target: EventTargetRow,
  runAt: number | undefined,
): Promise<void> {
  const pump = target.pump + 1;
  await writePump(tx, target.id, { pump, pump_at: runAt ?? null });
  if (runAt !== undefined) await parts.tasks.enqueueIn(tx, pumpTask(target, pump, runAt));
}

async function writePump(
  tx: StoreTransaction,
  targetId: string,
  change: Partial<Pick<EventTargetRow, 'pump' | 'pump_at'>>,
): Promise<void> {
  await tx.db<EventTables>().updateTable('event_targets').set(change).where('id', '=', targetId).execute();
}

function pumpTask(target: Target, pump: number, runAt: number): NewTask {
  const input: PumpInput = { targetId: target.id, pump };
  return {
    kind: PUMP_KIND,
    input,
    // No person or key has this id, so none finds the pumps among its tasks.
    caller: systemCaller('system_events', 'Event deliveries', target.organization_id),
    capabilities: {},
    idempotencyKey: `${PUMP_KIND}:${target.id}:${pump}`,
    runAt,
    ttlMs: TTL_MS,
  };
}
