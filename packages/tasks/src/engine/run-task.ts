/** One run of one claimed task, from its history to its end or its next wait. */
import type { ClientCapabilities } from '@parley/kit';
import { Leave } from '@parley/kit';
import { fromJson, StoreUnavailableError } from '@parley/store';
import type { TaskLimits } from '../limits.ts';
import type { TaskRow, TaskTables } from '../schema.ts';
import type { EndWriter } from './end-writer.ts';
import type { RunCounts } from './figures.ts';
import type { Ending } from './finish.ts';
import { LeaseLost } from './finish.ts';
import type { JournalOptions, Lease } from './journal.ts';
import { Journal } from './journal.ts';
import type { Kind } from './kinds.ts';
import { TaskStopped } from './kinds.ts';
import { releaseTask } from './lease.ts';
import { persist } from './persist.ts';
import type { ProgressWriter } from './progress-writer.ts';
import { RunContext, RunFault } from './run-context.ts';
import type { Sleeper } from './sleeper.ts';

export interface RunTaskOptions extends JournalOptions {
  readonly ends: EndWriter;
  readonly counts: RunCounts;
  readonly limits: TaskLimits;
  readonly onFault: (error: unknown, where: string) => void;
  readonly row: TaskRow;
  readonly kind: Kind;
  readonly controller: AbortController;
  readonly lease: Lease;
  readonly sleeper: Sleeper;
  readonly progress: ProgressWriter;
  /** Told when the task was let go until a time, or until it is answered. */
  onParked(): void;
}

const INTERNAL = -32603;

/** Runs the task until it ends, parks or is stopped. */
export async function runTask(options: RunTaskOptions): Promise<void> {
  const { row, limits } = options;
  try {
    if (row.cancel_reason !== null)
      return await end(options, { outcome: 'cancelled', reason: row.cancel_reason });
    if (row.crashes >= limits.crashes) return await end(options, await givenUp(options));
    await enter(options);
  } catch (error) {
    // Someone else has the task now, and with it every right to write.
    if (!(error instanceof LeaseLost)) throw error;
    options.counts.leaseLosses += 1;
    // Or this very run has ended or parked it, and the answer of the database was lost.
    await options.changes.mayHaveChanged(row.id).catch((fault: unknown) => {
      // Then it was no answer that was lost: the run was stopped because the database is away.
      if (!(fault instanceof StoreUnavailableError)) throw fault;
    });
  }
}

async function givenUp({ kind, row, limits, onFault, now }: RunTaskOptions): Promise<Ending> {
  const message = `The task ended its worker ${limits.crashes} times in a row and was given up.`;
  const plain: Ending = { outcome: 'failed', error: { code: INTERNAL, message } };
  try {
    return (await kind.givenUp?.(fromJson<unknown>(row.input), row.id)) ?? plain;
  } catch (error) {
    if (error instanceof StoreUnavailableError) throw error;
    onFault(error, `task ${row.kind} at ${now()}`);
    return plain;
  }
}

async function enter(options: RunTaskOptions): Promise<void> {
  const { row, limits, now, sleeper, progress, controller, lease } = options;
  const journal = await Journal.open(options, { task: row, signal: controller.signal, lease });
  await journal.keep();
  // Cancelled or stopped between the claim and here.
  if (controller.signal.aborted) return endByError(options, controller.signal.reason);
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
    onFault: options.onFault,
  });
  const ended = await untilCutOff(options, io);
  io.close();
  await progress.flush(row.id);
  // Whatever the code made of it: what it did and what is written down are not the same.
  if (journal.fault !== undefined) throw journal.fault;
  if ('ending' in ended) return end(options, ended.ending);
  if (ended.error instanceof Leave && !controller.signal.aborted && io.hasReasonToLeave) {
    await journal.park({ asks: io.asks, waiting: [...io.waiting], dueAt: io.dueAt });
    return options.onParked();
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
    .catch(async (error: unknown): Promise<Ended> => {
      // A step that runs beside what made the task leave is not thrown away.
      if (error instanceof Leave) await io.quiet();
      return { error };
    });
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
  if (reason instanceof TaskStopped && reason.why === 'shutdown')
    return releaseTask(options.store, row, now());
  if (reason instanceof TaskStopped && reason.why === 'cancel') {
    return end(options, { outcome: 'cancelled', reason: await cancelReason(options) });
  }
  if (reason instanceof TaskStopped && reason.why === 'lease_lost') throw new LeaseLost();
  if (error instanceof LeaseLost) throw error;
  // Not the fault of the task: its worker gives it back, and it is run again when the database is there.
  if (error instanceof StoreUnavailableError) throw error;
  if (error instanceof RunFault) {
    return end(options, { outcome: 'failed', error: { code: INTERNAL, message: error.message } });
  }
  options.onFault(error, `task ${row.kind} at ${now()}`);
  return end(options, { outcome: 'failed', error: { code: INTERNAL, message: 'Internal error' } });
}

function end({ ends, row, controller, limits }: RunTaskOptions, ending: Ending): Promise<void> {
  return persist(() => ends.end(row, ending), { signal: controller.signal, forMs: limits.rewriteMs });
}

async function cancelReason({ store, row }: RunTaskOptions): Promise<string> {
  if (row.cancel_reason !== null) return row.cancel_reason;
  const found = await store
    .db<TaskTables>()
    .selectFrom('tasks')
    .select('cancel_reason')
    .where('id', '=', row.id)
    .executeTakeFirst();
  return found?.cancel_reason ?? 'The task was cancelled.';
}
