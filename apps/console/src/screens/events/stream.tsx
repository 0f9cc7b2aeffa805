/** Owns the stream of events: the newest first as they happen, or from a cursor on in their order. */
import { History, Radio, Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useMore } from '../../api/use-more.ts';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import type { Option } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { EventDetail } from './event-detail.tsx';
import { EventState } from './event-state.tsx';
import { useNames } from './names.tsx';
import { PublishDialog } from './publish-dialog.tsx';
import type { EventLine } from './queries.ts';
import { useNewestEvents, useReplay } from './queries.ts';
import { ReplayDialog } from './replay-dialog.tsx';

const keyOf = ({ event }: EventLine) => event.id;
const NO_LINES: readonly EventLine[] = [];
const MOST_OPTIONS = 15;
const STATUSES: readonly Option[] = ['pending', 'delivered', 'failed', 'cancelled'].map((value) => ({
  value,
  label: value,
}));

/** The part of the screen. */
export function Stream({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'stream');
  const isReplay = screen.search['after'] !== undefined;
  const newest = useNewestEvents(screen.search);
  const replay = useReplay(screen.search);
  const query = isReplay ? replay : newest;
  const lines = useMemo(
    () =>
      isReplay
        ? (replay.data?.pages.flatMap(({ events }) => events.map((event) => ({ event }))) ?? NO_LINES)
        : (newest.data?.pages.flatMap(({ items }) => items) ?? NO_LINES),
    [isReplay, replay.data, newest.data],
  );
  const [isPublishing, setPublishing] = useState(false);
  const [isChoosing, setChoosing] = useState(false);
  useKeys({ c: () => setPublishing(true), r: () => setChoosing(true) });
  const nameOf = useNames();
  const columns = useColumns(nameOf, screen.id !== undefined, isReplay);
  const more = useMore(query);
  const publish = (
    <Button size="s" kind="primary" icon={<Send />} onClick={() => setPublishing(true)}>
      Publish
    </Button>
  );
  return (
    <>
      <ListScreen
        title="Events"
        viewsOf="events"
        screen={screen}
        query={query}
        rows={lines}
        columns={columns}
        keyOf={keyOf}
        filters={filtersOf(lines, screen, nameOf, isReplay)}
        filterPlaceholder="Type, such as order.*"
        isSortedByServer
        defaultSort={isReplay ? undefined : '-when'}
        onEnd={more}
        isLoadingMore={query.isFetchingNextPage}
        actions={
          <>
            <Button size="s" icon={<History />} onClick={() => setChoosing(true)}>
              Replay
            </Button>
            {publish}
          </>
        }
        notice={isReplay && <ReplayNotice screen={screen} count={lines.length} isAll={!query.hasNextPage} />}
        empty={
          isReplay ? (
            <EmptyState icon={<History />} title="Nothing after this cursor">
              The next event that happens shows here.
            </EmptyState>
          ) : (
            <EmptyState icon={<Radio />} title="Nothing happened yet" action={publish}>
              Annotations, posts, tasks, keys and connections publish events; so can your own programs. Each
              shows here as it happens.
            </EmptyState>
          )
        }
        detail={
          screen.id !== undefined && (
            <EventDetail
              key={screen.id}
              id={screen.id}
              screen={screen}
              onClose={() => screen.open(undefined)}
            />
          )
        }
      />
      <PublishDialog isOpen={isPublishing} onClose={() => setPublishing(false)} />
      <ReplayDialog
        isOpen={isChoosing}
        onClose={() => setChoosing(false)}
        onChoose={(after) => {
          setChoosing(false);
          screen.setSearch({ after, source: undefined, subject: undefined, status: undefined });
        }}
      />
    </>
  );
}

function ReplayNotice({
  screen,
  count,
  isAll,
}: {
  readonly screen: ScreenState;
  readonly count: number;
  readonly isAll: boolean;
}) {
  return (
    <div className="events-notice" role="status">
      <History aria-hidden />
      <span className="grow">
        In their order after number {screen.search['after']}: {count.toLocaleString('en')}
        {isAll ? ' events up to now; new ones follow.' : ' events so far, more below.'}
      </span>
      <Button size="s" onClick={() => screen.setSearch({ after: undefined })}>
        Back to the newest
      </Button>
    </div>
  );
}

function useColumns(
  nameOf: (id: string) => string,
  isNarrow: boolean,
  isReplay: boolean,
): readonly Column<EventLine>[] {
  return useMemo(() => {
    const all: (Column<EventLine> & { readonly isKept?: boolean })[] = [
      {
        id: 'type',
        header: 'Type',
        width: isNarrow ? 'minmax(0, 1fr)' : 'minmax(150px, 1.4fr)',
        cell: ({ event }) => <span className="mono truncate">{event.type}</span>,
        isKept: true,
      },
      {
        id: 'subject',
        header: 'Subject',
        width: 'minmax(100px, 1fr)',
        cell: ({ event }) => <span className="truncate muted">{event.subject ?? ''}</span>,
      },
      {
        id: 'source',
        header: 'Source',
        width: 'minmax(100px, 1fr)',
        isWideOnly: true,
        cell: ({ event }) => <span className="truncate">{nameOf(event.source)}</span>,
      },
      ...(isReplay
        ? []
        : [
            {
              id: 'status',
              header: 'Deliveries',
              width: '110px',
              cell: (line: EventLine) => <EventState {...line} />,
              isKept: true,
            },
          ]),
      {
        id: 'seq',
        header: 'Number',
        width: '80px',
        align: 'end',
        isWideOnly: true,
        cell: ({ event }) => <span className="number faint">{event.parleyseq}</span>,
      },
      {
        id: 'when',
        header: 'When',
        // A replay goes on from its cursor.
        isServerSorted: !isReplay,
        width: '100px',
        align: 'end',
        cell: ({ event }) => <When at={event.time} />,
        isKept: true,
      },
    ];
    return isNarrow ? all.filter(({ isKept }) => isKept) : all;
  }, [nameOf, isNarrow, isReplay]);
}

function filtersOf(
  lines: readonly EventLine[],
  { search }: ScreenState,
  nameOf: (id: string) => string,
  isReplay: boolean,
): readonly Filter[] {
  const types = distinct(lines.map(({ event }) => event.type));
  const prefixes = distinct(types.map((type) => `${type.split('.')[0] ?? ''}.*`));
  const withChosen = (found: readonly string[], id: string) => {
    const chosen = search[id];
    return chosen && !found.includes(chosen) ? [...found, chosen] : found;
  };
  const asOptions = (values: readonly string[]) => values.map((value) => ({ value, label: nameOf(value) }));
  const ofTypes: Filter = {
    id: 'type',
    label: 'Type',
    options: asOptions(withChosen([...prefixes, ...types].slice(0, MOST_OPTIONS * 2), 'type')),
  };
  if (isReplay) return [ofTypes];
  const subjects = withChosen(
    distinct(lines.flatMap(({ event }) => event.subject ?? [])).slice(0, 5),
    'subject',
  );
  return [
    ofTypes,
    {
      id: 'source',
      label: 'Source',
      options: asOptions(
        withChosen(distinct(lines.map(({ event }) => event.source)).slice(0, MOST_OPTIONS), 'source'),
      ),
    },
    { id: 'status', label: 'Deliveries', options: STATUSES },
    ...(subjects.length === 0 ? [] : [{ id: 'subject', label: 'Subject', options: asOptions(subjects) }]),
  ];
}

function distinct(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}
