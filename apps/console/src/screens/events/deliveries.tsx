/** Owns deliveries: each event on its way to each subscriber, and the dead ones that wait for a hand. */
import { RotateCw, Send } from 'lucide-react';
import { useMemo } from 'react';
import { useMore } from '../../api/use-more.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useOpened } from '../../ui/use-opened.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { useRetry } from './event-detail.tsx';
import { useNames } from './names.tsx';
import type { Delivery } from '../../api/schema.ts';
import { useDeliveries, useReadDelivery } from './queries.ts';

const keyOf = (delivery: Delivery) => delivery.id;
const NO_DELIVERIES: readonly Delivery[] = [];
const STATUSES = [
  { value: 'dead', label: 'Dead', hint: 'given up' },
  { value: 'pending', label: 'Pending' },
  { value: 'processing', label: 'Processing' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'cancelled', label: 'Cancelled' },
];

/** The part of the screen. */
export function Deliveries({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'deliveries');
  const query = useDeliveries(screen.search);
  const nameOf = useNames();
  const rows = useMemo(
    () => query.data?.pages.flatMap(({ deliveries }) => deliveries) ?? NO_DELIVERIES,
    [query.data],
  );
  const retry = useRetry();
  const columns = useColumns(nameOf, screen.id !== undefined);
  const more = useMore(query);
  const subscribers = useMemo(
    () =>
      [...new Set([...rows.map(({ subscriber }) => subscriber), screen.search['subscriber'] ?? ''])].filter(
        Boolean,
      ),
    [rows, screen.search],
  );
  const { row: opened, query: openedQuery } = useOpened({
    id: screen.id,
    rows,
    keyOf,
    list: query,
    queryKey: ['deliveries'],
    read: useReadDelivery(),
  });
  const bulk = (chosen: readonly Delivery[], clear: () => void) => (
    <Button
      size="s"
      icon={<RotateCw />}
      isBusy={retry.isBusy}
      onClick={() => {
        retry.run(chosen.map(({ id }) => id));
        clear();
      }}
    >
      Send again
    </Button>
  );
  return (
    <ListScreen
      title="Deliveries"
      viewsOf="deliveries"
      screen={screen}
      query={query}
      rows={rows}
      columns={columns}
      keyOf={keyOf}
      isSortedByServer
      defaultSort="-when"
      onEnd={more}
      isLoadingMore={query.isFetchingNextPage}
      filterPlaceholder="Type of the event"
      filters={[
        { id: 'status', label: 'State', options: STATUSES },
        {
          id: 'subscriber',
          label: 'Subscriber',
          options: subscribers.map((value) => ({ value, label: nameOf(value) })),
        },
      ]}
      actions={
        <Button
          size="s"
          onClick={() =>
            screen.setSearch({ status: screen.search['status'] === 'dead' ? undefined : 'dead' })
          }
        >
          {screen.search['status'] === 'dead' ? 'All' : 'Dead letters'}
        </Button>
      }
      rowKeys={{ r: (delivery) => retry.run([delivery.id]) }}
      bulk={bulk}
      empty={
        <EmptyState icon={<Send />} title="Nothing was delivered yet">
          When a connection or a webhook hears of an event, its delivery shows here, with every attempt that
          failed.
        </EmptyState>
      }
      detail={
        screen.id !== undefined && (
          <DetailPane
            key={screen.id}
            title={<span className="mono">{opened?.event.type ?? 'Delivery'}</span>}
            name={opened?.event.type}
            query={openedQuery}
            onClose={() => screen.open(undefined)}
            about={opened && <StateBadge state={opened.status} />}
            actions={
              opened && (
                <Button
                  size="s"
                  icon={<RotateCw />}
                  isBusy={retry.isBusy}
                  disabled={opened.status === 'processing'}
                  onClick={() => retry.run([opened.id])}
                >
                  {opened.status === 'delivered' ? 'Send again' : 'Retry'}
                </Button>
              )
            }
          >
            {opened === undefined ? (
              <p className="muted">There is no such delivery. It may have been removed by age.</p>
            ) : (
              <Content delivery={opened} nameOf={nameOf} />
            )}
          </DetailPane>
        )
      }
    />
  );
}

function Content({
  delivery,
  nameOf,
}: {
  readonly delivery: Delivery;
  readonly nameOf: (id: string) => string;
}) {
  return (
    <>
      {delivery.lastError !== null && <div className="events-fault">{delivery.lastError}</div>}
      <Facts
        facts={[
          ['To', nameOf(delivery.subscriber)],
          ['Attempts', String(delivery.attempts)],
          ['Begun', <When key="begun" at={delivery.createdAt} />],
          delivery.deliveredAt !== null && ['Delivered', <When key="delivered" at={delivery.deliveredAt} />],
          delivery.nextAt !== null && ['Next attempt', <When key="next" at={delivery.nextAt} />],
          [
            'Event',
            <span key="event" className="row">
              <ScreenLink to={`/events/stream/${delivery.event.id}`}>{delivery.event.type}</ScreenLink>
              <ShortId id={delivery.event.id} />
            </span>,
          ],
          ['Delivery', <ShortId key="id" id={delivery.id} />],
        ]}
      />
      <JsonView value={delivery.event} openDepth={4} />
    </>
  );
}

function useColumns(nameOf: (id: string) => string, isNarrow: boolean): readonly Column<Delivery>[] {
  return useMemo(() => {
    const all: Column<Delivery>[] = [
      {
        id: 'type',
        header: 'Event',
        width: isNarrow ? 'minmax(0, 1fr)' : 'minmax(140px, 1.2fr)',
        cell: ({ event }) => <span className="mono truncate">{event.type}</span>,
      },
      {
        id: 'status',
        header: 'State',
        width: '116px',
        cell: ({ status }) => <StateBadge state={status} />,
      },
      {
        id: 'to',
        header: 'To',
        width: 'minmax(100px, 1fr)',
        cell: ({ subscriber }) => <span className="truncate">{nameOf(subscriber)}</span>,
      },
      {
        id: 'error',
        header: 'Last error',
        width: 'minmax(120px, 1.4fr)',
        isWideOnly: true,
        cell: ({ lastError }) => (
          <span className="truncate muted" title={lastError ?? undefined}>
            {lastError ?? ''}
          </span>
        ),
      },
      {
        id: 'attempts',
        header: 'Attempts',
        width: '76px',
        align: 'end',
        isWideOnly: true,
        cell: ({ attempts }) => attempts,
      },
      {
        id: 'when',
        header: 'Begun',
        isServerSorted: true,
        width: '100px',
        align: 'end',
        cell: ({ createdAt }) => <When at={createdAt} />,
      },
    ];
    return isNarrow ? all.filter(({ id }) => ['type', 'status', 'when'].includes(id)) : all;
  }, [nameOf, isNarrow]);
}
