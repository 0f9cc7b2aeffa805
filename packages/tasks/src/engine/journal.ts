/** What a running task has done so far, and the fenced writes that add to it. */
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { InputRequest, InputResponse } from '@parley/kit';
import type { TaskInputRow, TaskRow, TaskStepRow, TaskTables } from '../schema.ts';
import { hasOpenQuestion } from './answer.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './changes.ts';
import { LeaseLost } from './finish.ts';
import { notBefore } from './rows.ts';

/** The stored end of a step. */
export type StepOutcome =
  | { readonly value: unknown }
  | { readonly error: { code: string; message: string; data?: unknown } };

/** A question that waits to be asked. */
export interface Asking {
  readonly key: string;
  readonly position: number;
  readonly request: InputRequest;
  readonly expiresAt: number;
}

/** What a task waits for when it is let go. */
export interface Parking {
  readonly asks: readonly Asking[];
  /** Sleeps and retries that wait for their time. */
  readonly waiting: readonly Omit<TaskStepRow, 'task_id' | 'organization_id'>[];
  readonly dueAt: number;
}

/** The names of steps and of questions are two spaces. */
export const stepPlace = (key: string): string => `step "${key}"`;
export const inputPlace = (key: string): string => `question "${key}"`;

/** Stands for the answer to a question that nobody answered in time. */
export const TIMED_OUT = { timedOut: true } as const;

/** Reads and writes the history of one claimed task. */
export class Journal {
  readonly steps: Map<string, TaskStepRow>;
  readonly inputs: Map<string, TaskInputRow>;
  /** Why the task is to be cancelled, as far as was known when the history was read. */
  readonly cancelReason: string | null;
  readonly #keys: Map<number, string>;
  readonly #store: Store;
  readonly #task: TaskRow;
  readonly #changes: TaskChanges;
  readonly #now: () => number;

  private constructor(
    store: Store,
    task: TaskRow,
    changes: TaskChanges,
    now: () => number,
    rows: { steps: TaskStepRow[]; inputs: TaskInputRow[]; cancelReason: string | null },
  ) {
    this.#store = store;
    this.#task = task;
    this.#changes = changes;
    this.#now = now;
    this.steps = new Map(rows.steps.map((row) => [row.step_key, row]));
    this.inputs = new Map(rows.inputs.map((row) => [row.input_key, row]));
    this.cancelReason = rows.cancelReason;
    this.#keys = new Map([
      ...rows.steps.map((row) => [row.position, stepPlace(row.step_key)] as const),
      ...rows.inputs.map((row) => [row.position, inputPlace(row.input_key)] as const),
    ]);
  }

  static async open(store: Store, task: TaskRow, changes: TaskChanges, now: () => number): Promise<Journal> {
    const db = store.db<TaskTables>();
    const [steps, inputs, current] = await Promise.all([
      db.selectFrom('task_steps').selectAll().where('task_id', '=', task.id).execute(),
      db.selectFrom('task_inputs').selectAll().where('task_id', '=', task.id).execute(),
      db.selectFrom('tasks').select('cancel_reason').where('id', '=', task.id).executeTakeFirst(),
    ]);
    return new Journal(store, task, changes, now, {
      steps,
      inputs,
      cancelReason: current?.cancel_reason ?? null,
    });
  }

  /** Stores a step, sleep or retry; a finished one also proves that the task does not kill its workers. */
  async writeStep(step: Omit<TaskStepRow, 'task_id' | 'organization_id'>): Promise<void> {
    const row = { ...step, task_id: this.#task.id, organization_id: this.#task.organization_id };
    await this.#fenced({ crashes: 0 }, (tx) => upsertStep(tx, row));
    this.steps.set(row.step_key, row);
  }

  /** Lets go of the task until it is due or its questions are answered, and stores both in the same transaction. */
  async park(plan: Parking): Promise<void> {
    const own = { task_id: this.#task.id, organization_id: this.#task.organization_id };
    const state = plan.asks.length > 0 ? 'asking' : 'ready';
    const released = { state, due_at: plan.dueAt, worker_id: null, lease_until: null, crashes: 0 } as const;
    await this.#fenced(released, async (tx, held) => {
      const db = tx.db<TaskTables>();
      for (const step of plan.waiting) await upsertStep(tx, { ...step, ...own });
      for (const { key, position, request, expiresAt } of plan.asks) {
        const row = {
          ...own,
          input_key: key,
          position,
          request: toJson(request),
          response: null,
          expires_at: expiresAt,
        };
        await db
          .insertInto('task_inputs')
          .values(row)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
      // Answered while it ran: nothing would wake it again.
      const isAnswered = plan.asks.length > 0 && !(await hasOpenQuestion(tx, own.task_id));
      const isAsking = plan.asks.length > 0 && !isAnswered;
      if (isAnswered || held.cancel_reason !== null) await wakeAt(tx, own.task_id, this.#now());
      await this.#changes.announce(tx, this.#task.id);
      if (isAsking) await this.#changes.happened(tx, this.#task, 'input_required');
    });
  }

  /** Closes a question whose time is over; returns what was said in the last moment, if anything was. */
  async expire(key: string): Promise<InputResponse | typeof TIMED_OUT> {
    let response = toJson(TIMED_OUT);
    await this.#fenced({}, async (tx) => {
      const closed = await tx
        .db<TaskTables>()
        .updateTable('task_inputs')
        .set((row) => ({ response: row.fn.coalesce('response', row.val(response)) }))
        .where('task_id', '=', this.#task.id)
        .where('input_key', '=', key)
        .returning('response')
        .executeTakeFirst();
      response = closed?.response ?? response;
    });
    return fromJson(response);
  }

  /** Throws when somebody else has the task now. */
  hold(): Promise<void> {
    return this.#fenced({}, async () => undefined);
  }

  /** What an earlier run did at a place. */
  placeAt(position: number): string | undefined {
    return this.#keys.get(position);
  }

  outcomeOf(key: string): StepOutcome | undefined {
    const outcome = this.steps.get(key)?.outcome ?? null;
    return outcome === null ? undefined : fromJson<StepOutcome>(outcome);
  }

  responseTo(key: string): InputResponse | typeof TIMED_OUT | undefined {
    const response = this.inputs.get(key)?.response ?? null;
    return response === null ? undefined : fromJson(response);
  }

  async #fenced(
    change: Partial<TaskRow>,
    work: (tx: StoreTransaction, held: Pick<TaskRow, 'cancel_reason'>) => Promise<void>,
  ): Promise<void> {
    await this.#store.transaction(async (tx) => {
      const held = await tx
        .db<TaskTables>()
        .updateTable('tasks')
        .set({ ...change, updated_at: notBefore(this.#now()) })
        .where('id', '=', this.#task.id)
        .where('fence', '=', this.#task.fence)
        .where('state', '=', 'running')
        .returning('cancel_reason')
        .executeTakeFirst();
      if (held === undefined) throw new LeaseLost();
      await work(tx, held);
    });
  }
}

/** Someone must come back for the task at once. */
async function wakeAt(tx: StoreTransaction, taskId: string, now: number): Promise<void> {
  await tx
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ state: 'ready', due_at: now })
    .where('id', '=', taskId)
    .execute();
  await tx.signal(READY);
}

async function upsertStep(tx: StoreTransaction, row: TaskStepRow): Promise<void> {
  const { outcome, attempts, due_at } = row;
  await tx
    .db<TaskTables>()
    .insertInto('task_steps')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['task_id', 'step_key']).doUpdateSet({ outcome, attempts, due_at }),
    )
    .execute();
}
