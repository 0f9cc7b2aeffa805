/** Worker processes and an observer beside them, for the fault tests of tasks. */
import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testCaller } from '@parley/kit/testing';
import type { Store, StoreOptions } from '@parley/store';
import type { OpenStore } from '@parley/store/testing';
import { createTaskEngine, taskMigrations, untilFinal } from '@parley/tasks';
import type { Task, TaskEngine, TaskLimits } from '@parley/tasks';
import { DEADLINE_MS, eventually } from '@parley/test-support/eventually';
import { onTestFinished } from 'vitest';
import type { Command, JobInput, ProgramOptions, Report } from './tasks-program.ts';

interface Tables {
  tasks: { id: string; state: string; worker_id: string | null; lease_until: number | null };
  task_steps: { task_id: string; due_at: number | null };
}

/** Who owns the tasks. */
export const OWNER = { organizationId: 'org_test', ownerId: 'caller_test' };

const MINUTE_MS = 60_000;

/** Looks often; the lease stays long, so that no living worker looks dead, however busy the machine is. */
const QUICK: Partial<TaskLimits> = { renewMs: 250, takeoverMs: 100, heldSleepMs: 30 * MINUTE_MS };

/** For a worker that comes later: whatever an earlier one held or waited for is over by its clock. */
export const LATER = { aheadMs: 60 * MINUTE_MS };

/** A worker in a process of its own. */
export interface WorkerProcess {
  readonly child: ChildProcess;
  tell(command: Command): void;
  /** The first report that fits, also when it came before. */
  heard<T extends Report>(isIt: (report: Report) => report is T): Promise<T>;
  /** Stops it between two writes: on SQLite nobody else writes while one stands still in the middle of its own. */
  freeze(): Promise<void>;
  /** Ends the process at once and waits for its end. */
  kill(): Promise<void>;
  readonly gone: Promise<unknown>;
}

/** Everything that one test has. */
export interface FaultBed {
  readonly store: Store;
  /** Looks and asks, and runs nothing. */
  readonly observer: TaskEngine;
  work(name: string, options?: Partial<ProgramOptions>): Promise<WorkerProcess>;
  enqueue(input: JobInput, ownerId?: string): Promise<Task>;
  get(id: string): Promise<Task>;
  ended(id: string, ownerId?: string): Promise<Task>;
  /** Ends the leases of a dead worker now, beside one that lives and keeps its own. */
  lapse(name: string): Promise<void>;
  /** Whether a sleep or a retry of the task is written down and not yet over. */
  isWaiting(id: string): Promise<boolean>;
  /** Whether a worker has run anything yet. */
  hasWorked(name: string): boolean;
  /** The steps of a task that had an effect outside, in order. */
  effects(id?: string): string[];
}

/** A fresh database with an observer. */
export async function openFaultBed(open: OpenStore, where: () => Promise<StoreOptions>): Promise<FaultBed> {
  const at = await where();
  const effects = join(at.dataDir, 'effects.txt');
  const store = await open();
  await store.migrate([taskMigrations]);
  writeFileSync(effects, '');
  const observer = createTaskEngine({ store, limits: { runningPerProcess: 0, takeoverMs: 3_600_000 } });
  observer.register({ kind: 'job', version: 1, run: () => Promise.reject(new Error('Runs nothing.')) });
  observer.start();
  const linesOf = (name: string) =>
    readFileSync(effects, 'utf8')
      .split('\n')
      .filter((line) => line.endsWith(` ${name}`));
  onTestFinished(() => observer.stop());
  return {
    store,
    observer,
    work: (name, options = {}) =>
      startWorker({ name, store: at, effects, mayHang: false, limits: QUICK, aheadMs: 0, ...options }, () =>
        writeNothing(store),
      ),
    enqueue: (input, ownerId = OWNER.ownerId) =>
      observer.enqueue({
        kind: 'job',
        input,
        caller: testCaller({ id: ownerId }),
        capabilities: { elicitation: {} },
      }),
    async get(id) {
      const task = await observer.get(OWNER, id);
      if (task === undefined) throw new Error(`There is no task ${id}.`);
      return task;
    },
    ended: (id, ownerId = OWNER.ownerId) =>
      untilFinal(observer, { ...OWNER, ownerId }, id, AbortSignal.timeout(DEADLINE_MS)),
    async lapse(name) {
      const ids = linesOf(name).map((line) => line.split(' ')[0] ?? '');
      const workers = store
        .db<Tables>()
        .selectFrom('tasks')
        .select('worker_id')
        .where('state', '=', 'running')
        .where('id', 'in', ids);
      await store
        .db<Tables>()
        .updateTable('tasks')
        .set({ lease_until: 1 })
        .where('state', '=', 'running')
        .where('worker_id', 'in', workers)
        .execute();
    },
    hasWorked: (name) => linesOf(name).length > 0,
    async isWaiting(id) {
      const waiting = await store
        .db<Tables>()
        .selectFrom('task_steps')
        .select('task_id')
        .where('task_id', '=', id)
        .where('due_at', 'is not', null)
        .executeTakeFirst();
      return waiting !== undefined;
    },
    effects: (id = '') =>
      readFileSync(effects, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith(id) && line !== '')
        .map((line) => line.split(' ')[1] ?? ''),
  };
}

/** Writes as soon as somebody may, and changes nothing. */
async function writeNothing(store: Store): Promise<void> {
  await store.db<Tables>().updateTable('tasks').set({ lease_until: 1 }).where('id', '=', '').execute();
}

async function startWorker(options: ProgramOptions, write: () => Promise<void>): Promise<WorkerProcess> {
  const program = join(import.meta.dirname, 'tasks-program.ts');
  const child = fork(program, [JSON.stringify(options)], { execArgv: [] });
  const gone = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  const reports: Report[] = [];
  child.on('message', (report: Report) => reports.push(report));
  const worker: WorkerProcess = {
    child,
    gone,
    tell: (command) => {
      child.send(command);
    },
    heard: (isIt) =>
      eventually(() => {
        const report = reports.find(isIt);
        if (report === undefined)
          throw new Error(`${options.name} has not said it: ${JSON.stringify(reports)}`);
        return report;
      }),
    freeze: () =>
      eventually(async () => {
        child.kill('SIGSTOP');
        try {
          await write();
        } catch (error) {
          child.kill('SIGCONT');
          throw error;
        }
      }),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
  await worker.heard((report): report is Report => 'ready' in report);
  return worker;
}
