/** Owns rates: calls and failures over the time, percentiles over the time, and both tool by tool. */
import { Gauge } from 'lucide-react';
import { useMemo } from 'react';
import { Chart } from '../../ui/chart.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { useGo } from '../../ui/use-screen.ts';
import { durationText } from '../../ui/when.tsx';
import { shareText } from './call-cells.tsx';
import { Figures, filled } from './calls-chart.tsx';
import { CallsActions } from './calls.tsx';
import { lineOfRate, useCallFilters } from './filters.tsx';
import type { CallRates } from '../../api/schema.ts';
import type { ToolRate } from './queries.ts';
import { useRates } from './queries.ts';
import { rangeText } from './time-range.ts';

const PARTS = 120;

const figure = (id: string, header: string, of: (rate: ToolRate) => number): Column<ToolRate> => ({
  id,
  header,
  width: '84px',
  align: 'end',
  cell: (rate) => durationText(of(rate)),
  sortValue: of,
});

const columns: Column<ToolRate>[] = [
  {
    id: 'tool',
    header: 'Tool',
    width: 'minmax(160px, 2fr)',
    cell: (rate) => <span className="mono truncate">{rate.toolName}</span>,
    sortValue: (rate) => rate.toolName,
  },
  {
    id: 'where',
    header: 'Where',
    width: 'minmax(100px, 1fr)',
    isWideOnly: true,
    cell: (rate) => <span className="truncate">{rate.connectionTitle ?? rate.connectionId}</span>,
    sortValue: (rate) => rate.connectionTitle ?? rate.connectionId,
  },
  {
    id: 'calls',
    header: 'Calls',
    width: '84px',
    align: 'end',
    cell: (rate) => rate.calls.toLocaleString('en'),
    sortValue: (rate) => rate.calls,
  },
  {
    id: 'failed',
    header: 'Failed',
    width: '84px',
    align: 'end',
    cell: (rate) => shareText(rate.errors, rate.calls),
    sortValue: (rate) => rate.errors / Math.max(1, rate.calls),
  },
  figure('p50', 'p50', ({ p50Ms }) => p50Ms),
  figure('p95', 'p95', ({ p95Ms }) => p95Ms),
  { ...figure('p99', 'p99', ({ p99Ms }) => p99Ms), isWideOnly: true },
];
const keyOf = (rate: ToolRate) => `${rate.connectionId} ${rate.toolName}`;
const NO_TOOLS: readonly ToolRate[] = [];

/** The part of the screen. */
export function RatesPart({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'rates');
  const go = useGo();
  const query = useRates(screen.search, PARTS);
  const tools = query.data?.tools ?? NO_TOOLS;
  const asCalls = useMemo(() => tools.map(lineOfRate), [tools]);
  const filters = useCallFilters(asCalls, screen.search);
  return (
    <ListScreen
      title="Rates"
      viewsOf="monitoring-rates"
      screen={screen}
      query={query}
      rows={tools}
      columns={columns}
      keyOf={keyOf}
      defaultSort="-calls"
      filters={filters}
      filterPlaceholder="Tool"
      actions={<CallsActions screen={screen} />}
      notice={query.data && query.data.stats.calls > 0 && <Charts rates={query.data} screen={screen} />}
      onOpen={(rate) =>
        go('/monitoring/calls', {
          search: { ...screen.search, sort: undefined, tool: rate.toolName, connection: rate.connectionId },
        })
      }
      empty={
        <EmptyState icon={<Gauge />} title="No calls in this time">
          With the first call, its rate and how long it took show here, tool by tool.
        </EmptyState>
      }
    />
  );
}

function stepText(stepMs: number): string {
  const minutes = stepMs / 60_000;
  if (minutes < 60) return minutes === 1 ? 'minute' : `${minutes} minutes`;
  const hours = minutes / 60;
  if (hours < 24) return hours === 1 ? 'hour' : `${hours} hours`;
  return hours === 24 ? 'day' : `${hours / 24} days`;
}

function Charts({ rates, screen }: { readonly rates: CallRates; readonly screen: ScreenState }) {
  const { times, series, latency, latencyTimes } = useMemo(() => filled(rates), [rates]);
  const onRange = (fromMs: number, toMs: number) => screen.setSearch({ time: rangeText(fromMs, toMs) });
  return (
    <div className="monitoring-charts">
      <Figures stats={rates.stats} isPartial={rates.partial} />
      <figure>
        <figcaption className="small muted">
          Calls, and those that failed, per {stepText(rates.stepMs)}
        </figcaption>
        <Chart
          label="Calls over the time, and those that failed"
          times={times}
          series={series}
          heightPx={140}
          onRange={onRange}
        />
      </figure>
      <figure>
        <figcaption className="small muted">How long calls took: p50, p95 and p99</figcaption>
        <Chart
          label="How long calls took over the time, as percentiles"
          times={latencyTimes}
          series={latency}
          heightPx={140}
          format={durationText}
          onRange={onRange}
        />
      </figure>
    </div>
  );
}
