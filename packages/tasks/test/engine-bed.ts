/** Engines for tests: scripted kinds, a clock that the test turns, and waits with a deadline. */
import type { ClientCapabilities, InputRequest } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { Lane, Store, StoreTransaction } from '@parley/store';
import { StoreUnavailableError } from '@parley/store';
import type { OpenStore } from '@parley/store/testing';
import { DEADLINE_MS } from '@parley/test-support/eventually';
import { onTestFinished } from 'vitest';
import { createTaskEngine, untilFinal } from '../src/engine/engine.ts';
import type { TaskEngine } from '../src/engine/engine.ts';
import type { Kind, TaskRun } from '../src/engine/kinds.ts';
import type { TaskLimits } from '../src/limits.ts';
import { taskMigrations } from '../src/migrations/index.ts';
import type { TaskRow, TaskTables } from '../src/schema.ts';
import type { NewTask, Task, TaskOwner } from '../src/task.ts';

/** The code of a scripted kind; what it returns is the result. */
export type Script = (run: TaskRun, input: unknown) => Promise<unknown>;

/** Who owns the tasks of a test unless it says otherwise. */
export const OWNER: TaskOwner = { organizationId: 'org_test', ownerId: 'caller_test' };

/** A clock that stands still until the test turns it. */
export class TestClock {
  ms = Date.UTC(2030, 0, 1);
  readonly now = (): number => this.ms;

  turn(byMs: number): void {
    this.ms += byMs;
  }
}

/** How a test wants its engine. */
export interface BedOptions {
  readonly scripts?: Readonly<Record<string, Script>>;
  readonly kinds?: readonly Kind[];
  readonly limits?: Partial<TaskLimits>;
  readonly now?: () => number;
  readonly store?: Store;
}

/** An engine under test with what the tests do all the time. */
export interface Bed {
  readonly store: Store;
  readonly engine: TaskEngine;
  readonly faults: unknown[];
  enqueue(kind: string, changes?: Partial<NewTask>): Promise<Task>;
  get(id: string, owner?: TaskOwner): Promise<Task>;
  ended(id: string, owner?: TaskOwner): Promise<Task>;
  row(id: string): Promise<TaskRow>;
}

/** A kind whose typed errors end as results, as tools do. */
export function scripted(kind: string, script: Script, version = 1): Kind {
  return {
    kind,
    version,
    async run(input, run) {
      try {
        return { outcome: 'completed', result: (await script(run, input)) ?? null };
      } catch (error) {
        if (run.signal.aborted || !(error instanceof ToolError)) throw error;
        const { code, message, data } = error;
        return { outcome: 'completed', result: { code, message, data } };
      }
    },
  };
}

/** Looks often, so that a turned clock is noticed soon. */
export const EAGER: Partial<TaskLimits> = { takeoverMs: 20 };

/** Opens a store with the tables, and a started engine on it. */
export async function openBed(open: OpenStore, options: BedOptions = {}): Promise<Bed> {
  const store = options.store ?? (await open());
  await store.migrate([taskMigrations]);
  const faults: unknown[] = [];
  const engine = createTaskEngine({
    store,
    limits: { ...EAGER, ...options.limits },
    onFault: (error) => faults.push(error),
    ...(options.now !== undefined && { now: options.now }),
  });
  for (const [kind, script] of Object.entries(options.scripts ?? {})) engine.register(scripted(kind, script));
  for (const kind of options.kinds ?? []) engine.register(kind);
  engine.start();
  onTestFinished(() => engine.stop());
  return {
    store,
    engine,
    faults,
    enqueue: (kind, changes = {}) =>
      engine.enqueue({
        kind,
        input: null,
        caller: testCaller(),
        capabilities: { elicitation: { form: {} }, sampling: {} },
        ...changes,
      }),
    async get(id, owner = OWNER) {
      const task = await engine.get(owner, id);
      if (task === undefined) throw new Error(`There is no task ${id}.`);
      return task;
    },
    ended: (id, owner = OWNER) => untilFinal(engine, owner, id, AbortSignal.timeout(DEADLINE_MS)),
    row: (id) =>
      store.db<TaskTables>().selectFrom('tasks').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
  };
}

/** A question with one field. */
export function question(message: string, field = 'name', type = 'string'): InputRequest {
  const requestedSchema = { type: 'object', properties: { [field]: { type } }, required: [field] };
  return { method: 'elicitation/create', params: { message, requestedSchema } };
}

/** An accepted form. */
export function accept(content: Record<string, unknown>): Record<string, unknown> {
  return { action: 'accept', content };
}

/** A client that can be asked nothing. */
export const MUTE: ClientCapabilities = {};

/** A promise that the test settles. */
export function gate(): { readonly opened: Promise<void>; open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

/** Resolves when the run's signal fires, and throws its reason as well-behaved code does. */
export function untilStopped({ signal }: TaskRun): Promise<never> {
  return new Promise((_resolve, reject) => {
    // The reasons of the engine are errors.
    const stop = () => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
  });
}

export interface LostAnswers {
  readonly lane: Lane;
  /** Whether this is an answer to lose. */
  isMeant(rows: readonly unknown[]): boolean;
}

/** A store whose commits are done, but whose answers do not come, when the test says so. */
export function withLostAnswers(
  store: Store,
  { lane, isMeant }: LostAnswers = { lane: 'ending', isMeant: () => true },
) {
  let left = 0;
  const transaction: Store['transaction'] = async (work, options = {}) => {
    if ((options.lane ?? 'general') !== lane || left === 0) return store.transaction(work, options);
    let isLost = false;
    // What is told with a commit is told by whoever hears of it.
    const unheard = (tx: StoreTransaction): StoreTransaction => ({
      ...tx,
      signal: async () => undefined,
      last: (query, done) =>
        tx.last(query, (rows) => {
          isLost ||= isMeant(rows);
          return isLost ? undefined : done?.(rows);
        }),
    });
    const result = await store.transaction((tx) => work(unheard(tx)), options);
    if (!isLost) return result;
    left -= 1;
    throw new StoreUnavailableError('lost');
  };
  return {
    store: { ...store, transaction },
    loseTimes: (times: number) => {
      left = times;
    },
  };
}

/** A store whose writes of what ends work fail when the test says so. */
export function withFaults(store: Store, error: Error) {
  let left = 0;
  const transaction: Store['transaction'] = (work, options) => {
    if (options?.lane !== 'ending' || left === 0) return store.transaction(work, options);
    left -= 1;
    return Promise.reject(error);
  };
  return {
    store: { ...store, transaction },
    failTimes: (times: number) => {
      left = times;
    },
  };
}
