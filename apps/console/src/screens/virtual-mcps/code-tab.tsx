/** Owns the tools in code of a virtual MCP: their list, and the editor of one. */
import { Code2, Plus } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { DataTable } from '../../ui/data-table.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { CodeToolEditor } from './code-tool-editor.tsx';
import type { PartProps } from './detail.tsx';
import { useVirtualTools } from './queries.ts';
import type { VirtualTool } from './types.ts';

const COLUMNS: Column<VirtualTool>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(140px, 1fr)',
    cell: (tool) => <span className="mono">{tool.name}</span>,
  },
  {
    id: 'about',
    header: 'About',
    width: 'minmax(120px, 2fr)',
    cell: (tool) => <span className="truncate muted virtual-isolated">{tool.description ?? ''}</span>,
  },
  { id: 'changed', header: 'Changed', width: '110px', cell: (tool) => <When at={tool.updated_at} /> },
];

const NEW = '';

export function CodeTab({ virtual, described, has, screen }: PartProps & { readonly screen: ScreenState }) {
  const query = useVirtualTools(virtual.id);
  // In the address, so that a reload does not lose which one is open.
  const opened = screen.search['tool'];
  const [isNew, setNew] = useState(false);
  const open = (name: string | undefined) => {
    setNew(name === NEW);
    screen.setSearch({ tool: name === NEW ? undefined : name });
  };
  if (query.isPending) return <Skeleton rows={6} />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { items } = query.data;
  const tool = items.find(({ name }) => name === opened);
  if (isNew || tool)
    return (
      <CodeToolEditor
        key={tool?.id ?? 'new'}
        virtual={virtual}
        described={described}
        tool={tool}
        has={has}
        onClose={() => open(undefined)}
        onKept={(name) => open(name)}
      />
    );
  const canMake = has('COLLECTION_VIRTUAL_TOOLS_CREATE');
  const make = (
    <Button icon={<Plus />} kind="primary" onClick={() => open(NEW)}>
      New tool
    </Button>
  );
  if (items.length === 0)
    return (
      <EmptyState icon={<Code2 />} title="No tools in code" action={canMake && make}>
        A tool in code is a function that calls tools of the members and returns what clients get as one
        answer.
      </EmptyState>
    );
  return (
    <div className="stack">
      {canMake && <div className="row">{make}</div>}
      <DataTable
        rows={items}
        columns={COLUMNS}
        keyOf={(each) => each.name}
        label="Tools in code"
        onOpen={(each) => open(each.name)}
        isInline
      />
    </div>
  );
}
