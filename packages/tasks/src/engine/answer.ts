/** Answers to the questions of a task: checked, stored once, and enough of them wake it. */
import type { InputRequest } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { FaultOfContent } from './answer-check.ts';
import { faultOfAnswer } from './answer-check.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './changes.ts';
import { lockTask, notBefore, oneLine } from './rows.ts';

export interface AnswerOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly now: () => number;
  /** How forms are checked; a schema may come from a server that nobody knows. */
  readonly faultOf: FaultOfContent | undefined;
}

interface Checked {
  readonly good: readonly { readonly key: string; readonly response: string }[];
  /** What was wrong with the others, in words. */
  readonly complaints: readonly string[];
}

/** Takes the answers that fit open questions of the task; everything else is ignored. */
export async function answerTask(
  { store, changes, now, faultOf }: AnswerOptions,
  taskId: string,
  responses: Readonly<Record<string, unknown>>,
): Promise<void> {
  const checked = await check(store, taskId, { responses, faultOf });
  if (checked.good.length === 0 && checked.complaints.length === 0) return;
  await store.transaction(async (tx) => {
    const row = await lockTask(tx, taskId);
    if (row === undefined || row.state === 'final') return;
    for (const { key, response } of checked.good) await storeAnswer(tx, taskId, key, response);
    if (row.state === 'asking') await settle(tx, row, checked, now());
    await changes.announce(tx, taskId);
  });
}

async function check(
  store: Store,
  taskId: string,
  {
    responses,
    faultOf,
  }: { readonly responses: Readonly<Record<string, unknown>>; readonly faultOf: FaultOfContent | undefined },
): Promise<Checked> {
  const open = await store
    .db<TaskTables>()
    .selectFrom('task_inputs')
    .select(['input_key', 'request'])
    .where('task_id', '=', taskId)
    .where('response', 'is', null)
    .orderBy('position')
    .execute();
  const good: { key: string; response: string }[] = [];
  const complaints: string[] = [];
  for (const { input_key: key, request } of open) {
    if (!Object.hasOwn(responses, key)) continue;
    const fault = await faultOfAnswer(fromJson<InputRequest>(request), responses[key], faultOf);
    if (fault === undefined) good.push({ key, response: toJson(responses[key]) });
    else complaints.push(`${key}: ${fault}`);
  }
  return { good, complaints };
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
  row: TaskRow,
  { good, complaints }: Checked,
  now: number,
): Promise<void> {
  const isAnswered = !(await hasOpenQuestion(tx, row.id));
  const isOldComplaint = good.some(({ key }) => row.status_message?.startsWith(`${key}: `));
  await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({
      updated_at: notBefore(now),
      ...(isAnswered && { state: 'ready' as const, due_at: now, turn: null }),
      ...(isOldComplaint && { status_message: null }),
      ...(complaints.length > 0 && { status_message: oneLine(complaints.join('; ')) }),
    })
    .where('id', '=', row.id)
    .execute();
  if (isAnswered) await tx.signal(READY);
}

/** True while a question of the task waits for its answer. */
export async function hasOpenQuestion(tx: StoreTransaction, taskId: string): Promise<boolean> {
  const open = await tx
    .db<TaskTables>()
    .selectFrom('task_inputs')
    .select('input_key')
    .where('task_id', '=', taskId)
    .where('response', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return open !== undefined;
}
