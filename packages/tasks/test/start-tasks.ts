/** A toolset with real tasks behind an in-memory client: a throwaway store, the engine, and no port. */
import type { AnyTool, Caller, Source, Toolset } from '@parley/kit';
import type { Answers, TestClient } from '@parley/kit/testing';
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import type { SeamOptions, TaskEngine, TaskLimits } from '../src/index.ts';
import { createTaskEngine, createTaskSeam, taskMigrations, toolKinds } from '../src/index.ts';
import type { TaskServices } from '../src/services/tasks.ts';

/** A client and the engine behind it. */
export interface TestTasks<Tools extends readonly AnyTool[]> extends AsyncDisposable {
  readonly client: TestClient<Tools>;
  readonly tasks: TaskEngine;
  /** What was reported as a fault of ours. */
  readonly faults: unknown[];
  /** Another caller on the same tasks. */
  another(as: Partial<Caller>): Promise<TestClient<Tools>>;
}

/** What a test may change. */
export interface TestTasksOptions {
  readonly era?: 'modern' | 'legacy';
  readonly answers?: Answers;
  readonly limits?: Partial<TaskLimits>;
  readonly times?: SeamOptions;
  readonly now?: () => number;
  /** What is served besides the toolset. */
  readonly sources?: readonly Source[];
}

/** Starts; `await using` stops it and removes its data. */
export async function startTasks<Services, Tools extends readonly AnyTool[]>(
  toolset: Toolset<Services, never, Tools>,
  options: TestTasksOptions = {},
): Promise<TestTasks<Tools>> {
  const { era = 'modern', answers = {}, limits = {}, times = {}, now = Date.now, sources = [] } = options;
  const store = await scratchStore();
  await store.migrate([taskMigrations]);
  const faults: unknown[] = [];
  const tasks = createTaskEngine({ store, limits, now, onFault: (error) => faults.push(error) });
  const seam = createTaskSeam(tasks, { now, ...times });
  // A toolset of these tests needs the engine or nothing at all.
  const services = { tasks } satisfies TaskServices as Services;
  const open: TestClient<Tools>[] = [];
  const another = async (as: Partial<Caller>) => {
    const client = await connect(toolset, { as, era, answers, services, sources, tasks: seam });
    open.push(client);
    return client;
  };
  const client = await another({});
  for (const kind of toolKinds(client.engine, async (caller) => caller)) tasks.register(kind);
  tasks.start();
  return {
    client,
    tasks,
    faults,
    another,
    async [Symbol.asyncDispose]() {
      await tasks.stop();
      for (const one of open) await one.close();
      await store[Symbol.asyncDispose]();
    },
  };
}
