/** Routes of the workflows of an agent and of what they did, for people who look. */
import { limitUpTo, one, whole } from '@parley/http/rest';
import * as z from 'zod';
import { NODE_TYPES } from '../services/workflows/graph.ts';
import { agentOf } from './agent-of.ts';
import { before } from './before.ts';
import { defineRoute } from './route.ts';

const Workflow = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(['draft', 'active', 'paused']),
});
const WholeWorkflow = Workflow.extend({
  description: z.string(),
  nodes: z.array(
    z.object({
      id: z.string(),
      type: z.enum(NODE_TYPES),
      label: z.string(),
      config: z.record(z.string(), z.unknown()).describe('What a node of its type is told'),
      position: z.object({ x: z.number(), y: z.number() }).optional(),
    }),
  ),
  edges: z.array(
    z.object({
      id: z.string(),
      sourceNodeId: z.string(),
      targetNodeId: z.string(),
      condition: z.enum(['true', 'false']).optional().describe('Of edges that leave a condition'),
      label: z.string().optional(),
    }),
  ),
  default_project_id: z.string().nullable(),
  max_concurrency: z.int(),
});
const times = {
  status: z.string(),
  error: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
};
const Run = z.object({ id: z.string(), ...times });
const WholeRun = Run.extend({
  output: z.unknown(),
  nodes: z.array(
    z.object({ node_id: z.string(), type: z.string(), session_id: z.string().nullable(), ...times }),
  ),
});
const READ = { method: 'GET', who: 'team', grants: ['agents_read'] } as const;

export const workflowRoutes = [
  defineRoute({
    ...READ,
    path: '/:id/workflows',
    summary: 'The workflows of an agent, the oldest first',
    answer: whole('Workflow', Workflow),
    run: async (asked) => asked.services.workflows.list(await agentOf(asked)),
  }),
  defineRoute({
    ...READ,
    path: '/:id/workflows/:workflowId',
    summary: 'One workflow with its graph',
    answer: one('WholeWorkflow', WholeWorkflow),
    async run(asked) {
      const of = await agentOf(asked);
      const { graph, ...workflow } = await asked.services.workflows.get(of, asked.params.workflowId);
      return { ...workflow, nodes: [...graph.nodes], edges: [...graph.edges] };
    },
  }),
  defineRoute({
    ...READ,
    path: '/:id/workflows/:workflowId/runs',
    summary: 'The runs of a workflow, the newest first',
    query: z.strictObject({
      limit: limitUpTo(100, 20),
      before: before('run'),
    }),
    answer: whole('WorkflowRun', Run),
    run: async (asked) =>
      asked.services.workflows.runs(await agentOf(asked), asked.params.workflowId, asked.query),
  }),
  defineRoute({
    ...READ,
    path: '/:id/workflow-runs/:runId',
    summary: 'One run of a workflow, node by node',
    answer: one('WholeWorkflowRun', WholeRun),
    async run(asked) {
      const run = await asked.services.workflows.run(await agentOf(asked), asked.params.runId);
      return { ...run, nodes: [...run.nodes] };
    },
  }),
];
