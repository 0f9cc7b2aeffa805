/** The durable task of a workflow's run: each node run is a step over a row, so a crash repeats no node that is done. */
import { Leave, ToolError } from '@parley/kit';
import { fromJson, StoreUnavailableError, toJson } from '@parley/store';
import type { Ending, Kind, TaskRun } from '@parley/tasks';
import { actingOf } from '../../session.ts';
import type { RunData } from './data.ts';
import type { GraphNode } from './graph.ts';
import type { NodeKind, NodeResult, NodeWork } from './nodes.ts';
import { NODES } from './nodes.ts';
import { beginNodeRun, endNodeRun, stopNodeRuns } from './node-runs.ts';
import type { RunSnapshot, WorkflowParts } from './parts.ts';
import type { WorkflowRunRow, WorkflowTables } from './schema.ts';
import type { NodeOutcome, NodeTime, WalkOutcome } from './walk.ts';
import { walk } from './walk.ts';

export const WORKFLOW_RUN = 'agent.workflow-run';

/** What such a task is told. */
export interface WorkflowRunInput {
  readonly runId: string;
}

const DONE: Ending = { outcome: 'completed', result: null };

/** The code of such tasks. */
export function workflowRunKind(parts: WorkflowParts): Kind {
  return {
    kind: WORKFLOW_RUN,
    version: 1,
    async run(input, task) {
      // Written by us when the run was triggered.
      const { runId } = input as WorkflowRunInput;
      const row = await parts.store
        .db<WorkflowTables>()
        .selectFrom('workflow_runs')
        .selectAll()
        .where('id', '=', runId)
        .executeTakeFirst();
      if (row?.status !== 'running') return DONE;
      // Side by side, so that no order holds from here on: branches overtake each other while one sleeps.
      await Promise.all(['begin', 'branches'].map((key) => task.io.step(key, () => null)));
      const outcome = await walkRun(parts, row, task);
      await task.io.step('end', () => endRun(parts, row.id, outcome));
      return DONE;
    },
  };
}

function walkRun(parts: WorkflowParts, row: WorkflowRunRow, task: TaskRun): Promise<WalkOutcome> {
  const { graph, maxConcurrency, projectId } = fromJson<RunSnapshot>(row.snapshot);
  const data: RunData = { input: fromJson<unknown>(row.input), nodes: {} };
  const others = new AbortController();
  const signal = AbortSignal.any([task.signal, others.signal]);
  const { services, isRegistered, now } = parts;
  return walk({
    graph,
    mostAtOnce: maxConcurrency,
    stopOthers: () => others.abort(),
    async runNode(node, when) {
      const key = `${node.id}#${when.attempt}`;
      const work: NodeWork = {
        node,
        key: `${row.id} ${key}`,
        data,
        io: task.io,
        signal,
        services,
        isRegistered,
        now,
        acting: () => actingFor(parts, row),
        projectId,
      };
      const outcome = await runNode(parts, { row, work, when, task });
      if (outcome.isOk) data.nodes[node.id] = outcome.output;
      return outcome;
    },
  });
}

interface NodeRun {
  readonly row: WorkflowRunRow;
  readonly work: NodeWork;
  readonly when: NodeTime;
  readonly task: TaskRun;
}

/** Runs one node: it begins once, waits as long as it has to, and ends once. */
async function runNode(parts: WorkflowParts, run: NodeRun): Promise<NodeOutcome> {
  const { work, task } = run;
  const { node, key } = work;
  // The entry of the table is the one of the node's own type.
  const kind = NODES[node.type] as NodeKind<GraphNode['type']>;
  if (kind.before === undefined)
    return task.io.step(key, () => settled(parts, run, () => kind.run(work, undefined)));
  const begun = await task.io.step(`${key} begin`, () => begin(parts, run, kind));
  if ('failure' in begun) return begun.failure;
  const waited = await tried(parts, run, async () => kind.wait?.(work, begun.value));
  return task.io.step(key, () =>
    settled(parts, run, async () => {
      if ('failure' in waited) throw new ToolError(waited.failure.code, waited.failure.message);
      return kind.run(work, begun.value);
    }),
  );
}

type Failure = Extract<NodeOutcome, { isOk: false }>;
type Tried<T> = { readonly value: T } | { readonly failure: Failure };

async function begin(
  parts: WorkflowParts,
  run: NodeRun,
  kind: NodeKind<GraphNode['type']>,
): Promise<Tried<unknown>> {
  const { row, when } = run;
  const { node } = run.work;
  await beginNodeRun(parts, row, node, when);
  const begun = await tried(parts, run, async () => kind.before?.(run.work));
  if ('failure' in begun) await endNodeRun(parts, row, { node, when, outcome: begun.failure });
  return begun;
}

/** Does the last part of a node and writes down how it came out, unless an earlier run of the task has. */
async function settled(
  parts: WorkflowParts,
  run: NodeRun,
  work: () => Promise<NodeResult> | NodeResult,
): Promise<NodeOutcome> {
  const { row, when } = run;
  const { node } = run.work;
  const known = await beginNodeRun(parts, row, node, when);
  if (known !== undefined) return known;
  const result = await tried(parts, run, async () => work());
  const outcome: NodeOutcome =
    'failure' in result ? result.failure : { isOk: true, output: result.value.output };
  const sessionId = 'failure' in result ? undefined : result.value.sessionId;
  await endNodeRun(parts, row, { node, when, outcome, sessionId });
  return outcome;
}

/** What goes wrong in a node is its outcome; that the task has to stop or wait is not. */
async function tried<T>(
  parts: WorkflowParts,
  { work, task }: NodeRun,
  does: () => Promise<T>,
): Promise<Tried<T>> {
  try {
    return { value: await does() };
  } catch (error) {
    if (task.signal.aborted || error instanceof Leave || error instanceof StoreUnavailableError) throw error;
    if (error instanceof ToolError)
      return { failure: { isOk: false, code: error.code, message: error.message } };
    parts.onFault(error, `workflow node ${work.node.type}`);
    return { failure: { isOk: false, code: 'internal', message: 'Internal error' } };
  }
}

/** The agent as it is now, with nobody watching if nobody did when the run was triggered. */
async function actingFor({ callers }: WorkflowParts, row: WorkflowRunRow) {
  const caller = await callers.acting({
    organizationId: row.organization_id,
    agentId: row.agent_id,
    source: 'agent',
    sessionSource: 'agent',
    depth: row.depth,
    unattended: row.unattended === 1,
  });
  if (caller === undefined)
    throw new ToolError(
      'forbidden',
      'The person whom the agent acts for is not in the organization any more.',
    );
  return actingOf(caller);
}

/** Writes down how a run came out; what still ran is stopped with it. */
export async function endRun(
  { store, now }: Pick<WorkflowParts, 'store' | 'now'>,
  runId: string,
  outcome: WalkOutcome,
): Promise<void> {
  const at = now();
  await store.transaction(async (tx) => {
    await tx
      .db<WorkflowTables>()
      .updateTable('workflow_runs')
      .set({
        status: outcome.isOk ? 'completed' : 'failed',
        output: outcome.isOk ? toJson(outcome.output) : null,
        error: outcome.isOk ? null : outcome.error.slice(0, 1000),
        finished_at: at,
        updated_at: at,
      })
      .where('id', '=', runId)
      .where('status', '=', 'running')
      .execute();
    await stopNodeRuns(tx, runId, at);
  });
}
