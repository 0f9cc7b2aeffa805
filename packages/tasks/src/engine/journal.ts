/** What a running task has done so far, and the fenced writes that add to it. */
import type { Store, StoreTransaction } from '@parley/store';
import { fromJson, StoreUnavailableError, toJson } from '@parley/store';
import type { InputRequest, InputResponse } from '@parley/kit';
import type { TaskLimits } from '../limits.ts';
import type { TaskInputRow, TaskRow, TaskStepRow, TaskTables } from '../schema.ts';
import { hasOpenQuestion } from './answer.ts';
import type { TaskChanges } from './changes.ts';
import { READY } from './changes.ts';
import { LeaseLost } from './finish.ts';
import { persist, UnwrittenError } from './persist.ts';
import { notBefore, notShorter } from './rows.ts';
import type { StepWriter } from './step-writer.ts';
import { upsertSteps } from './step-writer.ts';

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

/** What the journals of a process share. */
export interface JournalOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly steps: StepWriter;
  readonly limits: Pick<TaskLimits, 'rewriteMs' | 'leaseMs'>;
  readonly now: () => number;
}

/** Until when a run may believe that nobody has taken its task; who renews it writes it here too. */
export interface Lease {
  until: number;
}

/** The claim that a journal writes for. */
export interface JournalRun {
  readonly task: TaskRow;
  readonly signal: AbortSignal;
  readonly lease: Lease;
}

/** After this part of the time in which nobody may take a task, clocks that differ a little could make it over for others. */
const SURE_PART = 5 / 6;

/** Reads and writes the history of one claimed task. */
export class Journal {
  readonly steps: Map<string, TaskStepRow>;
  readonly inputs: Map<string, TaskInputRow>;
  readonly #keys: Map<number, string>;
  readonly #options: JournalOptions;
  readonly #task: TaskRow;
  readonly #signal: AbortSignal;
  readonly #lease: Lease;
  #fault: UnwrittenError | undefined;

