/** The durable task of an execution: each action is a step, so a crash repeats none that was done. */
import { ToolError } from '@parley/kit';
import type { Ending, Kind, TaskRun } from '@parley/tasks';
import type { Acting } from '../../session.ts';
import { actingOf } from '../../session.ts';
import type { Outcome } from './executions.ts';
import { EXECUTION, settle } from './executions.ts';
import type { ExecutionInput } from './executions.ts';
import type { ScheduleParts } from './parts.ts';
import { snapshotOf } from './rows.ts';
import { scheduledCaller } from './scheduled-caller.ts';
import type { ActionType, ExecutionRow, ScheduleAction, ScheduleTables } from './schema.ts';
import { withinTime } from './within-time.ts';

/** The most that one action may take, the run of an agent included. */
const ACTION_MS = 31 * 60_000;
const MEASURE_MS = 25 * 60_000;
/** What is about the state of a project: how it is then is written down. */
const MEASURED: ReadonlySet<ActionType> = new Set<ActionType>([
  'codebase_review',
  'dependency_audit',
  'improvement_loop',
]);
const DONE: Ending = { outcome: 'completed', result: null };

/** The code of such tasks. */
export function executionKind(parts: ScheduleParts): Kind {
  return {
    kind: EXECUTION,
    version: 1,
    async run(input, run) {
      // Written by us when the execution was started.
      const { executionId } = input as ExecutionInput;
      const row = await parts.store
        .db<ScheduleTables>()
        .selectFrom('schedule_executions')
        .selectAll()
        .where('id', '=', executionId)
        .executeTakeFirst();
      if (row === undefined) return DONE;
      const outcome = await outcomeOf(parts, row, run);
      const isPaused = await run.io.step('settle', () => settle(parts, row.id, outcome));
      if (isPaused) await run.io.step('notify', () => notify(parts, row, outcome));
      return DONE;
    },
  };
}

async function outcomeOf(parts: ScheduleParts, row: ExecutionRow, run: TaskRun): Promise<Outcome> {
  const { actions } = snapshotOf(row);
  const outcomes: Outcome[] = [];
  for (const [index, action] of actions.entries()) {
    const deed = { row, action, index, run };
    const outcome = await run.io.step(`action ${index}`, () => attempt(parts, deed));
    outcomes.push(outcome);
    if (outcome.isOk && MEASURED.has(action.type))
      await run.io.step(`health ${index}`, () => measure(parts, deed));
  }
  return {
    isOk: outcomes.every(({ isOk }) => isOk),
    text: outcomes.map(({ text }) => text).join('\n'),
  };
}

interface Attempt {
  readonly row: ExecutionRow;
  readonly action: ScheduleAction;
  readonly index: number;
  readonly run: TaskRun;
}

/** Does one action; what goes wrong is its outcome, since a deed is not done twice on a guess. */
async function attempt(parts: ScheduleParts, { row, action, index, run }: Attempt): Promise<Outcome> {
  const { signal } = run;
  try {
    const acting = await actingFor(parts, row);
    const snapshot = snapshotOf(row);
    const text = await withinTime(ACTION_MS, signal, (time) =>
      parts.perform({ acting, action, snapshot, key: `${row.id}:${index}`, signal: time }),
    );
    return { isOk: true, text: `${action.type}: ${text}` };
  } catch (error) {
    // Stopped with the process: the next one does it again.
    if (signal.aborted) throw error;
    if (error instanceof ToolError)
      return { isOk: false, text: `${action.type}: ${error.code}: ${error.message}` };
    parts.onFault(error, `schedule action ${action.type}`);
    return { isOk: false, text: `${action.type}: Internal error` };
  }
}

/** Takes a snapshot of the health of the project; a deed that was done is done, whatever comes of that. */
async function measure(parts: ScheduleParts, { row, action, run }: Attempt): Promise<string | null> {
  try {
    const acting = await actingFor(parts, row);
    const taken = await withinTime(MEASURE_MS, run.signal, (time) =>
      parts.measure(acting, action.project_id, time),
    );
    return taken?.id ?? null;
  } catch (error) {
    if (run.signal.aborted) throw error;
    if (!(error instanceof ToolError)) parts.onFault(error, 'health of a project');
    return null;
  }
}

/** The agent as it is now; nobody watches. */
async function actingFor({ callers }: ScheduleParts, row: ExecutionRow): Promise<Acting> {
  const caller = await scheduledCaller(callers, { ...row, depth: snapshotOf(row).depth });
  if (caller === undefined)
    throw new ToolError(
      'forbidden',
      'The person whom the agent acts for is not in the organization any more.',
    );
  return actingOf(caller);
}

async function notify({ notifyOwner }: ScheduleParts, row: ExecutionRow, { text }: Outcome): Promise<void> {
  const { name } = snapshotOf(row);
  await notifyOwner({
    organizationId: row.organization_id,
    agentId: row.agent_id,
    level: 'error',
    title: `Schedule paused: ${name}`,
    message: `It failed 5 times in a row and is paused until somebody resumes it. The last time: ${text.slice(0, 1000)}`,
    key: `paused ${row.id}`,
  });
}
