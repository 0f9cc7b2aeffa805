/** Workflows of agents: made, switched on and triggered by the agent whose they are. */
import { systemCaller, ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { Acting } from '../../session.ts';
import type { Whose } from '../schedules/rows.ts';
import { iso } from '../schedules/rows.ts';
import type { Graph, WrittenGraph } from './graph.ts';
import { checkGraph } from './graph.ts';
import type { RunSnapshot, WorkflowParts } from './parts.ts';
import type { WorkflowRunInput } from './run.ts';
import { endRun, WORKFLOW_RUN, workflowRunKind } from './run.ts';
import type { WorkflowRow, WorkflowRunRow, WorkflowStatus, WorkflowTables } from './schema.ts';

/** What a workflow is made from. */
export interface NewWorkflow {
  readonly name: string;
  readonly description?: string | undefined;
  readonly graph: WrittenGraph;
  readonly defaultProjectId?: string | undefined;
  readonly maxConcurrency?: number | undefined;
}

export interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly status: WorkflowStatus;
}

export interface Workflow extends ListedWorkflow {
  readonly description: string;
  readonly graph: Graph;
  readonly default_project_id: string | null;
  readonly max_concurrency: number;
}

export interface WorkflowRun {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

/** One run, node by node. */
export interface WorkflowRunDetail extends WorkflowRun {
  readonly output: unknown;
  readonly nodes: readonly {
    readonly node_id: string;
    readonly type: string;
    readonly status: string;
    readonly error: string | null;
    readonly session_id: string | null;
    readonly started_at: string;
    readonly finished_at: string | null;
  }[];
}

/** Which runs are wanted. */
export interface RunQuery {
  readonly limit: number;
  /** The id of the last one that was seen. */
  readonly before?: string | undefined;
}

export interface Workflows {
  list(of: Whose): Promise<ListedWorkflow[]>;
  create(acting: Acting, wanted: NewWorkflow): Promise<ListedWorkflow>;
  get(of: Whose, id: string): Promise<Workflow>;
  setStatus(acting: Acting, id: string, status: 'active' | 'paused'): Promise<ListedWorkflow>;
  /** Starts a run of an active one; it goes on by itself. */
  trigger(acting: Acting, id: string, input: Readonly<Record<string, unknown>>): Promise<WorkflowRun>;
  /** The newest first; 20 where nothing is said. */
  runs(of: Whose, id: string, query?: RunQuery): Promise<WorkflowRun[]>;
  run(of: Whose, runId: string): Promise<WorkflowRunDetail>;
  /** Ends runs whose work was given up. */
  check(): Promise<void>;
}

const MOST_PER_AGENT = 100;
const MOST_RUNNING = 20;
const MAX_INPUT_BYTES = 65_536;
const SHOWN_RUNS = 20;
const SHOWN_ERROR = 80;
const LOST_AFTER_MS = 60_000;

export function createWorkflows(parts: WorkflowParts): Workflows {
  const { store, tasks, now } = parts;
  tasks.register(workflowRunKind(parts));

  return {
    list: async (acting) =>
      (await workflowsOf(store, acting).orderBy('created_at').orderBy('id').execute()).map(listed),

    async create(acting, { name, description = '', graph, defaultProjectId = null, maxConcurrency = 2 }) {
      const checked = checkGraph(graph);
      const at = now();
      const row: WorkflowRow = {
        id: typeId('wf', at),
        organization_id: acting.organizationId,
        agent_id: acting.agentId,
        name,
        description,
        graph: toJson(checked),
        default_project_id: defaultProjectId,
        max_concurrency: maxConcurrency,
        status: 'draft',
        version: 1,
        created_at: at,
        updated_at: at,
      };
      await store.transaction(async (tx) => {
        await tx.exclusive(`agent.workflows ${acting.agentId}`);
        const there = await workflowsOf(tx, acting).execute();
        if (there.length >= MOST_PER_AGENT)
          throw new ToolError('limit_reached', `An agent may have at most ${MOST_PER_AGENT} workflows.`);
        await tx.db<WorkflowTables>().insertInto('workflows').values(row).execute();
      });
      return listed(row);
    },

    async get(acting, id) {
      const row = await findWorkflow(store, acting, id);
      const { description, default_project_id, max_concurrency } = row;
      const graph = fromJson<Graph>(row.graph);
      return { ...listed(row), description, graph, default_project_id, max_concurrency };
    },

    setStatus: (acting, id, status) =>
      store.transaction(async (tx) => {
        const row = await holdWorkflow(tx, acting, id);
        const change = { status, updated_at: now() };
        await tx.db<WorkflowTables>().updateTable('workflows').set(change).where('id', '=', id).execute();
        return listed({ ...row, status });
      }),

    async trigger(acting, id, input) {
      const text = toJson(input);
      if (Buffer.byteLength(text) > MAX_INPUT_BYTES)
        throw new ToolError('invalid', `input: must have at most ${MAX_INPUT_BYTES} bytes`);
      return store.transaction(async (tx) => {
        const workflow = await holdWorkflow(tx, acting, id);
        if (workflow.status !== 'active')
          throw new ToolError('not_active', `The workflow is ${workflow.status}. Activate it first.`);
        await tx.exclusive(`agent.workflow_runs ${acting.agentId}`);
        await refuseTooMany(tx, acting.agentId);
        const row = newRun(workflow, acting, text, now());
        const taskInput: WorkflowRunInput = { runId: row.id };
        const task = await tasks.enqueueIn(tx, {
          kind: WORKFLOW_RUN,
          input: taskInput,
          caller: ownerOf(row),
          capabilities: {},
          idempotencyKey: `${WORKFLOW_RUN}:${row.id}`,
        });
        const written = { ...row, task_id: task.id };
        await tx.db<WorkflowTables>().insertInto('workflow_runs').values(written).execute();
        return shownRun(written);
      });
    },

    async runs(of, id, { limit, before } = { limit: SHOWN_RUNS }) {
      await findWorkflow(store, of, id);
      // Ids begin with the time, so that their order is that of the making.
      let query = store
        .db<WorkflowTables>()
        .selectFrom('workflow_runs')
        .selectAll()
        .where('workflow_id', '=', id)
        .orderBy('id', 'desc')
        .limit(limit);
      if (before !== undefined) query = query.where('id', '<', before);
      return (await query.execute()).map(shownRun);
    },

    async run(of, runId) {
      const db = store.db<WorkflowTables>();
      const row = await db
        .selectFrom('workflow_runs')
        .selectAll()
        .where('organization_id', '=', of.organizationId)
        .where('agent_id', '=', of.agentId)
        .where('id', '=', runId)
        .executeTakeFirst();
      if (row === undefined) throw new ToolError('not_found', 'Run not found');
      const nodes = await db
        .selectFrom('workflow_node_runs')
        .selectAll()
        .where('run_id', '=', runId)
        .orderBy('position')
        .execute();
      return {
        ...shownRun(row),
        output: row.output === null ? null : fromJson<unknown>(row.output),
        nodes: nodes.map((node) => ({
          node_id: node.node_id,
          type: node.type,
          status: node.status,
          error: node.error === null ? null : shortened(node.error),
          session_id: node.session_id,
          started_at: iso(node.created_at),
          finished_at: iso(node.finished_at),
        })),
      };
    },

    async check() {
      const running = await store
        .db<WorkflowTables>()
        .selectFrom('workflow_runs')
        .selectAll()
        .where('status', '=', 'running')
        .where('created_at', '<=', now() - LOST_AFTER_MS)
        .execute();
      for (const row of running) {
        const { organizationId, id: ownerId } = ownerOf(row);
        const task = await tasks.get({ organizationId, ownerId }, row.task_id ?? '');
        if (task === undefined || task.finishedAt !== null)
          await endRun(parts, row.id, { isOk: false, error: 'The work was given up.' });
      }
    },
  };
}

function shortened(error: string): string {
  return error.length <= SHOWN_ERROR ? error : `${error.slice(0, SHOWN_ERROR - 1).toWellFormed()}\u2026`;
}

// No person or key has this id, so none finds runs among its tasks; each agent has its own share of places.
const ownerOf = ({ organization_id, agent_id }: Pick<WorkflowRunRow, 'organization_id' | 'agent_id'>) =>
  systemCaller(`system_workflows_${agent_id}`, 'Workflows', organization_id);

function newRun(workflow: WorkflowRow, acting: Acting, input: string, at: number): WorkflowRunRow {
  const snapshot: RunSnapshot = {
    graph: fromJson<Graph>(workflow.graph),
    maxConcurrency: workflow.max_concurrency,
    projectId: workflow.default_project_id ?? undefined,
  };
  return {
    id: typeId('run', at),
    organization_id: workflow.organization_id,
    agent_id: workflow.agent_id,
    workflow_id: workflow.id,
    snapshot: toJson(snapshot),
    input,
    depth: acting.depth,
    unattended: acting.unattended ? 1 : 0,
    status: 'running',
    output: null,
    error: null,
    task_id: null,
    finished_at: null,
    created_at: at,
    updated_at: at,
  };
}

function workflowsOf(on: Queryable, { organizationId, agentId }: Whose) {
  return on
    .db<WorkflowTables>()
    .selectFrom('workflows')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId);
}

