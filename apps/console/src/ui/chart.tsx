/** Owns charts over time: the library loads with the first one. */
import { Suspense, lazy } from 'react';
import { loadCode } from '../api/load-code.ts';

/** One line or row of bars; `values` belong to the times of the chart, null where there is none. */
export interface ChartSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  readonly tone: 'accent' | 'neutral' | 'green' | 'blue' | 'red' | 'amber';
  readonly kind?: 'line' | 'bars' | 'area';
}

/** What a chart takes; times in milliseconds, ascending. */
export interface ChartProps {
  readonly times: readonly number[];
  readonly series: readonly ChartSeries[];
  readonly heightPx?: number;
  /** What it shows, in one sentence for those who cannot see it. */
  readonly label: string;
  readonly format?: (value: number) => string;
  /** A stretch of time that was marked with the pointer. */
  readonly onRange?: (fromMs: number, toMs: number) => void;
}

const Loaded = lazy(async () => ({
  default: (await loadCode(() => import('./chart-loaded.tsx'))).LoadedChart,
}));

/** A chart over time. */
export function Chart(props: ChartProps) {
  const heightPx = props.heightPx ?? 160;
  return (
    <div role="img" aria-label={props.label} style={{ height: heightPx }}>
      <Suspense fallback={<div aria-busy="true" />}>
        <Loaded {...props} heightPx={heightPx} />
      </Suspense>
    </div>
  );
}