  private constructor(
    options: JournalOptions,
    { task, signal, lease }: JournalRun,
    rows: { readonly steps: readonly TaskStepRow[]; readonly inputs: readonly TaskInputRow[] },
  ) {
    this.#options = options;
    this.#task = task;
    this.#signal = signal;
    this.#lease = lease;
    this.steps = new Map(rows.steps.map((row) => [row.step_key, row]));
    this.inputs = new Map(rows.inputs.map((row) => [row.input_key, row]));
    this.#keys = new Map([
      ...rows.steps.map((row) => [row.position, stepPlace(row.step_key)] as const),
      ...rows.inputs.map((row) => [row.position, inputPlace(row.input_key)] as const),
    ]);
  }

  static async open(options: JournalOptions, run: JournalRun): Promise<Journal> {
    // Nobody had it before its first claim, so there is nothing to read.
    if (run.task.fence <= 1) return new Journal(options, run, { steps: [], inputs: [] });
    const db = options.store.db<TaskTables>();
    const [steps, inputs] = await Promise.all([
      db.selectFrom('task_steps').selectAll().where('task_id', '=', run.task.id).execute(),
      db.selectFrom('task_inputs').selectAll().where('task_id', '=', run.task.id).execute(),
    ]);
    return new Journal(options, run, { steps, inputs });
  }

  /** Why the run cannot be believed any more: something that it did is not written down. */
  get fault(): UnwrittenError | undefined {
    return this.#fault;
  }

  /** Stores a step, sleep or retry. */
  async writeStep(step: Omit<TaskStepRow, 'task_id' | 'organization_id'>): Promise<void> {
    const row = { ...step, task_id: this.#task.id, organization_id: this.#task.organization_id };
    await this.#persist(async () => {
      const until = await this.#options.steps.write(this.#task, row);
      this.#lease.until = Math.max(this.#lease.until, until);
    });
    this.steps.set(row.step_key, row);
  }

  /** Lets go of the task until it is due or its questions are answered, and stores both in the same transaction. */
  async park(plan: Parking): Promise<void> {
    const own = { task_id: this.#task.id, organization_id: this.#task.organization_id };
    await this.#fenced(async (tx, held) => {
      const { changes, now } = this.#options;
      await upsertSteps(
        tx,
        plan.waiting.map((step) => ({ ...step, ...own })),
      );
      const asks = plan.asks.map(({ key, position, request, expiresAt }) => ({
        ...own,
        input_key: key,
        position,
        request: toJson(request),
        response: null,
        expires_at: expiresAt,
      }));
      if (asks.length > 0)
        await tx
          .db<TaskTables>()
          .insertInto('task_inputs')
          .values(asks)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      // Answered while it ran: nothing would wake it again.
      const isAnswered = plan.asks.length > 0 && !(await hasOpenQuestion(tx, own.task_id));
      const isAsking = plan.asks.length > 0 && !isAnswered;
      const isWanted = isAnswered || held.cancel_reason !== null;
      const next = isWanted
        ? ({ state: 'ready', due_at: now() } as const)
        : ({ state: isAsking ? 'asking' : 'ready', due_at: plan.dueAt } as const);
      // Last, with what is told of it.
      tx.last(
        tx
          .db<TaskTables>()
          .updateTable('tasks')
          .set({ ...next, worker_id: null, lease_until: null, crashes: 0 })
          .where('id', '=', own.task_id),
      );
      if (isWanted) await tx.signal(READY);
      await changes.announce(tx, this.#task.id);
      if (isAsking) await changes.happened(tx, [{ task: this.#task, what: 'input_required' }]);
    });
  }

  /** Closes a question whose time is over; returns what was said in the last moment, if anything was. */
  async expire(key: string): Promise<InputResponse | typeof TIMED_OUT> {
    let response = toJson(TIMED_OUT);
    await this.#fenced(async (tx) => {
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
    return this.#fenced(async () => undefined);
  }

  /**
   * Before something is done that must not be done by two: throws when somebody else has the task, and asks the database
   * where that is possible. A process that stood still learns last that its lease is over.
   */
  async keep(): Promise<void> {
    const { limits, now, store } = this.#options;
    // Who is missed loses its tasks before their leases end.
    const safeMs = store.presence.isKept ? Math.min(limits.leaseMs, store.presence.graceMs) : limits.leaseMs;
    const renewedAt = this.#lease.until - limits.leaseMs;
    // The clock of a machine that slept is late until the database has told the time again.
    if (!store.signal.isBroken() && now() - renewedAt < safeMs * SURE_PART) return;
    let until = 0;
    await this.#fenced(async (tx) => {
      until = now() + limits.leaseMs;
      const mine = tx.db<TaskTables>().updateTable('tasks').where('id', '=', this.#task.id);
      await mine.set({ lease_until: notShorter(until) }).execute();
    });
    this.#lease.until = Math.max(this.#lease.until, until);
  }

  /**
   * Does the work of a step, again while all that fails is the store, as long as a write would be tried. Then the run is
   * not believed any more, whatever its code makes of the error, since no attempt of a step was used up by it.
   */
  async outlast<T>(work: () => Promise<T>, mayRepeat: () => boolean): Promise<T> {
    const isAway = (error: unknown) => error instanceof StoreUnavailableError && !this.#signal.aborted;
    try {
      return await persist(work, {
        signal: this.#signal,
        forMs: this.#options.limits.rewriteMs,
        mayRepeat: (error) => isAway(error) && mayRepeat(),
      });
    } catch (error) {
      if (error instanceof UnwrittenError) this.#fault = error;
      else if (isAway(error)) this.#fault = new UnwrittenError(error);
      throw error;
    }
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

  /** Keeps others from taking the task while the work writes. */
  #fenced(
    work: (tx: StoreTransaction, held: Pick<TaskRow, 'cancel_reason'>) => Promise<void>,
  ): Promise<void> {
    const { store, now } = this.#options;
    const write = async (tx: StoreTransaction) => {
      const held = await tx
        .db<TaskTables>()
        .updateTable('tasks')
        .set({ updated_at: notBefore(now()) })
        .where('id', '=', this.#task.id)
        .where('fence', '=', this.#task.fence)
        .where('state', '=', 'running')
        .returning('cancel_reason')
        .executeTakeFirst();
      if (held === undefined) throw new LeaseLost();
      await work(tx, held);
    };
    return this.#persist(() => store.transaction(write, { lane: 'ending' }));
  }

  async #persist(write: () => Promise<void>): Promise<void> {
    try {
      await persist(write, { signal: this.#signal, forMs: this.#options.limits.rewriteMs });
    } catch (error) {
      if (error instanceof UnwrittenError) this.#fault = error;
      throw error;
    }
  }
}
