/** Owns the screen: the changelog: what was told, what is planned, and the editor. */
import { Newspaper, Plus } from 'lucide-react';
import { useCallback, useMemo } from 'react';
import { makeOld } from '../../../api/make-old.ts';
import { detach } from '../../../detach.ts';
import { Badge, StateBadge } from '../../../ui/badge.tsx';
import { BulkDelete } from '../../../ui/bulk-delete.tsx';
import { Button } from '../../../ui/button.tsx';
import type { Column } from '../../../ui/data-table.tsx';
import { ListScreen } from '../../../ui/list-screen.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { useKeys } from '../../../ui/use-keys.ts';
import { useScreen } from '../../../ui/use-screen.ts';
import { When } from '../../../ui/when.tsx';
import { TOPIC, useIsAdministrator } from '../shared/queries.ts';
import './changelog.css';
import { Editor } from './editor.tsx';
import type { Entry } from './queries.ts';
import { orderOf } from '../../../ui/server-order.ts';
import { deleteOneOf, NEW, useChangelog } from './queries.ts';

const keyOf = ({ id }: Entry) => id;

const title: Column<Entry> = {
  id: 'title',
  header: 'Entry',
  width: 'minmax(0, 1fr)',
  cell: (entry) => <bdi className="truncate">{entry.title}</bdi>,
};
const state: Column<Entry> = {
  id: 'state',
  header: 'State',
  width: '120px',
  cell: (entry) => <StateBadge state={entry.state} />,
};
const narrowColumns = [title, state];
const columns: Column<Entry>[] = [
  title,
  {
    id: 'labels',
    header: 'Labels',
    width: '180px',
    isWideOnly: true,
    cell: ({ labels }) => (
      <span className="row">
        {labels.map((label) => (
          <Badge key={label}>{label}</Badge>
        ))}
      </span>
    ),
  },
  state,
  {
    id: 'author',
    header: 'By',
    width: '150px',
    isWideOnly: true,
    cell: ({ authorName }) => <bdi className="truncate muted">{authorName ?? ''}</bdi>,
  },
  {
    id: 'written',
    header: 'Written',
    width: '110px',
    align: 'end',
    isWideOnly: true,
    isServerSorted: true,
    cell: ({ createdAt }) => <When at={createdAt} />,
  },
  {
    id: 'published',
    header: 'Out',
    width: '120px',
    align: 'end',
    cell: ({ publishedAt }) =>
      publishedAt === null ? <span className="faint">not yet</span> : <When at={publishedAt} />,
  },
];

const FILTERS = [
  {
    id: 'published',
    label: 'State',
    options: [
      { value: 'true', label: 'Published' },
      { value: 'false', label: 'Drafts and scheduled' },
    ],
  },
];

/** The screen. */
export function Screen() {
  const screen = useScreen();
  const isAdministrator = useIsAdministrator();
  const { published, q } = screen.search;
  const isPublished = published === undefined ? undefined : published === 'true';
  const query = useChangelog(isPublished, q, orderOf(screen.search, 'written'));
  const rows = useMemo(() => query.data?.pages.flatMap(({ data }) => data) ?? [], [query.data]);
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) detach(fetchNextPage(), reportError);
  }, [hasNextPage, isFetchingNextPage, fetchNextPage]);
  const write = () => screen.open(NEW);
  useKeys({ n: write }, !isAdministrator);
  const make = isAdministrator && (
    <Button kind="primary" icon={<Plus />} title="New entry (n)" onClick={write}>
      New entry
    </Button>
  );
  const bulk = (chosen: readonly Entry[], clear: () => void) =>
    isAdministrator && (
      <BulkDelete
        rows={chosen}
        noun={['entry', 'entries']}
        goneOf={(entry) => `“${entry.title}”: the entry, its page, and every link to it`}
        remove={deleteOneOf}
        onDone={() => {
          makeOld(TOPIC);
          clear();
        }}
      />
    );
  return (
    <ListScreen
      title="Changelog"
      viewsOf="feedback-changelog"
      screen={screen}
      query={query}
      rows={rows}
      columns={screen.id === undefined ? columns : narrowColumns}
      keyOf={keyOf}
      isSortedByServer
      defaultSort="-written"
      filters={FILTERS}
      filterPlaceholder="Filter entries"
      actions={make}
      bulk={bulk}
      onEnd={onEnd}
      isLoadingMore={isFetchingNextPage}
      empty={
        <EmptyState icon={<Newspaper />} title="Nothing told yet" action={make}>
          Tell people what is new. An entry can be about posts; whoever follows them sees it.
        </EmptyState>
      }
      detail={
        screen.id !== undefined && (
          <Editor
            key={screen.id}
            id={screen.id}
            isReadOnly={!isAdministrator}
            onClose={() => screen.open(undefined)}
            onSaved={(id) => id !== screen.id && screen.open(id)}
          />
        )
      }
    />
  );
}
