/** Graphs of workflows: which nodes there are, what each is told, and which graphs are refused. */
import { describeIssues, ToolError } from '@parley/kit';
import * as z from 'zod';

const MAX_DELAY_SECONDS = 3600;
const MAX_TURNS = 100;
const MAX_TEXT = 16_384;

const text = z.string().trim().min(1).max(MAX_TEXT);
const id = z.string().trim().min(1).max(128);
const path = z
  .string()
  .trim()
  .max(200)
  .regex(/^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*$/, 'must be names with dots between them');

/** What each type of node is told; nothing else is taken. */
export const NODE_CONFIGS = {
  start: z.strictObject({}),
  agent_session: z.strictObject({
    agent_id: id.optional(),
    prompt: text,
    project_id: id.optional(),
    max_turns: z.int().min(1).max(MAX_TURNS).default(10),
  }),
  work_task: z.strictObject({ description: text, project_id: id.optional() }),
  condition: z.strictObject({
    path,
    op: z.enum(['eq', 'ne', 'gt', 'lt', 'contains', 'exists']),
    value: z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]).optional(),
  }),
  delay: z.strictObject({ seconds: z.int().min(1).max(MAX_DELAY_SECONDS) }),
  transform: z.strictObject({ template: text }),
  parallel: z.strictObject({}),
  join: z.strictObject({}),
  end: z.strictObject({ output: text.optional() }),
} as const;

export type NodeType = keyof typeof NODE_CONFIGS;
// Whoever lists the keys of an object gets them as texts.
export const NODE_TYPES = Object.keys(NODE_CONFIGS) as NodeType[];

/** A node whose config is what its type is told. */
export type GraphNode = {
  readonly [Type in NodeType]: {
    readonly id: string;
    readonly type: Type;
    readonly label: string;
    readonly config: z.output<(typeof NODE_CONFIGS)[Type]>;
    readonly position?: { readonly x: number; readonly y: number } | undefined;
  };
}[NodeType];

export interface GraphEdge {
  readonly id: string;
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  readonly condition?: 'true' | 'false' | undefined;
  readonly label?: string | undefined;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/** A graph as somebody wrote it. */
export interface WrittenGraph {
  readonly nodes: readonly (Pick<GraphNode, 'id' | 'label' | 'position'> & {
    readonly type: string;
    readonly config?: Readonly<Record<string, unknown>> | undefined;
  })[];
  readonly edges: readonly GraphEdge[];
}

const MAX_GRAPH_BYTES = 256 * 1024;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

function invalid(words: string): ToolError {
  return new ToolError('invalid_graph', words);
}

/** The graph with each config as its type has it; `invalid_graph` says what is wrong with it. */
export function checkGraph({ nodes, edges }: WrittenGraph): Graph {
  refuseTwice('nodes', nodes);
  refuseTwice('edges', edges);
  const graph: Graph = { nodes: nodes.map(checkNode), edges };
  if (Buffer.byteLength(JSON.stringify(graph)) > MAX_GRAPH_BYTES)
    throw invalid(`nodes: the whole graph may have at most ${MAX_GRAPH_BYTES} bytes`);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  for (const edge of edges) checkEdge(edge, byId);
  const starts = graph.nodes.filter(({ type }) => type === 'start');
  const [start] = starts;
  if (start === undefined || starts.length > 1)
    throw invalid(`nodes: there must be exactly one start, not ${starts.length}`);
  const reached = reachableFrom(graph, start.id);
  if (!graph.nodes.some(({ id: node, type }) => type === 'end' && reached.has(node)))
    throw invalid('nodes: no end can be reached from the start');
  return graph;
}

function refuseTwice(field: string, items: readonly { readonly id: string }[]): void {
  const seen = new Set<string>();
  for (const { id: name } of items) {
    if (!NAME.test(name))
      throw invalid(`${field}: an id must have 1 to 64 letters, digits, underscores or dashes`);
    if (seen.has(name)) throw invalid(`${field}: the id "${name}" is there twice`);
    seen.add(name);
  }
}

function checkNode({ config = {}, ...node }: WrittenGraph['nodes'][number]): GraphNode {
  const { type } = node;
  if (!Object.hasOwn(NODE_CONFIGS, type))
    throw invalid(
      `nodes: "${node.id}" has an unknown type. Use one of: ${Object.keys(NODE_CONFIGS).join(', ')}`,
    );
  // Just looked up.
  const parsed = NODE_CONFIGS[type as NodeType].safeParse(config);
  if (!parsed.success)
    throw invalid(`nodes: config of "${node.id}": ${describeIssues(parsed.error.issues, config)}`);
  // The config is the one of this very type.
  return { ...node, config: parsed.data } as GraphNode;
}

function checkEdge(edge: GraphEdge, nodes: ReadonlyMap<string, GraphNode>): void {
  for (const end of [edge.sourceNodeId, edge.targetNodeId])
    if (!nodes.has(end)) throw invalid(`edges: "${edge.id}" leads to or from a node that is not there`);
  const isFork = nodes.get(edge.sourceNodeId)?.type === 'condition';
  if (isFork && edge.condition === undefined)
    throw invalid(`edges: "${edge.id}" leaves a condition and needs condition "true" or "false"`);
  if (!isFork && edge.condition !== undefined)
    throw invalid(`edges: "${edge.id}" has a condition, which only edges that leave a condition have`);
}

/** The nodes that can be reached by one edge or more. */
export function reachableFrom({ edges }: Pick<Graph, 'edges'>, from: string): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { sourceNodeId, targetNodeId } of edges)
      if (sourceNodeId === next && !reached.has(targetNodeId)) {
        reached.add(targetNodeId);
        open.push(targetNodeId);
      }
  return reached;
}
