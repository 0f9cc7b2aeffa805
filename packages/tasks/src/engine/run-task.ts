/** One run of one claimed task, from its history to its end or its next wait. */
import type { ClientCapabilities } from '@parley/kit';
import { Leave } from '@parley/kit';
import type { Store } from '@parley/store';
import { fromJson } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { TaskChanges } from './changes.ts';
import type { Ending } from './finish.ts';
import { finish, LeaseLost } from './finish.ts';
import { Journal } from './journal.ts';
import type { Kind } from './kinds.ts';
import { TaskStopped } from './kinds.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { OrderFault, RunContext } from './run-context.ts';
import type { Sleeper } from './sleeper.ts';

/** What a run needs. */
export interface RunTaskOptions {
  readonly store: Store;
  readonly changes: TaskChanges;
  readonly limits: TaskLimits;
  readonly now: () => number;
  readonly onFault: (error: unknown, where: string) => void;
  readonly row: TaskRow;
  readonly kind: Kind;
  readonly controller: AbortController;
  readonly sleeper: Sleeper;
  readonly progress: ProgressWriter;
}

const INTERNAL = -32603;

/** Runs the task until it ends, parks or is stopped. */
export async function runTask(options: RunTaskOptions): Promise<void> {
  const { row, limits } = options;
  try {
    if (row.cancel_reason !== null)
      return await end(options, { outcome: 'cancelled', reason: row.cancel_reason });
    if (row.crashes >= limits.crashes) {
      const message = `The task ended its worker ${limits.crashes} times in a row and was given up.`;
      return await end(options, { outcome: 'failed', error: { code: INTERNAL, message } });
    }
    await enter(options);
  } catch (error) {
    // Someone else has the task now, and with it every right to write.
    if (!(error instanceof LeaseLost)) throw error;
  }
}

async function enter(options: RunTaskOptions): Promise<void> {
  const { store, row, changes, limits, now, sleeper, progress, controller } = options;
  const journal = await Journal.open(store, row, changes, now);
  const io = new RunContext({
    taskId: row.id,
    // Written by us when the task was made.
    capabilities: fromJson<ClientCapabilities>(row.capabilities),
    journal,
    limits,
    sleeper,
    signal: controller.signal,
    now,
    reported: row.progress_done,
    onProgress: (done, total, message) => progress.report(row, { done, total }, message),
  });
  const ended = await untilCutOff(options, io);
  await progress.flush(row.id);
  if ('ending' in ended) return end(options, ended.ending);
  if (ended.error instanceof Leave) {
    // Questions asked side by side are all registered before the run is left.
    await new Promise(setImmediate);
    if (!controller.signal.aborted)
      return journal.park({ asks: io.asks, waiting: io.waiting, dueAt: io.dueAt });
  }
  return endByError(options, ended.error);
}

type Ended = { readonly ending: Ending } | { readonly error: unknown };

/** Runs the code; when it ignores its signal it is cut off after the grace time, and its writes are refused. */
async function untilCutOff(options: RunTaskOptions, io: RunContext): Promise<Ended> {
  const { row, kind, controller, limits } = options;
  const owner = { organizationId: row.organization_id, ownerId: row.owner_id };
  const run = { taskId: row.id, owner, io, signal: controller.signal };
  const work = Promise.resolve()
    .then(() => kind.run(fromJson<unknown>(row.input), run))
    .then((ending): Ended => ({ ending }))
    .catch((error: unknown): Ended => ({ error }));
  let timer: NodeJS.Timeout | undefined;
  const cut = new Promise<Ended>((resolve) => {
    controller.signal.addEventListener(
      'abort',
      () => {
        timer = setTimeout(() => resolve({ error: controller.signal.reason }), limits.graceMs);
      },
      { once: true },
    );
  });
  const ended = await Promise.race([work, cut]);
  clearTimeout(timer);
  return ended;
}

async function endByError(options: RunTaskOptions, error: unknown): Promise<void> {
  const { controller, row, now } = options;
  const reason: unknown = controller.signal.aborted ? controller.signal.reason : undefined;
  if (reason instanceof TaskStopped && reason.why === 'shutdown') return release(options);
  if (reason instanceof TaskStopped && reason.why === 'cancel') {
    return end(options, { outcome: 'cancelled', reason: await cancelReason(options) });
  }
  if (error instanceof LeaseLost) throw error;
  if (error instanceof OrderFault) {
    return end(options, { outcome: 'failed', error: { code: INTERNAL, message: error.message } });
  }
  options.onFault(error, `task ${row.kind} at ${now()}`);
  return end(options, { outcome: 'failed', error: { code: INTERNAL, message: 'Internal error' } });
}

async function end(options: RunTaskOptions, ending: Ending): Promise<void> {
  const { store, row, changes, limits, now } = options;
  await store.transaction(async (tx) => {
    await finish(tx, row, ending, now(), limits);
    await changes.announce(tx, row.id);
  });
}

/** Gives the task back untouched; whoever starts next goes on with it. */
async function release({ store, row, now }: RunTaskOptions): Promise<void> {
  await store
    .db<TaskTables>()
    .updateTable('tasks')
    .set({ state: 'ready', worker_id: null, lease_until: null, due_at: now(), fence: row.fence + 1 })
    .where('id', '=', row.id)
    .where('fence', '=', row.fence)
    .where('state', '=', 'running')
    .execute();
}

async function cancelReason({ store, row }: RunTaskOptions): Promise<string> {
  const found = await store
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('cancel_reason')
    .where('id', '=', row.id)
    .executeTakeFirst();
  return found?.cancel_reason ?? 'The task was cancelled.';
}
