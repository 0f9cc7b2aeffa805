/** Answers to the questions of a task: checked, stored once, and enough of them wake it. */
import type { InputRequest } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { TaskInputRow, TaskTables } from '../schema.ts';
import type { TaskOwner } from '../task.ts';
import { faultOfAnswer } from './answer-check.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './worker.ts';

/** What answering needs. */
export interface AnswerOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly now: () => number;
}

/** Takes the answers that fit open questions; everything else is ignored. False when there is no such task. */
export async function answerTask(
  { store, changes, now }: AnswerOptions,
  owner: TaskOwner,
  taskId: string,
  responses: Readonly<Record<string, unknown>>,
): Promise<boolean> {
  const open = await openQuestions(store, owner, taskId);
  if (open === undefined) return false;
  const good: { key: string; response: string }[] = [];
  let complaint: string | undefined;
  for (const { input_key: key, request } of open) {
    if (!Object.hasOwn(responses, key)) continue;
    const fault = await faultOfAnswer(fromJson<InputRequest>(request), responses[key]);
    if (fault === undefined) good.push({ key, response: toJson(responses[key]) });
    else complaint = `${key}: ${fault}`;
  }
  if (good.length === 0 && complaint === undefined) return true;
  await store.transaction(async (tx) => {
    for (const { key, response } of good) await storeAnswer(tx, taskId, key, response);
    await settle(tx, taskId, complaint, now());
    await changes.announce(tx, taskId);
  });
  return true;
}

async function openQuestions(
  store: Store,
  owner: TaskOwner,
  taskId: string,
): Promise<TaskInputRow[] | undefined> {
  const db = store.db<TaskTables>();
  const task = await db
    .selectFrom('tasks')
    .select('state')
    .where('id', '=', taskId)
    .where('organization_id', '=', owner.organizationId)
    .where('owner_id', '=', owner.ownerId)
    .executeTakeFirst();
  if (task === undefined) return undefined;
  if (task.state !== 'asking') return [];
  return db
    .selectFrom('task_inputs')
    .selectAll()
    .where('task_id', '=', taskId)
    .where('response', 'is', null)
    .orderBy('position')
    .execute();
}

async function storeAnswer(
  tx: StoreTransaction,
  taskId: string,
  key: string,
  response: string,
): Promise<void> {
  await tx
    .db<TaskTables>()
    .updateTable('task_inputs')
    .set({ response })
    .where('task_id', '=', taskId)
    .where('input_key', '=', key)
    .where('response', 'is', null)
    .execute();
}

/** Wakes the task when nothing is open any more; otherwise says what was wrong with an answer. */
async function settle(
  tx: StoreTransaction,
  taskId: string,
  complaint: string | undefined,
  now: number,
): Promise<void> {
  const db = tx.db<TaskTables>();
  const left = await db
    .selectFrom('task_inputs')
    .select('input_key')
    .where('task_id', '=', taskId)
    .where('response', 'is', null)
    .limit(1)
    .executeTakeFirst();
  const change = left === undefined ? { state: 'ready' as const, due_at: now } : {};
  await db
    .updateTable('tasks')
    .set({
      ...change,
      updated_at: now,
      ...(complaint !== undefined && { status_message: complaint.slice(0, 500) }),
    })
    .where('id', '=', taskId)
    .where('state', '=', 'asking')
    .execute();
  if (left === undefined) await tx.signal(READY);
}
