/** Owns reading workflows and their runs, and what the agent is made to do with them. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { Workflow } from '../../api/schema.ts';
import { callAs } from './queries.ts';

/** Steps inside a run are told by no signal, so a run under way is looked at again. */
const LOOK_AGAIN_MS = 1_000;

export function useWorkflows(agentId: string) {
  return useQuery({
    queryKey: ['agents', 'workflows', agentId],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/workflows', { path: { id: agentId }, signal }),
  });
}

export function useWorkflow(agentId: string, id: string) {
  return useQuery({
    queryKey: ['agents', 'workflow', agentId, id],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/workflows/{workflowId}', {
        path: { id: agentId, workflowId: id },
        signal,
      }),
  });
}

export function useRuns(agentId: string, id: string) {
  return useQuery({
    queryKey: ['agents', 'workflow-runs', agentId, id],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/workflows/{workflowId}/runs', {
        path: { id: agentId, workflowId: id },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.some(({ status }) => status === 'running') ? LOOK_AGAIN_MS : false,
  });
}

export function useRun(agentId: string, runId: string | undefined) {
  return useQuery({
    queryKey: ['agents', 'workflow-run', agentId, runId],
    queryFn: ({ signal }) =>
      request('GET /api/agents/{id}/workflow-runs/{runId}', {
        path: { id: agentId, runId: runId ?? '' },
        signal,
      }),
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
  callAs<Workflow>(agentId, TOOL, { action: 'create', name, ...graph });
