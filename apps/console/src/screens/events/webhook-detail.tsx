/** Owns one webhook: what it hears of, how its attempts end, and all that can be done with it. */
import { FlaskConical, KeyRound, Pencil, Power, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { queryClient } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import type { DetailPaneProps } from '../../ui/detail-pane.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import type { Webhook, WebhookTest } from '../../api/schema.ts';
import { useOrganizationId } from './queries.ts';
import { WebhookBadge } from './webhook-badge.tsx';
import { EditWebhookDialog, SecretDialog } from './webhook-dialogs.tsx';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['deliveries', 'webhooks'] });

/** One webhook beside the list. */
export function WebhookDetail({
  webhook,
  query,
  onClose,
}: {
  readonly webhook: Webhook | undefined;
  readonly query: NonNullable<DetailPaneProps['query']>;
  readonly onClose: () => void;
}) {
  return (
    <DetailPane
      title={webhook?.url ?? 'Webhook'}
      query={query}
      onClose={onClose}
      about={
        webhook && (
          <>
            <WebhookBadge webhook={webhook} />
            <ShortId id={webhook.id} />
          </>
        )
      }
    >
      {webhook === undefined ? (
        <p className="muted">There is no such webhook any more.</p>
      ) : (
        <Content webhook={webhook} onClose={onClose} />
      )}
    </DetailPane>
  );
}

function Content({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const orgId = useOrganizationId();
  const path = { orgId, webhookId: webhook.id };
  const [isEditing, setEditing] = useState(false);
  const [asked, setAsked] = useState<'delete' | 'rotate'>();
  const [secret, setSecret] = useState<string>();
  const [answer, setAnswer] = useState<WebhookTest>();
  const test = useAct(() => request('POST /api/organizations/{orgId}/webhooks/{webhookId}/test', { path }), {
    onDone: setAnswer,
  });
  const rotate = useAct(
    () => request('POST /api/organizations/{orgId}/webhooks/{webhookId}/rotate', { path }),
    {
      onDone: (made) => {
        setAsked(undefined);
        setSecret(made.secret);
      },
    },
  );
  const turn = useAct(
    async (enabled: boolean) => {
      await request('PATCH /api/organizations/{orgId}/webhooks/{webhookId}', { path, body: { enabled } });
      await refresh();
      return enabled;
    },
    {
      onDone: (enabled) =>
        toast({
          text: enabled ? 'Switched on.' : 'Switched off; what was open is cancelled.',
          ...(!enabled && {
            onUndo: async () => {
              await request('PATCH /api/organizations/{orgId}/webhooks/{webhookId}', {
                path,
                body: { enabled: true },
              });
              await refresh();
            },
          }),
        }),
    },
  );
  const remove = useAct(
    async () => {
      await request('DELETE /api/organizations/{orgId}/webhooks/{webhookId}', { path });
      await refresh();
    },
    { onDone: onClose },
  );
  const isOn = webhook.state === 'enabled';
  return (
    <>
      <div className="row-wrap">
        <Button size="s" icon={<FlaskConical />} isBusy={test.isBusy} onClick={() => test.run()}>
          Send a test event
        </Button>
        <Button size="s" icon={<KeyRound />} onClick={() => setAsked('rotate')}>
          Rotate the secret
        </Button>
        <Button size="s" icon={<Power />} isBusy={turn.isBusy} onClick={() => turn.run(!isOn)}>
          {isOn ? 'Switch off' : 'Switch on'}
        </Button>
        <IconButton size="s" label="Change" icon={<Pencil />} onClick={() => setEditing(true)} />
        <IconButton size="s" label="Delete" icon={<Trash2 />} onClick={() => setAsked('delete')} />
      </div>
      {answer && (
        <div className={answer.error === undefined ? 'events-good' : 'events-fault'} role="status">
          {answer.error === undefined
            ? `The receiver took the test event: status ${answer.status}, ${answer.durationMs} ms.`
            : `The receiver did not take it: ${answer.error}`}
        </div>
      )}
      {webhook.disabledReason !== null && <div className="events-fault">{webhook.disabledReason}</div>}
      {webhook.last.error !== null && <div className="events-fault">{webhook.last.error}</div>}
      <Facts
        facts={[
          [
            'Hears of',
            <span key="events" className="row-wrap">
              {webhook.events.map((type) => (
                <Badge key={type}>{type}</Badge>
              ))}
            </span>,
          ],
          ['Failed in a row', String(webhook.failureCount)],
          ['Made', <When key="made" at={webhook.createdAt} />],
          ['Changed', <When key="changed" at={webhook.updatedAt} />],
          [
            'Deliveries',
            <ScreenLink key="deliveries" to={`/events/deliveries?subscriber=${webhook.id}`}>
              Show them
            </ScreenLink>,
          ],
        ]}
      />
      {isEditing && <EditWebhookDialog webhook={webhook} onClose={() => setEditing(false)} />}
      {secret !== undefined && <SecretDialog secret={secret} onClose={() => setSecret(undefined)} />}
      <ConfirmDelete
        isOpen={asked === 'rotate'}
        onClose={() => setAsked(undefined)}
        onConfirm={() => rotate.run()}
        isBusy={rotate.isBusy}
        confirmText="Rotate"
        title="Make a new signing secret?"
      >
        <p>
          The old secret signs beside the new one for a day, so that the receiver can change over. Then it is
          gone for good.
        </p>
      </ConfirmDelete>
      <ConfirmDelete
        isOpen={asked === 'delete'}
        onClose={() => setAsked(undefined)}
        onConfirm={() => remove.run()}
        isBusy={remove.isBusy}
        title="Delete this webhook?"
        gone={['The webhook and its signing secret', 'Its deliveries, those that wait too']}
      />
    </>
  );
}
