/** Graphs of workflows for tests, from words. */

/** What a node is told. */
export type Config = Record<string, unknown>;

/** A graph from words: nodes as `id type`, edges as `from to` or `from true to`. */
export function graph(nodes: Record<string, [type: string, config?: Config]>, edges: readonly string[]) {
  return {
    nodes: Object.entries(nodes).map(([id, [type, config]]) => ({
      id,
      type,
      label: id,
      ...(config && { config }),
    })),
    edges: edges.map((words, index) => {
      const [sourceNodeId = '', second = '', third] = words.split(' ');
      const condition = third === undefined ? undefined : (second as 'true' | 'false');
      return {
        id: `e${index}`,
        sourceNodeId,
        targetNodeId: third ?? second,
        ...(condition && { condition }),
      };
    }),
  };
}

/** Every type of node. */
export const WHOLE = graph(
  {
    s: ['start'],
    p: ['parallel'],
    d: ['delay', { seconds: 60 }],
    t: ['transform', { template: 'for {{input.name}}' }],
    j: ['join'],
    c: ['condition', { path: 'nodes.t.text', op: 'contains', value: 'Ada' }],
    a: ['agent_session', { prompt: 'Greet {{nodes.t.text}}' }],
    w: ['work_task', { description: 'Do {{nodes.a.text}}' }],
    no: ['transform', { template: 'never' }],
    e: ['end', { output: '{{nodes.w.status}} {{nodes.no.text}}' }],
  },
  ['s p', 'p d', 'p t', 'd j', 't j', 'j c', 'c true a', 'c false no', 'a w', 'w e', 'no e'],
);

/** The nodes that a run of it for Ada goes through, by the alphabet. */
export const WHOLE_NODES = ['a', 'c', 'd', 'e', 'j', 'p', 's', 't', 'w'];
