/** Owns the figures over a list of calls: how many, how many failed, how long they took, and when. */
import { useMemo } from 'react';
import { Chart } from '../../ui/chart.tsx';
import { Skeleton } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { durationText } from '../../ui/when.tsx';
import { shareText } from './call-cells.tsx';
import type { CallRates } from '../../api/schema.ts';
import type { CallStats } from './queries.ts';
import { useRates } from './queries.ts';
import { rangeText } from './time-range.ts';

const PARTS = 60;
const CHART_PX = 96;

/** The figures and a small chart; marking a stretch of it narrows the list to that time. */
export function CallsChart({ screen }: { readonly screen: ScreenState }) {
  const { data, isPending } = useRates(screen.search, PARTS);
  const { times, series } = useMemo(() => filled(data), [data]);
  if (isPending) return <Skeleton kind="card" />;
  if (!data || data.stats.calls === 0) return null;
  return (
    <div className="monitoring-overview">
      <Figures stats={data.stats} isPartial={data.partial} />
      <div className="monitoring-chart">
        <Chart
          label={`${data.stats.calls} calls, ${data.stats.errors} of them failed`}
          times={times}
          series={series}
          heightPx={CHART_PX}
          onRange={(fromMs, toMs) => screen.setSearch({ time: rangeText(fromMs, toMs) })}
        />
      </div>
    </div>
  );
}

/** The figures of a stretch of time. */
export function Figures({ stats, isPartial }: { readonly stats: CallStats; readonly isPartial: boolean }) {
  const figures: readonly (readonly [string, string])[] = [
    ['Calls', `${isPartial ? 'over ' : ''}${stats.calls.toLocaleString('en')}`],
    ['Failed', shareText(stats.errors, stats.calls)],
    ['p50', durationText(stats.p50Ms)],
    ['p95', durationText(stats.p95Ms)],
    ['p99', durationText(stats.p99Ms)],
  ];
  return (
    <dl className="monitoring-figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className="number">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Points for every part of the time, those without a call too. */
export function filled(rates: CallRates | undefined) {
  const points = new Map((rates?.points ?? []).map((point) => [new Date(point.at).getTime(), point]));
  const stepMs = rates?.stepMs ?? 60_000;
  const first = Math.floor(new Date(rates?.since ?? 0).getTime() / stepMs) * stepMs;
  const last = new Date(rates?.until ?? 0).getTime();
  const times: number[] = [];
  if (rates) for (let at = first; at <= last; at += stepMs) times.push(at);
  // Nothing took any time where nobody called: the lines go on to the next call.
  const seen = rates?.points ?? [];
  return {
    times,
    series: [
      { label: 'Calls', values: times.map((at) => points.get(at)?.calls ?? 0), tone: 'accent', kind: 'bars' },
      { label: 'Failed', values: times.map((at) => points.get(at)?.errors ?? 0), tone: 'red', kind: 'bars' },
    ] as const,
    latencyTimes: seen.map(({ at }) => new Date(at).getTime()),
    latency: [
      { label: 'p50', values: seen.map(({ p50Ms }) => p50Ms), tone: 'green' },
      { label: 'p95', values: seen.map(({ p95Ms }) => p95Ms), tone: 'blue' },
      { label: 'p99', values: seen.map(({ p99Ms }) => p99Ms), tone: 'amber' },
    ] as const,
  };
}
