/** Owns graphs of steps and what follows from what: the library loads with the first one. */
import { Suspense, lazy } from 'react';
import { loadCode } from '../api/load-code.ts';
import type { Tone } from './badge.tsx';
import { Skeleton } from './states.tsx';

/** A box of the graph. */
export interface GraphNode {
  readonly id: string;
  readonly title: string;
  readonly text?: string;
  readonly tone?: Tone;
  /** True: it works right now. */
  readonly isLive?: boolean;
}

/** What leads to what. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  readonly isLive?: boolean;
}

/** What a graph takes; places follow from the edges, from above to below. */
export interface GraphProps {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  readonly label: string;
  readonly heightPx?: number;
  readonly onOpen?: (id: string) => void;
}

const Loaded = lazy(async () => ({
  default: (await loadCode(() => import('./graph-loaded.tsx'))).LoadedGraph,
}));

/** Boxes and arrows. */
export function Graph(props: GraphProps) {
  return (
    <Suspense fallback={<Skeleton kind="card" rows={2} />}>
      <Loaded {...props} />
    </Suspense>
  );
}
