/** Owns webhooks: the list, and one with its acts. */
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { BulkDelete } from '../../ui/bulk-delete.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { useSection } from '../../ui/sections.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useKeys } from '../../ui/use-keys.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import type { Webhook } from '../../api/schema.ts';
import { useOrganizationId, useWebhooks } from './queries.ts';
import { stateOf, WebhookBadge } from './webhook-badge.tsx';
import { WebhookDetail } from './webhook-detail.tsx';
import { NewWebhookDialog } from './webhook-dialogs.tsx';

const keyOf = ({ id }: Webhook) => id;
const FILTERS = [
  {
    id: 'state',
    label: 'State',
    options: [
      { value: 'enabled', label: 'On' },
      { value: 'disabled', label: 'Off' },
    ],
  },
];

const columns: Column<Webhook>[] = [
  {
    id: 'url',
    header: 'Address',
    width: 'minmax(160px, 2fr)',
    cell: ({ url }) => <span className="truncate">{url}</span>,
    sortValue: ({ url }) => url,
  },
  {
    id: 'state',
    header: 'State',
    width: '110px',
    cell: (webhook) => <WebhookBadge webhook={webhook} />,
    sortValue: stateOf,
  },
  {
    id: 'events',
    header: 'Hears of',
    width: 'minmax(100px, 1fr)',
    isWideOnly: true,
    cell: ({ events }) => <span className="mono truncate">{events.join(', ')}</span>,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: '110px',
    align: 'end',
    cell: ({ updatedAt }) => <When at={updatedAt} />,
    sortValue: ({ updatedAt }) => updatedAt,
  },
];

/** The part of the screen. */
export function Webhooks({ screen: whole }: { readonly screen: ScreenState }) {
  const screen = useSection(whole, 'webhooks');
  const query = useWebhooks();
  const [isMaking, setMaking] = useState(false);
  useKeys({ c: () => setMaking(true) });
  const text = (screen.search['q'] ?? '').toLowerCase();
  const wanted = screen.search['state'];
  const orgId = useOrganizationId();
  const rows = useMemo(
    () =>
      (query.data ?? []).filter(
        ({ url, events, state }) =>
          (wanted === undefined || state === wanted) &&
          `${url} ${events.join(' ')}`.toLowerCase().includes(text),
      ),
    [query.data, text, wanted],
  );
  const opened = query.data?.find(({ id }) => id === screen.id);
  const isNarrow = screen.id !== undefined;
  const button = (
    <Button size="s" kind="primary" icon={<Plus />} onClick={() => setMaking(true)}>
      New webhook
    </Button>
  );
  const bulk = (chosen: readonly Webhook[], clear: () => void) => (
    <BulkDelete
      rows={chosen}
      noun={['webhook', 'webhooks']}
      goneOf={({ url }) => `${url}: its secret, and what was still to be delivered to it`}
      remove={({ id }) =>
        request('DELETE /api/organizations/{orgId}/webhooks/{webhookId}', { path: { orgId, webhookId: id } })
      }
      onDone={() => {
        makeOld('deliveries');
        clear();
      }}
    />
  );
  return (
    <>
      <ListScreen
        title="Webhooks"
        viewsOf="webhooks"
        screen={screen}
        query={query}
        rows={rows}
        columns={isNarrow ? columns.slice(0, 2) : columns}
        keyOf={keyOf}
        defaultSort="url"
        filters={FILTERS}
        filterPlaceholder="Address or event"
        bulk={bulk}
        actions={button}
        empty={
          <EmptyState icon={<WebhookIcon />} title="No webhooks yet" action={button}>
            A webhook is an address of another server: signed requests tell it of events as they happen.
          </EmptyState>
        }
        detail={
          screen.id !== undefined && (
            <WebhookDetail
              key={screen.id}
              webhook={opened}
              query={query}
              onClose={() => screen.open(undefined)}
            />
          )
        }
      />
      {isMaking && <NewWebhookDialog onClose={() => setMaking(false)} onMade={(id) => screen.open(id)} />}
    </>
  );
}
