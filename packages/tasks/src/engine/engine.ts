/** The seam of durable tasks: everything above sees only this. */
import type { JsonSchema } from '@parley/kit';
import { detach, ToolError } from '@parley/kit';
import type { Spending, Store, StoreTransaction } from '@parley/store';
import { fromJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import { DEFAULT_TASK_LIMITS } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { NewTask, Task, TaskOwner, TaskStatus } from '../task.ts';
import { isFinal } from '../task.ts';
import type { FaultOfContent } from './answer-check.ts';
import { answerTask } from './answer.ts';
import { cancelRow } from './cancel.ts';
import type { TaskChange, TellTask } from './changes.ts';
import { TaskChanges } from './changes.ts';
import { Creator } from './create.ts';
import type { RunReport, TaskFigures } from './figures.ts';
import { livingTasks } from './figures.ts';
import type { Kind } from './kinds.ts';
import { listTasks } from './list.ts';
import type { TaskPage } from './list.ts';
import { giveUpOrphans, purgeExpired } from './purge.ts';
import { poolNameOf } from './pools.ts';
import { lockTask, toTask, withRisingTtl } from './rows.ts';
import { Worker } from './worker.ts';

/** Durable tasks on a store. */
export interface TaskEngine {
  /** Code for a kind; a worker takes only kinds it knows. */
  register(kind: Kind): void;
  /** Commits the task and returns it. */
  enqueue(task: NewTask): Promise<Task>;
  /**
   * Makes the task with the caller's own transaction, so that both are there after the commit or neither. A task with
   * the same idempotency key stays; if it has not begun and waits for a later `runAt`, it is brought forward.
   */
  enqueueIn(tx: StoreTransaction, task: NewTask): Promise<Task>;
  get(owner: TaskOwner, taskId: string): Promise<Task | undefined>;
  list(owner: TaskOwner, query: { status?: TaskStatus; limit: number; cursor?: string }): Promise<TaskPage>;
  /** Stores answers; false when the owner has no such task. */
  answer(owner: TaskOwner, taskId: string, responses: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Cancels; returns the task as it was, or undefined when the owner has no such task. */
  cancel(owner: TaskOwner, taskId: string, reason: string): Promise<Task | undefined>;
  /** Lets go of the idempotency key of a task: the same key makes a new one from then on. */
  release(owner: TaskOwner, taskId: string): Promise<void>;
  /** Calls the listener for every change and, in this process, every progress report. */
  watch(taskId: string, listener: (change: TaskChange) => void): () => void;
  start(): void;
  /** The time by which tasks are made and judged, the same for all processes. */
  readonly now: () => number;
  /** Fires when the engine is stopping; who waits for a task should stop waiting. */
  readonly closing: AbortSignal;
  /** Lets go of every running task; work resumes at the next start or in another process. */
  stop(): Promise<void>;
  /** Where work around the engine that nobody waits for reports its faults. */
  readonly onFault: (error: unknown, where: string) => void;
  /** What the tasks of the database look like, and what this process did with them; looks at the database. */
  figures(): Promise<TaskFigures>;
  /** Where the time of those who wait for tasks is counted. */
  readonly spending: Spending;
}

export interface TaskEngineOptions {
  readonly store: Store;
  readonly limits?: Partial<TaskLimits>;
  readonly now?: () => number;
  readonly onFault?: (error: unknown, where: string) => void;
  /** Told of every run when it is over. */
  readonly onRun?: ((report: RunReport) => void) | undefined;
  /** Told of what happens to the tasks of callers, with the change. */
  readonly tell?: TellTask;
  /**
   * Checks the form of an answer for an organization: what is wrong in words, or undefined. By default it is checked
   * here and now, which is right only where all questions are our own.
   */
  readonly faultOfForm?: (
    schema: JsonSchema,
    content: unknown,
    organizationId: string,
  ) => Promise<string | undefined>;
}

/** Creates the engine; it runs nothing before `start`. */
export function createTaskEngine(options: TaskEngineOptions): TaskEngine {
  const { store } = options;
  const limits = { ...DEFAULT_TASK_LIMITS, ...options.limits };
  const now = options.now ?? (() => store.now());
  const onFault = options.onFault ?? (() => undefined);
  const changes = new TaskChanges(store, options.tell);
  const worker = new Worker({ store, changes, limits, now, onFault, onRun: options.onRun });
  const creator = new Creator({ store, worker, changes, limits, now });
  const kinds: Kind[] = [];
  const closing = new AbortController();
  let purgeTimer: NodeJS.Timeout | undefined;
  let purging: Promise<void> | undefined;
  let stopped: Promise<void> | undefined;

  async function stop(): Promise<void> {
    closing.abort();
    clearInterval(purgeTimer);
    await purging;
    await worker.stop(() => creator.made());
    changes.close();
  }

  /** The row if it is the owner's and its time is not over. */
  function visible(owner: TaskOwner, row: TaskRow | undefined): TaskRow | undefined {
    if (row?.organization_id !== owner.organizationId || row.owner_id !== owner.ownerId) return undefined;
    return row.expires_at !== null && row.expires_at <= now() ? undefined : row;
  }

  async function find(owner: TaskOwner, taskId: string): Promise<TaskRow | undefined> {
    if (!isTaskId(taskId)) return undefined;
    const row = await store
      .db<TaskTables>()
      .selectFrom('tasks')
      .selectAll()
      .where('id', '=', taskId)
      .executeTakeFirst();
    return visible(owner, row);
  }

  async function load(found: TaskRow): Promise<Task> {
    const row = withRisingTtl(found, now(), limits);
    if (row.state !== 'asking') return toTask(row, []);
    const open = await store
      .db<TaskTables>()
      .selectFrom('task_inputs')
      .select(['input_key', 'request'])
      .where('task_id', '=', row.id)
      .where('response', 'is', null)
      .orderBy('position')
      .execute();
    // The last answer came between the two reads.
    return toTask(open.length === 0 ? { ...row, state: 'ready' } : row, open);
  }

  /** Whoever waited outside for a task that no process runs hears of its end too. */
  function tellKind({ id, kind, input }: TaskRow, running: readonly string[]): void {
    if (running.includes(id)) return;
    const known = kinds.find((candidate) => candidate.kind === kind);
    const telling = known?.cancelled?.(fromJson<unknown>(input), id);
    if (telling !== undefined) detach(telling, (error) => onFault(error, 'task cancel'));
  }

  async function purge(): Promise<void> {
    await purgeExpired(store, now(), closing.signal);
    while (await giveUpOrphans({ store, changes, kinds, limits, now: now() }))
      await new Promise(setImmediate);
  }

  return {
    register(kind) {
      kinds.push(kind);
      worker.register(kind);
    },
    async enqueue(task) {
      const row = await creator.create(task);
      // It exists, and whoever is told otherwise makes it again.
      return load(row).catch(() => toTask(row, []));
    },
    enqueueIn: async (tx, task) => toTask(await creator.createIn(tx, task), []),
    async get(owner, taskId) {
      const row = await find(owner, taskId);
      return row === undefined ? undefined : load(row);
    },
    list: (owner, query) => listTasks(store, owner, query, now(), limits),
    async answer(owner, taskId, responses) {
      if ((await find(owner, taskId)) === undefined) return false;
      const { faultOfForm: check } = options;
      const faultOf: FaultOfContent | undefined =
        check && ((schema, content) => check(schema, content, owner.organizationId));
      await answerTask({ store, changes, now, faultOf }, taskId, responses);
      return true;
    },
    async cancel(owner, taskId, reason) {
      if (!isTaskId(taskId)) return undefined;
      const cancel = async (tx: StoreTransaction) => {
        const row = visible(owner, await lockTask(tx, taskId));
        if (row === undefined || row.state === 'final') return { row, running: [] };
        const running = await cancelRow(tx, row, { changes, limits, reason, now: now() });
        return { row, running };
      };
      const found = await store.transaction(cancel, { lane: 'ending' });
      for (const id of found.running) worker.cancel(id);
      if (found.row !== undefined && found.row.state !== 'final') tellKind(found.row, found.running);
      return found.row === undefined ? undefined : load(found.row);
    },
    async release({ organizationId, ownerId }, taskId) {
      await store
        .db<TaskTables>()
        .updateTable('tasks')
        .set({ idempotency_key: null })
        .where('id', '=', taskId)
        .where('organization_id', '=', organizationId)
        .where('owner_id', '=', ownerId)
        .execute();
    },
    watch: (taskId, listener) => changes.watch(taskId, listener),
    start() {
      worker.start();
      purgeTimer = setInterval(() => {
        purging ??= purge()
          .catch((error: unknown) => onFault(error, 'task purge'))
          .finally(() => (purging = undefined));
      }, limits.purgeEveryMs).unref();
    },
    now,
    closing: closing.signal,
    stop: () => (stopped ??= stop()),
    onFault,
    figures: async () => ({
      runs: worker.counts,
      living: await livingTasks(store, {
        now: now(),
        poolOf: (kind) => poolNameOf(worker.kindOf(kind) ?? {}),
      }),
    }),
    spending: store.spending,
  };
}

/** What cannot be an id is not looked up: PostgreSQL refuses some characters. */
function isTaskId(text: string): boolean {
  return /^task_[\w-]+$/.test(text);
}

/** Waits until the task is final, or the listener's signal fires. */
export async function untilFinal(
  tasks: TaskEngine,
  owner: TaskOwner,
  taskId: string,
  signal: AbortSignal,
): Promise<Task> {
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  try {
    for (;;) {
      const changed = nextChange(tasks, taskId, stop);
      const task = await tasks.get(owner, taskId);
      if (task === undefined) throw new ToolError('not_found', `Task not found: ${taskId}`);
      if (isFinal(task.status)) return task;
      await tasks.spending.wait('purpose', 'task', changed);
      signal.throwIfAborted();
    }
  } finally {
    // Nobody else would end the last watch.
    over.abort();
  }
}

/** Resolves with the next change of a task, or when the signal fires. */
export function nextChange(tasks: TaskEngine, taskId: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      unwatch();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const unwatch = tasks.watch(taskId, (change) => {
      if (change.kind === 'changed') done();
    });
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
  });
}
