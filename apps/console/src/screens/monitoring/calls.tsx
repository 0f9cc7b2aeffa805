/** Owns the list of calls, with the chart of what is listed and one call beside it. */
import { Activity, Download } from 'lucide-react';
import { useMemo } from 'react';
import { useMore } from '../../api/use-more.ts';
import { EffectBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { Menu } from '../../ui/menu.tsx';
import { useSection } from '../../ui/sections.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { durationText, When } from '../../ui/when.tsx';
import { OutcomeBadge } from './call-cells.tsx';
import { CallDetail } from './call-detail.tsx';
import { CallsChart } from './calls-chart.tsx';
import { FilterCell, NarrowMenu, useCallFilters } from './filters.tsx';
import type { CallLine } from './queries.ts';
import { exportHref, useCalls } from './queries.ts';
import { rangeOptions, rangeValue } from './time-range.ts';

const keyOf = (call: CallLine) => call.id;
const NO_CALLS: readonly CallLine[] = [];

/** The part of the screen. */
export function Calls({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'calls');
  const query = useCalls(screen.search);
  const calls = useMemo(() => query.data?.pages.flatMap((page) => page.calls) ?? NO_CALLS, [query.data]);
  const filters = useCallFilters(calls, screen.search);
  const columns = useColumns(screen);
  const more = useMore(query);
  const at = calls.findIndex((call) => call.id === screen.id);
  const move = (step: number) => {
    const next = calls[at + step];
    if (next) screen.open(next.id);
    if (at + step >= calls.length - 2) more();
  };
  return (
    <ListScreen
      title="Calls"
      viewsOf="monitoring"
      screen={screen}
      query={query}
      rows={calls}
      columns={columns}
      keyOf={keyOf}
      filters={filters}
      filterPlaceholder="Tool"
      isSortedByServer
      defaultSort="-when"
      onEnd={more}
      isLoadingMore={query.isFetchingNextPage}
      actions={<CallsActions screen={screen} />}
      notice={screen.id === undefined && <CallsChart screen={screen} />}
      empty={
        <EmptyState icon={<Activity />} title="No calls in this time">
          Every call of a tool shows here a moment after it ended: who called, what went in and came out.
          Connect a client, run a tool, or look at a longer time.
        </EmptyState>
      }
      detail={
        screen.id !== undefined && (
          <CallDetail
            key={screen.id}
            id={screen.id}
            screen={screen}
            onClose={() => screen.open(undefined)}
            onNewer={at > 0 ? () => move(-1) : undefined}
            onOlder={at >= 0 && at < calls.length - 1 ? () => move(1) : undefined}
          />
        )
      }
    />
  );
}

/** The stretch of time, and the file of all that fit. */
export function CallsActions({ screen }: { readonly screen: ScreenState }) {
  return (
    <>
      <Select
        label="Time"
        size="s"
        value={rangeValue(screen.search['time'])}
        options={rangeOptions(screen.search['time'])}
        onChange={(time) => screen.setSearch({ time })}
      />
      <Menu
        trigger={
          <Button size="s" icon={<Download />}>
            Export
          </Button>
        }
        items={[
          { heading: 'All calls that fit, newest first' },
          { label: 'JSON lines', hint: 'for programs', href: exportHref(screen.search, 'jsonl') },
          { label: 'CSV', hint: 'for spreadsheets', href: exportHref(screen.search, 'csv') },
        ]}
      />
    </>
  );
}

/** The columns beside an open call. */
const NARROW_WIDTHS: Readonly<Record<string, string>> = {
  tool: 'minmax(0, 1fr)',
  outcome: '96px',
  duration: '68px',
  when: '92px',
};

function useColumns(screen: ScreenState): readonly Column<CallLine>[] {
  const isNarrow = screen.id !== undefined;
  return useMemo(() => {
    const all: Column<CallLine>[] = [
      {
        id: 'tool',
        header: 'Tool',
        width: 'minmax(160px, 2fr)',
        cell: (call) => <span className="mono truncate">{call.toolName}</span>,
      },
      {
        id: 'outcome',
        header: 'Outcome',
        width: '132px',
        cell: (call) => (
          <FilterCell
            screen={screen}
            filters={{ outcome: call.outcome, code: call.errorCode ?? undefined }}
            what={`calls that ended ${call.errorCode ?? call.outcome}`}
          >
            <OutcomeBadge outcome={call.outcome} code={call.outcome === 'ok' ? call.errorCode : null} />
          </FilterCell>
        ),
      },
      {
        id: 'caller',
        header: 'Caller',
        width: 'minmax(100px, 1fr)',
        cell: (call) => (
          <FilterCell
            screen={screen}
            filters={{ caller: call.callerId }}
            what={`calls by ${call.callerName ?? call.callerId}`}
          >
            {call.callerName ?? <span className="faint">{call.callerSource}</span>}
          </FilterCell>
        ),
      },
      {
        id: 'connection',
        header: 'Where',
        width: 'minmax(100px, 1fr)',
        isWideOnly: true,
        cell: (call) => (
          <FilterCell
            screen={screen}
            filters={{ connection: call.connectionId }}
            what={`calls of ${call.connectionTitle ?? call.connectionId}`}
          >
            {call.connectionTitle ?? <span className="mono">{call.connectionId}</span>}
          </FilterCell>
        ),
      },
      {
        id: 'effect',
        header: 'Effect',
        width: '76px',
        isWideOnly: true,
        cell: (call) =>
          call.effect !== null && (
            <FilterCell screen={screen} filters={{ effect: call.effect }} what={`calls that ${call.effect}`}>
              <EffectBadge effect={call.effect} />
            </FilterCell>
          ),
      },
      {
        id: 'duration',
        header: 'Took',
        width: '84px',
        align: 'end',
        cell: (call) => (
          <FilterCell
            screen={screen}
            filters={{ minMs: String(Math.max(1, Math.floor(call.durationMs))) }}
            what="calls as slow as this or slower"
          >
            <span className="number">{durationText(call.durationMs)}</span>
          </FilterCell>
        ),
      },
      {
        id: 'when',
        header: 'When',
        isServerSorted: true,
        width: '104px',
        align: 'end',
        cell: (call) => <When at={call.timestamp} />,
      },
      {
        id: 'narrow',
        header: '',
        width: '28px',
        isWideOnly: true,
        cell: (call) => <NarrowMenu call={call} screen={screen} />,
      },
    ];
    if (!isNarrow) return all;
    return all.flatMap((column) => {
      const width = NARROW_WIDTHS[column.id];
      return width === undefined ? [] : [{ ...column, width }];
    });
  }, [screen, isNarrow]);
}
