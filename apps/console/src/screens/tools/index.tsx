/** Owns the screen: tools: the list and the runner. */
import { Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { Tool } from '../../api/schema.ts';
import { Badge, EffectBadge } from '../../ui/badge.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DetailPane } from '../../ui/detail-pane.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import type { Search } from '../../ui/use-screen.ts';
import { keyOf, useTools } from './queries.ts';
import { ToolDetail } from './tool-detail.tsx';
import { WhyMissing } from './why-missing.tsx';
import './tools.css';

const collator = new Intl.Collator('en', { numeric: true });
const EFFECTS = ['read', 'create', 'update', 'delete', 'run'] as const;
const SOURCES = [
  { value: 'toolset', label: 'Parley' },
  { value: 'connection', label: 'Connections' },
  { value: 'virtual', label: 'Virtual MCPs' },
] as const;

const nameColumn: Column<Tool> = {
  id: 'name',
  header: 'Tool',
  cell: (tool) => (
    <>
      <span className="truncate">{tool.title}</span>
      {tool.title !== tool.name && <span className="tools-name mono truncate">{tool.name}</span>}
    </>
  ),
  sortValue: (tool) => tool.title,
};
const effectColumn: Column<Tool> = {
  id: 'effect',
  header: 'Effect',
  width: '76px',
  cell: (tool) => <EffectBadge effect={tool.effect} />,
  sortValue: (tool) => EFFECTS.indexOf(tool.effect),
};
const columns: Column<Tool>[] = [
  nameColumn,
  effectColumn,
  {
    id: 'endpoint',
    header: 'From',
    width: 'minmax(90px, 160px)',
    cell: (tool) => <span className="truncate muted">{tool.endpointTitle}</span>,
    sortValue: (tool) => tool.endpointTitle,
  },
  {
    id: 'hints',
    header: 'Marks',
    width: '170px',
    isWideOnly: true,
    cell: (tool) => (
      <>
        {tool.isExternal && <Badge title="It reaches another system">external</Badge>}
        {tool.isPrivileged && (
          <Badge tone="amber" title="Only by explicit grant">
            privileged
          </Badge>
        )}
        {tool.task && (
          <Badge tone="blue" title={`May run as a durable task: ${tool.task}`}>
            task
          </Badge>
        )}
      </>
    ),
  },
  {
    id: 'tokens',
    header: 'Tokens',
    width: '72px',
    align: 'end',
    isWideOnly: true,
    cell: (tool) => (
      <span title="About what a model pays for knowing of it">{tool.tokens.toLocaleString('en')}</span>
    ),
    sortValue: (tool) => tool.tokens,
  },
];
const narrowColumns = [nameColumn, effectColumn];

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const query = useTools();
  const all = query.data;
  const rows = useMemo(() => filterTools(all ?? [], screen.search), [all, screen.search]);
  const endpoints = useMemo(() => {
    const titles = new Map((all ?? []).map((tool) => [tool.endpoint, tool.endpointTitle]));
    return [...titles].map(([value, label]) => ({ value, label }));
  }, [all]);
  const open = screen.id === undefined ? undefined : all?.find((tool) => keyOf(tool) === screen.id);
  const close = () => screen.open(undefined);
  const { q = '', from } = screen.search;
  const isSought = all !== undefined && rows.length === 0 && NAME.test(q);
  const [sought, place] = partsOf(screen.id ?? '');
  return (
    <ListScreen
      title="Tools"
      viewsOf="tools"
      screen={screen}
      query={query}
      rows={rows}
      columns={screen.id === undefined ? columns : narrowColumns}
      keyOf={keyOf}
      notice={isSought && <WhyMissing tool={q} endpoint={from} />}
      filterPlaceholder="Filter by name or words"
      filters={[
        { id: 'effect', label: 'Effect', options: EFFECTS.map((value) => ({ value, label: value })) },
        { id: 'from', label: 'From', options: endpoints },
        { id: 'source', label: 'Source', options: SOURCES },
      ]}
      empty={
        <EmptyState
          icon={<Wrench />}
          title="No tools for you yet"
          action={
            <ScreenLink to="/connections" isButton>
              Connect a server
            </ScreenLink>
          }
        >
          Tools come with your role, and with connections to other MCP servers.
        </EmptyState>
      }
      detail={
        open ? (
          <ToolDetail key={keyOf(open)} tool={open} screen={screen} onClose={close} />
        ) : (
          screen.id !== undefined &&
          all && (
            <DetailPane title="No such tool" onClose={close}>
              <EmptyState title="This tool is not there">
                It may be gone, or it is not one that you may use. The list shows all that you have.
              </EmptyState>
              <WhyMissing tool={sought} endpoint={place} />
            </DetailPane>
          )
        )
      }
    />
  );
}

/** What could be the name of a tool, and not words about one. */
const NAME = /^[\w.-]{1,200}$/;

/** The name and the endpoint in the key of a tool. */
function partsOf(key: string): [name: string, endpoint: string] {
  const colon = key.indexOf(':');
  return [key.slice(colon + 1), key.slice(0, Math.max(0, colon))];
}

function filterTools(tools: readonly Tool[], { q = '', effect, from, source }: Search): readonly Tool[] {
  const words = q.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter((tool) => {
    if (effect && tool.effect !== effect) return false;
    if (from && tool.endpoint !== from) return false;
    if (source && tool.source !== source) return false;
    const about = `${tool.name} ${tool.title} ${tool.description}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
  return found.toSorted(
    (a, b) => collator.compare(a.endpointTitle, b.endpointTitle) || collator.compare(a.title, b.title),
  );
}
