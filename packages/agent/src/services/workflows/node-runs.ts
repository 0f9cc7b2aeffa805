/** The rows of node runs: begun once, ended once, and read again where a crash cut off what came between. */
import type { StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { GraphNode } from './graph.ts';
import type { WorkflowParts } from './parts.ts';
import type { NodeRunRow, WorkflowRunRow, WorkflowTables } from './schema.ts';
import type { NodeOutcome, NodeTime } from './walk.ts';

type Parts = Pick<WorkflowParts, 'store' | 'now'>;

/** Writes that a node runs; returns how it came out, when it is known that it ended. */
export async function beginNodeRun(
  { store, now }: Parts,
  run: WorkflowRunRow,
  node: GraphNode,
  { attempt, position }: NodeTime,
): Promise<NodeOutcome | undefined> {
  const at = now();
  const row: NodeRunRow = {
    organization_id: run.organization_id,
    run_id: run.id,
    node_id: node.id,
    attempt,
    position,
    type: node.type,
    status: 'running',
    output: null,
    error: null,
    session_id: null,
    created_at: at,
    updated_at: at,
    finished_at: null,
  };
  const db = store.db<WorkflowTables>();
  await db
    .insertInto('workflow_node_runs')
    .values(row)
    .onConflict((conflict) => conflict.columns(['run_id', 'node_id', 'attempt']).doNothing())
    .execute();
  const known = await db
    .selectFrom('workflow_node_runs')
    .select(['status', 'output'])
    .where('run_id', '=', run.id)
    .where('node_id', '=', node.id)
    .where('attempt', '=', attempt)
    .executeTakeFirst();
  if (known?.status !== 'completed') return undefined;
  return { isOk: true, output: fromJson<unknown>(known.output ?? 'null') };
}

/** How a node came out. */
export interface EndedNode {
  readonly node: GraphNode;
  readonly when: NodeTime;
  readonly outcome: NodeOutcome;
  readonly sessionId?: string | undefined;
}

export async function endNodeRun(
  { store, now }: Parts,
  run: WorkflowRunRow,
  { node, when, outcome, sessionId }: EndedNode,
): Promise<void> {
  const at = now();
  await store
    .db<WorkflowTables>()
    .updateTable('workflow_node_runs')
    .set({
      status: outcome.isOk ? 'completed' : 'failed',
      output: outcome.isOk ? toJson(outcome.output) : null,
      error: outcome.isOk ? null : storable(`${outcome.code}: ${outcome.message}`),
      session_id: sessionId ?? null,
      updated_at: at,
      finished_at: at,
    })
    .where('run_id', '=', run.id)
    .where('node_id', '=', node.id)
    .where('attempt', '=', when.attempt)
    .execute();
}

/** The run is over, and with it what it still did. */
export async function stopNodeRuns(tx: StoreTransaction, runId: string, at: number): Promise<void> {
  await tx
    .db<WorkflowTables>()
    .updateTable('workflow_node_runs')
    .set({ status: 'cancelled', updated_at: at, finished_at: at })
    .where('run_id', '=', runId)
    .where('status', '=', 'running')
    .execute();
}

/** Text that every database takes. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed().slice(0, 1000);
}
