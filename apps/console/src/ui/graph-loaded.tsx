/** Owns drawing graphs with React Flow, laid out in rows by what comes first: rows fit a phone and a pane beside a list. */
import { Background, Controls, Handle, MarkerType, Position, ReactFlow } from '@xyflow/react';
import type { Edge, Node, NodeProps } from '@xyflow/react';
import '@xyflow/react/dist/style.css';
import { useMemo } from 'react';
import { classes } from './classes.ts';
import type { GraphNode, GraphProps } from './graph.tsx';
import './graph.css';

const COLUMN_PX = 230;
const ROW_PX = 96;
/** Long graphs are seen whole first, however small. */
const LEAST_ZOOM = 0.2;

type Box = Node<{ readonly about: GraphNode }, 'box'>;

const nodeTypes = { box: BoxNode };

/** Draws the graph; boxes can be reached with Tab and opened with Enter. */
export function LoadedGraph({ nodes, edges, label, heightPx = 360, onOpen }: GraphProps) {
  const boxes = useMemo(() => placeBoxes(nodes, edges), [nodes, edges]);
  const arrows = useMemo<Edge[]>(
    () =>
      edges.map((edge) => ({
        id: `${edge.from} ${edge.to}`,
        source: edge.from,
        target: edge.to,
        label: edge.label,
        animated: edge.isLive,
        markerEnd: { type: MarkerType.ArrowClosed },
      })),
    [edges],
  );
  return (
    <div className="graph" style={{ height: heightPx }} role="group" aria-label={label}>
      <ReactFlow
        nodes={boxes}
        edges={arrows}
        nodeTypes={nodeTypes}
        nodesDraggable={false}
        nodesConnectable={false}
        fitView
        minZoom={LEAST_ZOOM}
        fitViewOptions={{ maxZoom: 1, minZoom: LEAST_ZOOM }}
        onNodeClick={(_event, node) => onOpen?.(node.id)}
        proOptions={{ hideAttribution: true }}
      >
        <Background />
        <Controls showInteractive={false} position="top-right" orientation="horizontal" />
      </ReactFlow>
    </div>
  );
}

function BoxNode({ data: { about } }: NodeProps<Box>) {
  return (
    <div className={classes('graph-node', `graph-${about.tone ?? 'neutral'}`, about.isLive && 'graph-live')}>
      <Handle type="target" position={Position.Top} isConnectable={false} />
      <div className="graph-title truncate">{about.title}</div>
      {about.text !== undefined && <div className="graph-text truncate">{about.text}</div>}
      <Handle type="source" position={Position.Bottom} isConnectable={false} />
    </div>
  );
}

/** Each box stands one row after the last of those that lead to it; a circle ends where it began. */
function placeBoxes(nodes: GraphProps['nodes'], edges: GraphProps['edges']): Box[] {
  const row = new Map(nodes.map((node) => [node.id, 0]));
  for (let round = 0; round < nodes.length; round += 1) {
    let hasMoved = false;
    for (const { from, to } of edges) {
      const next = (row.get(from) ?? 0) + 1;
      if (!row.has(to) || next <= (row.get(to) ?? 0) || next >= nodes.length) continue;
      row.set(to, next);
      hasMoved = true;
    }
    if (!hasMoved) break;
  }
  // An arrow that leaves out a row goes straight down, so what stands in that row makes room for it.
  const passed = new Set<number>();
  for (const { from, to } of edges)
    for (let between = (row.get(from) ?? 0) + 1; between < (row.get(to) ?? 0); between += 1)
      passed.add(between);
  const filled = new Map<number, number>();
  return nodes.map((about) => {
    const y = row.get(about.id) ?? 0;
    const x = filled.get(y) ?? (passed.has(y) ? 1 : 0);
    filled.set(y, x + 1);
    return { id: about.id, type: 'box', position: { x: x * COLUMN_PX, y: y * ROW_PX }, data: { about } };
  });
}
