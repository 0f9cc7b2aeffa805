/** Owns one event: what it says as JSON, and what became of it at each subscriber. */
import { Filter as Funnel, History, RotateCw } from 'lucide-react';
import { callTool } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { useAsking } from '../../ui/asking.tsx';
import { StateBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Menu } from '../../ui/menu.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { toast } from '../../ui/toast-store.ts';
import type { ScreenState } from '../../ui/use-screen.ts';
import { exactText, When } from '../../ui/when.tsx';
import { EventState } from './event-state.tsx';
import { useNames } from './names.tsx';
import type { CloudEvent, Delivery } from './queries.ts';
import { useEvent, useOrganizationId } from './queries.ts';

/** One event beside the stream. */
export function EventDetail({
  id,
  screen,
  onClose,
}: {
  readonly id: string;
  readonly screen: ScreenState;
  readonly onClose: () => void;
}) {
  const query = useEvent(id);
  const nameOf = useNames();
  const { event, status, deliveries = [] } = query.data ?? {};
  const asking = useAsking();
  const cancel = useAct(() => callTool<{ cancelled: boolean }>('self', 'EVENT_CANCEL', { eventId: id }), {
    onDone: ({ cancelled }) => {
      toast({
        text: cancelled ? 'What was not delivered yet is cancelled.' : 'There was nothing left to cancel.',
      });
      makeOld('deliveries', 'event-list');
    },
  });
  return (
    <DetailPane
      title={<span className="mono">{event?.type ?? 'Event'}</span>}
      name={event?.type}
      query={query}
      onClose={onClose}
      about={
        event && (
          <>
            <EventState status={status} hasSubscribers={deliveries.length > 0} />
            <When at={event.time} />
            <ShortId id={event.id} />
          </>
        )
      }
      actions={
        event && (
          <>
            <Menu
              trigger={<IconButton label="Narrow the list to alike events" icon={<Funnel />} />}
              items={narrowings(event, screen, nameOf)}
            />
            {status === 'pending' && (
              <Button
                size="s"
                isBusy={cancel.isBusy}
                onClick={() =>
                  asking.ask({
                    title: 'Cancel the event?',
                    gone: ['Every delivery of it that has not gone out yet'],
                    confirmText: 'Cancel it',
                    onYes: () => cancel.run(),
                  })
                }
              >
                Cancel
              </Button>
            )}
          </>
        )
      }
    >
      {asking.dialog}
      {event && (
        <>
          <section className="stack">
            <h3>Deliveries</h3>
            <DeliveryList deliveries={deliveries} />
          </section>
          <section className="stack">
            <h3>The event</h3>
            <JsonView value={event} openDepth={4} />
          </section>
          <Facts
            facts={[
              ['Source', nameOf(event.source)],
              event.subject !== undefined && ['Subject', event.subject],
              ['Time', exactText(event.time)],
              ['Number', String(event.parleyseq)],
              event.parleyschedule !== undefined && [
                'Schedule',
                <ShortId key="schedule" id={event.parleyschedule} />,
              ],
            ]}
          />
        </>
      )}
    </DetailPane>
  );
}

function narrowings(event: CloudEvent, screen: ScreenState, nameOf: (id: string) => string) {
  const prefix = `${event.type.split('.')[0] ?? ''}.*`;
  const only = (label: string, search: Record<string, string>) => ({
    label,
    onSelect: () => screen.setSearch(search),
  });
  return [
    { heading: 'Only events …' },
    only(`of the type ${event.type}`, { type: event.type }),
    only(`of the types ${prefix}`, { type: prefix }),
    only(`from ${nameOf(event.source)}`, { source: event.source }),
    ...(event.subject === undefined ? [] : [only(`about ${event.subject}`, { subject: event.subject })]),
    'separator' as const,
    {
      label: 'Replay from here',
      icon: <History />,
      onSelect: () =>
        screen.setSearch({ after: String(event.parleyseq - 1), source: undefined, status: undefined }),
    },
  ];
}

/** What became of an event at each subscriber; each can be started again. */
function DeliveryList({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0)
    return (
      <p className="muted">
        Nobody asked to hear of it. <ScreenLink to="/events/subscriptions">Subscribe a connection</ScreenLink>{' '}
        or <ScreenLink to="/events/webhooks">make a webhook</ScreenLink>.
      </p>
    );
  return (
    <ul className="events-deliveries">
      {deliveries.map((delivery) => (
        <DeliveryLine key={delivery.id} delivery={delivery} />
      ))}
    </ul>
  );
}

function DeliveryLine({ delivery }: { readonly delivery: Delivery }) {
  const nameOf = useNames();
  const retry = useRetry();
  return (
    <li>
      <div className="row">
        <StateBadge state={delivery.status} />
        <span className="grow truncate" title={delivery.subscriber}>
          {nameOf(delivery.subscriber)}
        </span>
        <span className="small muted number">
          {delivery.attempts} {delivery.attempts === 1 ? 'attempt' : 'attempts'}
        </span>
        {delivery.status !== 'processing' && (
          <Button
            size="s"
            kind="quiet"
            icon={<RotateCw />}
            isBusy={retry.isBusy}
            onClick={() => retry.run([delivery.id])}
          >
            {delivery.status === 'delivered' ? 'Again' : 'Retry'}
          </Button>
        )}
      </div>
      {delivery.lastError !== null && <div className="small events-error">{delivery.lastError}</div>}
      {delivery.nextAt !== null && (
        <div className="small muted">
          Next attempt <When at={delivery.nextAt} />
        </div>
      )}
    </li>
  );
}

/** Starts deliveries again from their first attempt. */
export function useRetry(onDone?: () => void) {
  const orgId = useOrganizationId();
  return useAct(
    async (ids: readonly string[]) => {
      for (const id of ids)
        await request('POST /api/organizations/{orgId}/deliveries/{id}/retry', { path: { orgId, id } });
      return ids.length;
    },
    {
      inTurn: true,
      onDone: (count) => {
        toast({ text: count === 1 ? 'It is sent again.' : `${count} deliveries are sent again.` });
        makeOld('deliveries', 'event-list');
        onDone?.();
      },
    },
  );
}
