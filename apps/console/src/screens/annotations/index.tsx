/** Owns the screen of annotations: the notes of all pages, one note beside them, and how pages are connected. */
import { useQueryClient } from '@tanstack/react-query';
import { MousePointerClick } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { eachOf, missedWords, tryEach } from '../../ui/each-of.ts';
import { ListScreen } from '../../ui/list-screen.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useScreen } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import './annotations.css';
import { useProjects } from '../agents/queries.ts';
import { ConnectPage } from './connect-page.tsx';
import { NoteDetail } from './note-detail.tsx';
import { orderOf } from '../../ui/server-order.ts';
import { pageOptions, projectOptions } from './page-filters.ts';
import { dismiss, isClosed, reopen, resolve, STATUSES, useNotes, usePages } from './queries.ts';
import type { Annotation, Note } from '../../api/schema.ts';

const SEVERITY_TONES: Readonly<Record<Annotation['severity'], Tone>> = {
  blocking: 'red',
  important: 'amber',
  suggestion: 'neutral',
};

const columns: Column<Note>[] = [
  {
    id: 'text',
    header: 'Note',
    cell: ({ annotation }) => annotation.annotationText,
    width: 'minmax(160px, 3fr)',
  },
  {
    id: 'status',
    header: 'State',
    cell: ({ annotation }) => <StateBadge state={annotation.status} />,
    width: '140px',
  },
  {
    id: 'severity',
    header: 'Weight',
    cell: ({ annotation: { severity } }) => <Badge tone={SEVERITY_TONES[severity]}>{severity}</Badge>,
    width: '110px',
  },
  {
    id: 'page',
    header: 'Page',
    cell: ({ session }) => session.title || session.url,
    width: 'minmax(120px, 1fr)',
  },
  {
    id: 'created',
    header: 'Said',
    isServerSorted: true,
    cell: ({ annotation }) => <When at={annotation.createdAt} />,
    width: '110px',
  },
];
/** What fits beside an open note. */
const narrow = columns.filter(({ id }) => id === 'text' || id === 'status');
const keyOf = ({ annotation }: Note) => annotation.id;
const STATUS_OPTIONS = STATUSES.map((value) => ({ value, label: value.replaceAll('_', ' ') }));

export function Screen() {
  const screen = useScreen();
  const { q: text, status, session, url, project } = screen.search;
  const query = useNotes({ text, status, session, url, project, order: orderOf(screen.search, 'created') });
  const pages = usePages();
  const projects = useProjects();
  const [isConnecting, setConnecting] = useState(false);
  const client = useQueryClient();
  const reread = () => client.invalidateQueries({ queryKey: ['annotations'] });
  const closeAll = async (notes: readonly Note[], how: typeof resolve) => {
    const open = notes.flatMap(({ annotation }) => (isClosed(annotation) ? [] : [annotation.id]));
    const end = await tryEach(open, how);
    const { done } = end;
    await reread();
    const missed = missedWords(open.length, end);
    if (missed !== undefined) toast({ text: missed, tone: 'red' });
    if (done.length === 0) return;
    const count = done.length === 1 ? '1 annotation' : `${done.length} annotations`;
    toast({
      text: `${count} ${how === resolve ? 'resolved' : 'dismissed'}.`,
      async onUndo() {
        await eachOf(done, reopen);
        await reread();
      },
    });
  };
  const close = useAct(closeAll, { inTurn: true });
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const filters = useMemo(
    () => [
      { id: 'status', label: 'State', options: STATUS_OPTIONS },
      { id: 'url', label: 'Page', options: pageOptions(pages.data ?? []) },
      { id: 'project', label: 'Project', options: projectOptions(pages.data ?? [], projects) },
    ],
    [pages.data, projects],
  );
  const connect = <Button onClick={() => setConnecting(true)}>Connect a page</Button>;
  return (
    <>
      <ListScreen
        title="Annotations"
        viewsOf="annotations"
        screen={screen}
        query={query}
        rows={rows}
        columns={screen.id === undefined ? columns : narrow}
        keyOf={keyOf}
        isSortedByServer
        defaultSort="-created"
        filters={filters}
        filterPlaceholder="What was said"
        actions={connect}
        onEnd={() => {
          if (query.hasNextPage && !query.isFetchingNextPage) detach(query.fetchNextPage(), reportError);
        }}
        bulk={(notes, clear) => (
          <>
            <Button
              size="s"
              isBusy={close.isBusy}
              onClick={() => {
                close.run(notes, resolve);
                clear();
              }}
            >
              Resolve
            </Button>
            <Button
              size="s"
              isBusy={close.isBusy}
              onClick={() => {
                close.run(notes, dismiss);
                clear();
              }}
            >
              Dismiss
            </Button>
          </>
        )}
        empty={
          <EmptyState icon={<MousePointerClick />} title="No annotations yet" action={connect}>
            Put the script tag into a page, open it, and point at what should change.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <NoteDetail key={screen.id} id={screen.id} onClose={() => screen.open(undefined)} />
          )
        }
      />
      {isConnecting && <ConnectPage onClose={() => setConnecting(false)} />}
    </>
  );
}