async function findWorkflow(on: Queryable, of: Whose, id: string): Promise<WorkflowRow> {
  const row = await workflowsOf(on, of).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noWorkflow();
  return row;
}

async function holdWorkflow(tx: StoreTransaction, acting: Acting, id: string): Promise<WorkflowRow> {
  const row = await tx.locked(workflowsOf(tx, acting).where('id', '=', id)).executeTakeFirst();
  if (row === undefined) throw noWorkflow();
  return row;
}

function noWorkflow(): ToolError {
  return new ToolError('not_found', 'Workflow not found');
}

async function refuseTooMany(tx: StoreTransaction, agentId: string): Promise<void> {
  const running = await tx
    .db<WorkflowTables>()
    .selectFrom('workflow_runs')
    .select('id')
    .where('agent_id', '=', agentId)
    .where('status', '=', 'running')
    .limit(MOST_RUNNING)
    .execute();
  if (running.length >= MOST_RUNNING)
    throw new ToolError(
      'limit_reached',
      `An agent may have at most ${MOST_RUNNING} runs at once. Wait until one is over.`,
    );
}

function listed({ id, name, status }: WorkflowRow): ListedWorkflow {
  return { id, name, status };
}

function shownRun(row: WorkflowRunRow): WorkflowRun {
  return {
    id: row.id,
    status: row.status,
    error: row.error,
    started_at: iso(row.created_at),
    finished_at: iso(row.finished_at),
  };
}
