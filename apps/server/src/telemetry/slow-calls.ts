/** The line in the log about a call that took long: where its time went. */
import type { CallRecord } from '@parley/kit';
import type { Spending, Spent, SpentOn } from '@parley/store';
import type { RunReport } from '@parley/tasks';
import type { Logger } from 'pino';
import { redactRecord } from '../redaction/credentials.ts';

export interface SlowCalls {
  observe(record: CallRecord): void;
  /** The same for a run of a task of a caller. */
  onRun(report: RunReport): void;
}

export interface SlowCallOptions {
  readonly log: Logger;
  /** A call that takes as long as this is told of. */
  readonly slowMs: number;
  readonly spending: () => Spending;
  readonly spentOf: (info: CallRecord['info']) => Spent | undefined;
}

/** When everything is slow, some lines say as much as all of them. */
const MOST_PER_SECOND = 20;

export function createSlowCalls({ log, slowMs, spending, spentOf }: SlowCallOptions): SlowCalls {
  let second = 0;
  let written = 0;
  let unwritten = 0;

  function tell(facts: object, what: string): void {
    const now = Math.floor(performance.now() / 1000);
    if (now !== second) [second, written] = [now, 0];
    if (written >= MOST_PER_SECOND) {
      unwritten += 1;
      return;
    }
    written += 1;
    log.warn({ ...facts, ...(unwritten > 0 && { unwritten }) }, what);
    unwritten = 0;
  }

  return {
    observe(record) {
      // Its request may have waited before the call began.
      const around = spending().current();
      const admitMs = around?.admitMs ?? 0;
      if (record.durationMs + admitMs < slowMs) return;
      const parts = partsOf(record, spentOf(record.info) ?? around);
      if (record.durationMs + admitMs - parts.waitedMs < slowMs) return;
      const { caller, method, name, toolset, outcome, code, info } = redactRecord(record);
      tell(
        {
          method,
          name,
          toolset,
          outcome,
          ...(code !== null && { code }),
          organizationId: caller.organizationId,
          callerId: caller.id,
          ...(info.id !== null && { requestId: info.id }),
          durationMs: rounded(record.durationMs + admitMs),
          admitMs: rounded(admitMs),
          ...parts,
        },
        'slow call',
      );
    },
    onRun({ taskId, kind, pool, queueMs, runMs }) {
      // What the server does for itself may take as long as it likes.
      if (pool === 'system' || queueMs + runMs < slowMs) return;
      const parts = partsOf({ durationMs: runMs }, spending().current());
      if (queueMs + runMs - parts.waitedMs < slowMs) return;
      const durationMs = rounded(queueMs + runMs);
      tell({ kind, taskId, durationMs, ...parts, queueMs: rounded(queueMs + parts.queueMs) }, 'slow task');
    },
  };
}

/** What is left when all else is taken away is the tool's own. */
function partsOf(
  record: Pick<CallRecord, 'durationMs' | 'upstreamMs' | 'waitedMs'>,
  spent: Spent | undefined,
) {
  const on = (what: SpentOn) => spent?.msOn(what) ?? 0;
  const parts = {
    queueMs: on('queue'),
    databaseMs: on('database'),
    upstreamMs: record.upstreamMs ?? on('upstream'),
    waitedMs: (record.waitedMs ?? 0) + on('purpose'),
  };
  const known = Object.values(parts).reduce((sum, ms) => sum + ms, 0);
  return {
    queueMs: rounded(parts.queueMs),
    databaseMs: rounded(parts.databaseMs),
    upstreamMs: rounded(parts.upstreamMs),
    waitedMs: rounded(parts.waitedMs),
    toolMs: rounded(Math.max(0, record.durationMs - known)),
  };
}

const rounded = (ms: number) => Math.round(ms);
