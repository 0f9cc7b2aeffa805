/** Owns reading workflows and their runs, and what the agent is made to do with them. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { callAs, pathOf } from './queries.ts';

export interface ListedWorkflow {
  readonly id: string;
  readonly name: string;
  readonly status: 'draft' | 'active' | 'paused';
}

export interface WorkflowNode {
  readonly id: string;
  readonly type: string;
  readonly label: string;
  readonly config?: Readonly<Record<string, unknown>>;
}

export interface WorkflowEdge {
  readonly id: string;
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  readonly condition?: string;
  readonly label?: string;
}

export interface Workflow extends ListedWorkflow {
  readonly description: string;
  readonly nodes: readonly WorkflowNode[];
  readonly edges: readonly WorkflowEdge[];
}

interface Times {
  readonly status: string;
  readonly error: string | null;
  readonly started_at: string;
  readonly finished_at: string | null;
}

export interface WorkflowRun extends Times {
  readonly id: string;
}

export interface NodeRun extends Times {
  readonly node_id: string;
  readonly type: string;
}

export interface WholeRun extends WorkflowRun {
  readonly output: unknown;
  readonly nodes: readonly NodeRun[];
}

/** Steps inside a run are told by no signal, so a run under way is looked at again. */
const LOOK_AGAIN_MS = 1_000;

const workflowsOf = (id: string) => `${pathOf(id)}/workflows`;

export function useWorkflows(agentId: string) {
  return useQuery({
    queryKey: ['agents', 'workflows', agentId],
    queryFn: ({ signal }) => get<readonly ListedWorkflow[]>(workflowsOf(agentId), { signal }),
  });
}

export function useWorkflow(agentId: string, id: string) {
  return useQuery({
    queryKey: ['agents', 'workflow', agentId, id],
    queryFn: ({ signal }) => get<Workflow>(`${workflowsOf(agentId)}/${encodeURIComponent(id)}`, { signal }),
  });
}

export function useRuns(agentId: string, id: string) {
  return useQuery({
    queryKey: ['agents', 'workflow-runs', agentId, id],
    queryFn: ({ signal }) =>
      get<readonly WorkflowRun[]>(`${workflowsOf(agentId)}/${encodeURIComponent(id)}/runs`, { signal }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') ? LOOK_AGAIN_MS : false,
  });
}

export function useRun(agentId: string, runId: string | undefined) {
  return useQuery({
    queryKey: ['agents', 'workflow-run', agentId, runId],
    queryFn: ({ signal }) =>
      get<WholeRun>(`${pathOf(agentId)}/workflow-runs/${encodeURIComponent(runId ?? '')}`, { signal }),
    enabled: runId !== undefined,
    refetchInterval: ({ state }) => (state.data?.status === 'running' ? LOOK_AGAIN_MS : false),
  });
}

const TOOL = 'corvid_manage_workflow';

export const tellWorkflow = (agentId: string, action: 'activate' | 'pause', id: string) =>
  callAs(agentId, TOOL, { action, workflow_id: id });
export const startRun = (agentId: string, id: string, input: object) =>
  callAs<{ readonly run_id: string }>(agentId, TOOL, { action: 'trigger', workflow_id: id, input });
export const makeWorkflow = (agentId: string, name: string, graph: object) =>
  callAs<ListedWorkflow>(agentId, TOOL, { action: 'create', name, ...graph });
