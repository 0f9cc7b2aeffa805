/** Owns making and changing webhooks, and showing a secret this once. */
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { queryClient } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import type { Webhook, WebhookWithSecret } from '../../api/schema.ts';
import { useOrganizationId } from './queries.ts';

const refresh = () => queryClient.invalidateQueries({ queryKey: ['deliveries', 'webhooks'] });

interface Fields {
  readonly url: string;
  readonly events: readonly string[];
}

/** The form of a new webhook; its secret is shown afterwards. */
export function NewWebhookDialog({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}) {
  const orgId = useOrganizationId();
  const [made, setMade] = useState<WebhookWithSecret>();
  const act = useAct(
    async (fields: Fields) => {
      const answer = await request('POST /api/organizations/{orgId}/webhooks', {
        path: { orgId },
        body: fields,
      });
      await refresh();
      return answer;
    },
    { isQuiet: true, onDone: setMade },
  );
  if (made)
    return (
      <SecretDialog
        secret={made.secret}
        onClose={() => {
          onClose();
          onMade(made.id);
        }}
      />
    );
  return (
    <WebhookForm
      title="New webhook"
      button="Make it"
      url="https://"
      events="*"
      problem={act.error?.message}
      isBusy={act.isBusy}
      onSend={act.run}
      onClose={onClose}
    />
  );
}

/** The form of one that is there. */
export function EditWebhookDialog({
  webhook,
  onClose,
}: {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}) {
  const orgId = useOrganizationId();
  const act = useAct(
    async (fields: Fields) => {
      await request('PATCH /api/organizations/{orgId}/webhooks/{webhookId}', {
        path: { orgId, webhookId: webhook.id },
        body: fields,
      });
      await refresh();
    },
    { isQuiet: true, onDone: onClose },
  );
  return (
    <WebhookForm
      title="Change the webhook"
      button="Save"
      url={webhook.url}
      events={webhook.events.join(', ')}
      problem={act.error?.message}
      isBusy={act.isBusy}
      onSend={act.run}
      onClose={onClose}
    />
  );
}

interface FormProps {
  readonly title: string;
  readonly button: string;
  readonly url: string;
  readonly events: string;
  readonly problem: string | undefined;
  readonly isBusy: boolean;
  readonly onSend: (fields: Fields) => void;
  readonly onClose: () => void;
}

function WebhookForm(props: FormProps) {
  const [url, setUrl] = useState(props.url);
  const [events, setEvents] = useState(props.events);
  const types = events
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');
  const canSend = URL.canParse(url) && types.length > 0;
  const isAboutEvents = props.problem?.startsWith('events') === true;
  return (
    <Dialog
      isOpen
      onClose={props.onClose}
      title={props.title}
      onSubmit={() => canSend && props.onSend({ url: url.trim(), events: types })}
      footer={
        <>
          <Button onClick={props.onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={props.isBusy}>
            {props.button}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Address" error={isAboutEvents ? undefined : props.problem} isRequired>
          <Input type="url" value={url} onText={setUrl} maxLength={2000} autoFocus />
        </Field>
        <Field
          label="Hears of"
          hint="Types with commas between: order.paid, annotation.*, or * for all"
          error={isAboutEvents ? props.problem : undefined}
          isRequired
        >
          <Input className="mono" value={events} onText={setEvents} maxLength={4000} />
        </Field>
      </div>
    </Dialog>
  );
}

/** A secret that is shown this once. */
export function SecretDialog({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="The signing secret"
      description="This is the only time it is shown. The receiver checks the signature of each request with it."
      footer={
        <Button kind="primary" onClick={onClose}>
          I have kept it
        </Button>
      }
    >
      <CodeBlock text={secret} isWrapped />
    </Dialog>
  );
}
