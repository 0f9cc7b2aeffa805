/** Owns the list of dashboards. */
import { LayoutDashboard, Plus } from 'lucide-react';
import { useMemo } from 'react';
import { BulkDelete } from '../../../ui/bulk-delete.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import type { Filter } from '../../../ui/list-screen.tsx';
import { isAmong, rowOptions } from '../../../ui/row-options.ts';
import { EmptyState } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import type { ScreenState } from '../../../ui/use-screen.ts';
import { When } from '../../../ui/when.tsx';
import type { Dashboard } from './queries.ts';
import { deleteDashboard, useDashboards } from './queries.ts';

const columns: Column<Dashboard>[] = [
  { id: 'name', header: 'Name', cell: (one) => one.name, sortValue: (one) => one.name },
  {
    id: 'about',
    header: 'About',
    isWideOnly: true,
    cell: (one) => <span className="truncate muted">{one.description ?? ''}</span>,
  },
  {
    id: 'widgets',
    header: 'Widgets',
    width: '90px',
    align: 'end',
    cell: (one) => one.widgets.length,
    sortValue: (one) => one.widgets.length,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '120px',
    align: 'end',
    cell: (one) => <When at={one.updatedAt} />,
    sortValue: (one) => one.updatedAt,
  },
];
const keyOf = (one: Dashboard) => one.id;
const SHOWN = [
  { value: 'metric', label: 'A figure' },
  { value: 'timeseries', label: 'A course over time' },
  { value: 'table', label: 'A table' },
];

/** The tools whose calls it looks at, where it names them. */
function toolsOf({ filters, widgets }: Dashboard): string[] {
  return [...(filters.toolNames ?? []), ...widgets.flatMap(({ filter }) => filter?.toolNames ?? [])];
}

/** All dashboards, and the way to a new one. */
export function DashboardList({ screen }: { readonly screen: ScreenState }) {
  const query = useDashboards();
  const text = (screen.search['q'] ?? '').toLowerCase();
  const { shows, tool } = screen.search;
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        (one) =>
          one.name.toLowerCase().includes(text) &&
          isAmong(
            shows,
            one.widgets.map(({ type }) => type),
          ) &&
          isAmong(tool, toolsOf(one)),
      ),
    [query.data, text, shows, tool],
  );
  const filters = useMemo(
    (): readonly Filter[] => [
      { id: 'shows', label: 'Shows', options: SHOWN },
      { id: 'tool', label: 'Tool', options: rowOptions((query.data ?? []).flatMap(toolsOf)) },
    ],
    [query.data],
  );
  const make = () => screen.open('new');
  useKeys({ c: make });
  const button = (
    <Button size="s" kind="primary" icon={<Plus />} onClick={make}>
      New dashboard
    </Button>
  );
  const bulk = (chosen: readonly Dashboard[], clear: () => void) => (
    <BulkDelete
      rows={chosen}
      noun={['dashboard', 'dashboards']}
      goneOf={({ name, widgets }) => `“${name}” with ${widgets.length} widgets, for everybody`}
      remove={({ id }) => deleteDashboard(id)}
      onDone={clear}
    />
  );
  return (
    <ListScreen
      title="Dashboards"
      viewsOf="dashboards"
      screen={screen}
      query={query}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      defaultSort="name"
      filters={filters}
      actions={button}
      bulk={bulk}
      empty={
        <EmptyState icon={<LayoutDashboard />} title="No dashboards yet" action={button}>
          A dashboard shows figures over what goes into tools and comes out of them: orders by country, the
          mean of a price, the newest of a reading.
        </EmptyState>
      }
    />
  );
}
