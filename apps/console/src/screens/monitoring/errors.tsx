/** Owns what failed: alike failures together, each leading to its calls. */
import { CircleCheck } from 'lucide-react';
import { useMemo } from 'react';
import { Badge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { useGo } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { OutcomeBadge } from './call-cells.tsx';
import { CallsActions } from './calls.tsx';
import { lineOfError, useCallFilters } from './filters.tsx';
import type { ErrorGroup } from './queries.ts';
import { useErrors } from './queries.ts';

const columns: Column<ErrorGroup>[] = [
  {
    id: 'tool',
    header: 'Tool',
    width: 'minmax(160px, 1.4fr)',
    cell: (group) => <span className="mono truncate">{group.toolName}</span>,
    sortValue: (group) => group.toolName,
  },
  {
    id: 'code',
    header: 'Why',
    width: '150px',
    cell: (group) => <OutcomeBadge outcome={group.outcome} code={null} />,
    sortValue: (group) => group.outcome,
  },
  {
    id: 'message',
    header: 'The newest said',
    width: 'minmax(140px, 2fr)',
    cell: (group) => (
      <span className="row">
        {group.code !== null && <Badge>{group.code}</Badge>}
        <span className="truncate muted" title={group.message ?? undefined}>
          {group.message ?? ''}
        </span>
      </span>
    ),
  },
  {
    id: 'count',
    header: 'Times',
    width: '76px',
    align: 'end',
    cell: (group) => group.count.toLocaleString('en'),
    sortValue: (group) => group.count,
  },
  {
    id: 'callers',
    header: 'Callers',
    width: '76px',
    align: 'end',
    isWideOnly: true,
    cell: (group) => group.callers.toLocaleString('en'),
    sortValue: (group) => group.callers,
  },
  {
    id: 'last',
    header: 'Last',
    width: '104px',
    align: 'end',
    cell: (group) => <When at={group.last} />,
    sortValue: (group) => group.last,
  },
];
const keyOf = (group: ErrorGroup) =>
  [group.connectionId, group.toolName, group.outcome, group.code].join(' ');
const NO_GROUPS: readonly ErrorGroup[] = [];

/** The part of the screen. */
export function Errors({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'errors');
  const go = useGo();
  const query = useErrors(screen.search);
  const groups = query.data?.groups ?? NO_GROUPS;
  const asCalls = useMemo(() => groups.map(lineOfError), [groups]);
  const filters = useCallFilters(asCalls, screen.search);
  return (
    <ListScreen
      title="Errors"
      viewsOf="monitoring-errors"
      screen={screen}
      query={query}
      rows={groups}
      columns={columns}
      keyOf={keyOf}
      defaultSort="-count"
      filters={filters}
      filterPlaceholder="Tool"
      actions={<CallsActions screen={screen} />}
      notice={
        query.data?.partial && (
          <p className="monitoring-note small muted">
            There is more than could be looked at; choose a shorter time.
          </p>
        )
      }
      onOpen={(group) =>
        go('/monitoring/calls', {
          search: {
            ...screen.search,
            sort: undefined,
            tool: group.toolName,
            connection: group.connectionId,
            outcome: group.outcome,
            code: group.code ?? undefined,
          },
        })
      }
      empty={
        <EmptyState icon={<CircleCheck />} title="Nothing failed in this time">
          Errors of tools and denied calls are put together here by tool and reason.
        </EmptyState>
      }
    />
  );
}
