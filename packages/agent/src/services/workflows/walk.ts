/** The walk through a graph: which node runs when, until an end is reached, nothing is left, or something fails. */
import { Leave } from '@parley/kit';
import type { Graph, GraphEdge, GraphNode } from './graph.ts';
import { reachableFrom } from './graph.ts';

/** How a run of a node came out. */
export type NodeOutcome =
  | { readonly isOk: true; readonly output: unknown }
  | { readonly isOk: false; readonly code: string; readonly message: string };

/** How a whole run came out. */
export type WalkOutcome =
  | { readonly isOk: true; readonly output: unknown }
  | { readonly isOk: false; readonly error: string };

export interface WalkOptions {
  readonly graph: Graph;
  readonly mostAtOnce: number;
  /** Runs a node; throws `Leave` to be asked again later. */
  runNode(node: GraphNode, when: NodeTime): Promise<NodeOutcome>;
  /** Told when the others need not go on. */
  stopOthers(): void;
}

/** Which run of a node it is, and which of all node runs; both count from 1. */
export interface NodeTime {
  readonly attempt: number;
  readonly position: number;
}

const MOST_NODE_RUNS = 100;

/**
 * Walks from the start. A node runs each time that a branch comes to it, a join once for all branches that can still
 * come. Steps of nodes that ran before return at once, so that a run which is entered again comes to where it was.
 */
export async function walk({ graph, mostAtOnce, runNode, stopOthers }: WalkOptions): Promise<WalkOutcome> {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const reach = new Map(graph.nodes.map(({ id }) => [id, reachableFrom(graph, id)]));
  const ready: GraphNode[] = graph.nodes.filter(({ type }) => type === 'start');
  const joining = new Set<string>();
  const active = new Map<Promise<void>, GraphNode>();
  const left: { node: GraphNode; reason: Leave }[] = [];
  const attempts = new Map<string, number>();
  let runs = 0;
  let over: WalkOutcome | undefined;
  let fault: { readonly error: unknown } | undefined;

  const end = (outcome: WalkOutcome) => {
    if (over !== undefined) return;
    over = outcome;
    stopOthers();
  };

  /** A branch that came along an edge. */
  const arrive = ({ targetNodeId }: GraphEdge) => {
    const node = nodes.get(targetNodeId);
    if (node?.type === 'join') joining.add(node.id);
    else if (node !== undefined) ready.push(node);
  };

  const finished = (node: GraphNode, outcome: NodeOutcome) => {
    if (!outcome.isOk) return end({ isOk: false, error: `${node.id}: ${outcome.code}: ${outcome.message}` });
    if (node.type === 'end') return end({ isOk: true, output: outcome.output });
    for (const edge of edgesOf(graph, node, outcome.output)) arrive(edge);
  };

  const launch = (node: GraphNode) => {
    runs += 1;
    if (runs > MOST_NODE_RUNS)
      return end({ isOk: false, error: `node_limit: The run has had ${MOST_NODE_RUNS} node runs.` });
    const attempt = (attempts.get(node.id) ?? 0) + 1;
    attempts.set(node.id, attempt);
    const work: Promise<void> = runNode(node, { attempt, position: runs })
      .then((outcome) => finished(node, outcome))
      .catch((error: unknown) => {
        if (error instanceof Leave) left.push({ node, reason: error });
        else fault ??= { error };
      })
      .finally(() => active.delete(work));
    active.set(work, node);
  };

  /** Joins that no branch can come to any more; where joins wait for each other alone, the first of them. */
  const openJoins = () => {
    const elsewhere = [...ready, ...active.values(), ...left.map(({ node }) => node)].map(({ id }) => id);
    const canStillGet = (join: string, from: Iterable<string>) =>
      [...from].some((id) => id !== join && reach.get(id)?.has(join) === true);
    const open = [...joining].filter((join) => !canStillGet(join, [...elsewhere, ...joining]));
    if (open.length > 0 || elsewhere.length > 0) return open;
    return [...joining].slice(0, 1);
  };

  const mayLaunch = () => over === undefined && fault === undefined && active.size < mostAtOnce;

  for (;;) {
    for (const id of openJoins()) {
      joining.delete(id);
      const join = nodes.get(id);
      if (join !== undefined) ready.push(join);
    }
    while (mayLaunch()) {
      const node = ready.shift();
      if (node === undefined) break;
      launch(node);
    }
    if (active.size === 0) break;
    await Promise.race(active.keys());
  }
  if (fault !== undefined) throw fault.error;
  if (over !== undefined) return over;
  const [first] = left;
  if (first !== undefined) throw first.reason;
  return { isOk: true, output: null };
}

/** The edges that a branch goes on along. */
function edgesOf({ edges }: Graph, node: GraphNode, output: unknown): GraphEdge[] {
  const out = edges.filter(({ sourceNodeId }) => sourceNodeId === node.id);
  if (node.type !== 'condition') return out;
  const { result } = output as { result: boolean }; // as conditions put out
  return out.filter(({ condition }) => condition === String(result));
}
