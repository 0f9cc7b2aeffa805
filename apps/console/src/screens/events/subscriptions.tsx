/** Owns subscriptions: which connection hears of which events. */
import { BellPlus, Rss, Trash2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { queryClient } from '../../api/query.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import type { Filter } from '../../ui/list-screen.tsx';
import { isAmong, rowOptions } from '../../ui/row-options.ts';
import { useSection } from '../../ui/sections.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { useNames, useSubscriberOptions } from './names.tsx';
import type { Subscription } from '../../api/schema.ts';
import { useSubscriptions } from './queries.ts';

const keyOf = ({ id }: Subscription) => id;

interface Wanted {
  readonly connectionId: string;
  readonly eventType: string;
  readonly publisher?: string;
  readonly filter?: string;
}

async function subscribe(wanted: Wanted): Promise<void> {
  await callTool('self', 'EVENT_SUBSCRIBE', wanted);
  await queryClient.invalidateQueries({ queryKey: ['events', 'subscriptions'] });
}

/** The part of the screen. */
export function Subscriptions({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'subscriptions');
  const query = useSubscriptions();
  const nameOf = useNames();
  const [isMaking, setMaking] = useState(false);
  useKeys({ c: () => setMaking(true) });
  const remove = useAct(
    async (gone: readonly Subscription[]) => {
      for (const { id } of gone) await callTool('self', 'EVENT_UNSUBSCRIBE', { subscriptionId: id });
      await queryClient.invalidateQueries({ queryKey: ['events', 'subscriptions'] });
      return gone;
    },
    {
      onDone: (gone) =>
        toast({
          text: gone.length === 1 ? 'Unsubscribed.' : `${gone.length} subscriptions removed.`,
          onUndo: async () => {
            for (const { connectionId, eventType, publisher, filter } of gone)
              await subscribe({
                connectionId,
                eventType,
                ...(publisher !== null && { publisher }),
                ...(filter !== null && { filter }),
              });
          },
        }),
    },
  );
  const text = (screen.search['q'] ?? '').toLowerCase();
  const { who, from, state } = screen.search;
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        ({ eventType, connectionId, publisher, enabled }) =>
          `${eventType} ${nameOf(connectionId)}`.toLowerCase().includes(text) &&
          isAmong(who, [connectionId]) &&
          isAmong(from, [publisher]) &&
          isAmong(state, [enabled ? 'active' : 'off']),
      ),
    [query.data, nameOf, text, who, from, state],
  );
  const filters = useMemo(() => filtersOf(query.data ?? [], nameOf), [query.data, nameOf]);
  const columns = useMemo(() => columnsOf(nameOf), [nameOf]);
  const button = (
    <Button size="s" kind="primary" icon={<BellPlus />} onClick={() => setMaking(true)}>
      Subscribe
    </Button>
  );
  const bulk = (chosen: readonly Subscription[], clear: () => void) => (
    <Button
      size="s"
      icon={<Trash2 />}
      isBusy={remove.isBusy}
      onClick={() => {
        remove.run(chosen);
        clear();
      }}
    >
      Unsubscribe
    </Button>
  );
  return (
    <>
      <ListScreen
        title="Subscriptions"
        viewsOf="subscriptions"
        screen={screen}
        query={query}
        rows={rows}
        columns={columns}
        keyOf={keyOf}
        canOpen={false}
        filters={filters}
        defaultSort="type"
        actions={button}
        bulk={bulk}
        empty={
          <EmptyState icon={<Rss />} title="Nobody subscribed yet" action={button}>
            A connection that subscribed is called with its tool `ON_EVENTS` whenever an event of the type
            happens.
          </EmptyState>
        }
      />
      {isMaking && <SubscribeDialog onClose={() => setMaking(false)} />}
    </>
  );
}

function filtersOf(all: readonly Subscription[], nameOf: (id: string) => string): readonly Filter[] {
  return [
    {
      id: 'who',
      label: 'Who',
      options: rowOptions(
        all.map(({ connectionId }) => connectionId),
        nameOf,
      ),
    },
    {
      id: 'from',
      label: 'Only from',
      options: rowOptions(
        all.map(({ publisher }) => publisher),
        nameOf,
      ),
    },
    {
      id: 'state',
      label: 'State',
      options: [
        { value: 'active', label: 'Active' },
        { value: 'off', label: 'Off' },
      ],
    },
  ];
}

function columnsOf(nameOf: (id: string) => string): readonly Column<Subscription>[] {
  return [
    {
      id: 'type',
      header: 'Hears of',
      cell: ({ eventType }) => <span className="mono truncate">{eventType}</span>,
      sortValue: ({ eventType }) => eventType,
    },
    {
      id: 'who',
      header: 'Who',
      cell: ({ connectionId }) => <span className="truncate">{nameOf(connectionId)}</span>,
      sortValue: ({ connectionId }) => nameOf(connectionId),
    },
    {
      id: 'publisher',
      header: 'Only from',
      isWideOnly: true,
      cell: ({ publisher }) =>
        publisher === null ? <span className="faint">anybody</span> : nameOf(publisher),
    },
    {
      id: 'filter',
      header: 'Filter',
      isWideOnly: true,
      cell: ({ filter, filterFailures }) => (
        <span className="row">
          <code className="truncate" title={filter ?? undefined}>
            {filter ?? ''}
          </code>
          {filterFailures !== undefined && (
            <span className="small events-error">failed {filterFailures} times</span>
          )}
        </span>
      ),
    },
    {
      id: 'state',
      header: 'State',
      width: '100px',
      cell: ({ enabled }) => <StateBadge state={enabled ? 'active' : 'off'} />,
    },
    {
      id: 'when',
      header: 'Since',
      width: '110px',
      align: 'end',
      cell: ({ createdAt }) => <When at={createdAt} />,
      sortValue: ({ createdAt }) => createdAt,
    },
  ];
}

function SubscribeDialog({ onClose }: { readonly onClose: () => void }) {
  const { organization } = useSession();
  const options = useSubscriberOptions();
  const [connectionId, setConnectionId] = useState(`${organization.id}_self`);
  const [eventType, setEventType] = useState('');
  const [publisher, setPublisher] = useState('');
  const [filter, setFilter] = useState('');
  const act = useAct(
    () =>
      subscribe({
        connectionId,
        eventType: eventType.trim(),
        ...(publisher.trim() !== '' && { publisher: publisher.trim() }),
        ...(filter.trim() !== '' && { filter: filter.trim() }),
      }),
    { isQuiet: true, onDone: onClose },
  );
  const canSend = eventType.trim() !== '';
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Subscribe a connection"
      onSubmit={() => canSend && act.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={act.isBusy}>
            Subscribe
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Who hears of it">
          <Select value={connectionId} options={options} onChange={setConnectionId} />
        </Field>
        <Field label="Type" hint="A type, prefix.* or *" error={act.error?.message} isRequired>
          <Input className="mono" value={eventType} onText={setEventType} maxLength={255} autoFocus />
        </Field>
        <Field
          label="Only from"
          hint="The source of the events, such as the id of a connection; empty: anybody"
        >
          <Input className="mono" value={publisher} onText={setPublisher} maxLength={255} />
        </Field>
        <Field
          label="Filter"
          hint="JSONPath over the event that must select something: $.data[?@.total > 100]"
        >
          <Input className="mono" value={filter} onText={setFilter} maxLength={1000} />
        </Field>
      </div>
    </Dialog>
  );
}
