/** Workflows of the agent that asks: one tool, whose action says what is done. */
import * as z from 'zod';
import { NODE_CONFIGS } from '../services/workflows/graph.ts';
import type { Workflows } from '../services/workflows/workflows.ts';
import type { Acting } from '../session.ts';
import { defineTool } from './define-tool.ts';
import { needed } from './needed.ts';
import { anyText, text } from './texts.ts';

const object = z.record(z.string().max(200), z.unknown());

const Node = z.strictObject({
  id: text(64),
  type: text(50).describe(Object.keys(NODE_CONFIGS).join(', ')),
  label: anyText(200),
  config: object
    .optional()
    .describe(
      'agent_session {prompt, agent_id?, project_id?, max_turns?}; work_task {description, project_id?}; condition {path, op: eq|ne|gt|lt|contains|exists, value?}; delay {seconds}; transform {template}; end {output?}. Texts take {{input.x}} and {{nodes.ID.text}}',
    ),
  position: z.strictObject({ x: z.number(), y: z.number() }).optional(),
});

const Edge = z.strictObject({
  id: text(64),
  sourceNodeId: text(64),
  targetNodeId: text(64),
  condition: z.enum(['true', 'false']).optional().describe('Of edges that leave a condition'),
  label: anyText(200).optional(),
});

const Input = z.strictObject({
  action: z.enum(['list', 'create', 'get', 'activate', 'pause', 'trigger', 'runs', 'run_status']),
  workflow_id: text(64).optional().describe('For all but list, create and run_status'),
  run_id: text(64).optional().describe('For run_status'),
  name: text(100).optional(),
  description: anyText(1000).optional(),
  nodes: z.array(Node).max(100).optional(),
  edges: z.array(Edge).max(300).optional(),
  default_project_id: text(128).optional(),
  max_concurrency: z.int().min(1).max(4).optional().describe('Nodes at once; 2 by default'),
  input: object.optional().describe('For trigger; 64 KiB at most'),
});

type Given = z.output<typeof Input>;

const Run = {
  status: z.string(),
  error: z.string().nullable(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
};

const Output = z.object({
  workflows: z.array(z.object({ id: z.string(), name: z.string(), status: z.string() })).optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  status: z.string().optional(),
  description: z.string().optional(),
  nodes: z.array(z.unknown()).optional(),
  edges: z.array(z.unknown()).optional(),
  default_project_id: z.string().nullable().optional(),
  max_concurrency: z.int().optional(),
  run_id: z.string().optional(),
  runs: z.array(z.object({ id: z.string(), ...Run })).optional(),
  error: Run.error.optional(),
  started_at: Run.started_at.optional(),
  finished_at: Run.finished_at.optional(),
  output: z.unknown().optional(),
  node_runs: z
    .array(z.object({ node_id: z.string(), type: z.string(), session_id: z.string().nullable(), ...Run }))
    .optional(),
});

export const manageWorkflow = defineTool({
  name: 'corvid_manage_workflow',
  title: 'Manage workflows',
  description:
    'Your workflows: graphs of steps that run by themselves and survive restarts. create gives a draft; activate it, then trigger it and look at run_status.',
  effect: 'run',
  task: 'allowed',
  taskOptions: { followedOnly: true },
  input: Input,
  output: Output,
  errors: {
    invalid_graph: 'The graph cannot be run.',
    not_active: 'Only an active workflow is triggered.',
    limit_reached: 'There are 100 workflows, or 20 runs at once, already.',
  },
  run: (input, { services }, acting) => BY_ACTION[input.action](services.workflows, acting, input),
});

type Answer = z.input<typeof Output>;
type Act = (workflows: Workflows, acting: Acting, input: Given) => Promise<Answer>;

const idOf = (input: Given) => needed(input, 'workflow_id');

const BY_ACTION: Readonly<Record<Given['action'], Act>> = {
  list: async (workflows, acting) => ({ workflows: await workflows.list(acting) }),
  create: (workflows, acting, input) =>
    workflows.create(acting, {
      name: needed(input, 'name'),
      description: input.description,
      graph: { nodes: needed(input, 'nodes'), edges: needed(input, 'edges') },
      defaultProjectId: input.default_project_id,
      maxConcurrency: input.max_concurrency,
    }),
  async get(workflows, acting, input) {
    const { graph, ...workflow } = await workflows.get(acting, idOf(input));
    return { ...workflow, nodes: [...graph.nodes], edges: [...graph.edges] };
  },
  activate: (workflows, acting, input) => workflows.setStatus(acting, idOf(input), 'active'),
  pause: (workflows, acting, input) => workflows.setStatus(acting, idOf(input), 'paused'),
  async trigger(workflows, acting, input) {
    const { id, status } = await workflows.trigger(acting, idOf(input), input.input ?? {});
    return { run_id: id, status };
  },
  runs: async (workflows, acting, input) => ({ runs: await workflows.runs(acting, idOf(input)) }),
  async run_status(workflows, acting, input) {
    const { id, nodes, ...run } = await workflows.run(acting, needed(input, 'run_id'));
    return { run_id: id, ...run, node_runs: [...nodes].map((node) => ({ ...node })) };
  },
};
