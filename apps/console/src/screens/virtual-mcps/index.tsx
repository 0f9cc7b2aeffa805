/** Owns the screen of virtual MCPs: all of them, and one that is open. */
import { Boxes, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useHeldTools } from '../../api/held-tools.ts';
import { useMore } from '../../api/use-more.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { BulkDelete } from '../../ui/bulk-delete.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import { useOpened } from '../../ui/use-opened.ts';
import { useScreen } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { CreateDialog } from './create-dialog.tsx';
import { VirtualDetail } from './detail.tsx';
import { deleteVirtualMcp, readGlance, readSoon, useVirtualMcps } from './queries.ts';
import type { VirtualMcpGlance } from '../../api/schema.ts';
import './virtual-mcps.css';

const FILTERS: readonly Filter[] = [
  {
    id: 'state',
    label: 'State',
    options: [
      { value: 'active', label: 'On' },
      { value: 'inactive', label: 'Off' },
    ],
  },
  {
    id: 'has',
    label: 'Has',
    options: [
      { value: 'collisions', label: 'Collisions' },
      { value: 'notes', label: 'Something to look at' },
      { value: 'code', label: 'Tools in code' },
    ],
  },
];

const COLUMNS: readonly Column<VirtualMcpGlance>[] = [
  {
    id: 'title',
    header: 'Name',
    width: 'minmax(160px, 2fr)',
    cell: (row) => (
      <span className="truncate virtual-isolated" title={row.title}>
        {row.title}
      </span>
    ),
    sortValue: (row) => row.title,
  },
  {
    id: 'state',
    header: 'State',
    width: '90px',
    cell: (row) => <StateBadge state={row.status === 'inactive' ? 'off' : 'active'} />,
    sortValue: (row) => row.status,
  },
  {
    id: 'members',
    header: 'Members',
    width: 'minmax(120px, 2fr)',
    cell: (row) => (
      <span
        className="truncate muted virtual-isolated"
        title={row.members.map(({ title }) => title).join(', ')}
      >
        {row.members.length === 0 ? 'none' : row.members.map(({ title }) => title).join(', ')}
      </span>
    ),
    sortValue: (row) => row.members.length,
  },
  {
    id: 'tools',
    header: 'Tools',
    width: '80px',
    align: 'end',
    cell: (row) => <span className="number">{row.tools.toLocaleString('en')}</span>,
    sortValue: (row) => row.tools,
  },
  {
    id: 'code',
    header: 'In code',
    width: '80px',
    align: 'end',
    isWideOnly: true,
    cell: (row) => <span className="number">{row.ownTools}</span>,
    sortValue: (row) => row.ownTools,
  },
  {
    id: 'marks',
    header: 'To look at',
    width: '170px',
    cell: (row) => (
      <span className="row">
        {row.collisions > 0 && (
          <Badge tone="amber" title="Tools whose name another has, and that are shown under another">
            {row.collisions} {row.collisions === 1 ? 'collision' : 'collisions'}
          </Badge>
        )}
        {row.notes.length > 0 && (
          <Badge tone="amber" title={row.notes.join('\n')}>
            {row.notes.length} {row.notes.length === 1 ? 'note' : 'notes'}
          </Badge>
        )}
      </span>
    ),
    sortValue: (row) => -(row.collisions + row.notes.length),
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '110px',
    isWideOnly: true,
    cell: (row) => <When at={row.updatedAt} />,
    sortValue: (row) => row.updatedAt,
  },
];

const NARROW = COLUMNS.filter(({ id }) => ['title', 'state', 'tools'].includes(id));
const keyOf = (row: VirtualMcpGlance) => row.id;

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const query = useVirtualMcps(screen.search);
  const more = useMore(query);
  const has = useHeldTools('self');
  const [isMaking, setMaking] = useState(false);
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage } = query;
  const isOpen = screen.id !== undefined;
  const columns = useMemo(() => {
    const shown = isOpen ? NARROW : COLUMNS;
    // The order of a part says nothing about the rest.
    return hasNextPage ? shown.map(({ sortValue: _whole, ...column }) => column) : shown;
  }, [isOpen, hasNextPage]);
  const opened = useOpened({
    id: screen.id,
    rows,
    keyOf,
    list: query,
    queryKey: ['virtual-mcps', 'glance'],
    read: readGlance,
  });
  const canMake = has('COLLECTION_VIRTUAL_MCP_CREATE');
  useKeys(canMake ? { n: () => setMaking(true) } : {});
  const make = (
    <Button kind="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      New
    </Button>
  );
  const bulk = (chosen: readonly VirtualMcpGlance[], clear: () => void) =>
    has('COLLECTION_VIRTUAL_MCP_DELETE') && (
      <BulkDelete
        rows={chosen}
        noun={['virtual MCP', 'virtual MCPs']}
        goneOf={(row) => `“${row.title}” with its address, names and ${row.ownTools} tools in code`}
        remove={({ id }) => deleteVirtualMcp(id)}
        onDone={() => {
          readSoon();
          clear();
        }}
      />
    );
  return (
    <>
      <ListScreen
        title="Virtual MCPs"
        viewsOf="virtual-mcps"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        defaultSort="title"
        filters={FILTERS}
        filterPlaceholder="Filter by name or member"
        actions={canMake && make}
        bulk={bulk}
        onEnd={more}
        isLoadingMore={query.isFetchingNextPage}
        empty={
          <EmptyState icon={<Boxes />} title="No virtual MCPs yet" action={canMake && make}>
            A virtual MCP puts chosen tools of several connections behind one address, with names of its own
            and tools in code.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <VirtualDetail
              key={screen.id}
              glance={opened.row}
              list={opened.query}
              screen={screen}
              has={has}
            />
          )
        }
      />
      {isMaking && <CreateDialog onClose={() => setMaking(false)} onMade={(id) => screen.open(id)} />}
    </>
  );
}
