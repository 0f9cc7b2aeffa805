/** Owns the keys of an agent: those that programs act as it with, and those that it signs with. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Agent, Key } from '../../api/schema.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { When } from '../../ui/when.tsx';

export function AgentKeys({ agent }: { readonly agent: Agent }) {
  const [made, setMade] = useState<string>();
  const further = useAct(() => request('POST /api/agents/{id}/api-keys', { path: { id: agent.id } }), {
    onDone({ key }) {
      setMade(key);
      makeOld('keys');
    },
  });
  return (
    <>
      <section className="stack" aria-label="Keys">
        <div className="agents-line">
          <h3 className="grow">Keys</h3>
          <Button size="s" isBusy={further.isBusy} onClick={() => further.run()}>
            Make a further key
          </Button>
        </div>
        <ApiKeys agentId={agent.id} />
      </section>
      <SigningKeys agentId={agent.id} />
      {made !== undefined && (
        <Dialog
          isOpen
          onClose={() => setMade(undefined)}
          title="A further key of the agent"
          description="It is shown this once."
          footer={<Button onClick={() => setMade(undefined)}>I have it</Button>}
        >
          <CodeBlock text={made} isWrapped />
        </Dialog>
      )}
    </>
  );
}

function ApiKeys({ agentId }: { readonly agentId: string }) {
  const { organization } = useSession();
  const [asked, setAsked] = useState<Key>();
  const { data } = useQuery({
    queryKey: ['keys', 'list'],
    queryFn: ({ signal }) =>
      request('GET /api/organizations/{orgId}/keys', { path: { orgId: organization.id }, signal }),
  });
  const revoke = useAct(
    (id: string) =>
      request('DELETE /api/organizations/{orgId}/keys/{keyId}', {
        path: { orgId: organization.id, keyId: id },
      }),
    {
      onDone() {
        setAsked(undefined);
        makeOld('keys');
      },
    },
  );
  const own = data?.filter((key) => key.agentId === agentId && key.state !== 'revoked') ?? [];
  return (
    <>
      {data && own.length === 0 && <p className="muted">None that you may see.</p>}
      <ul className="agents-list">
        {own.map((key) => (
          <li key={key.id} className="agents-line">
            <span className="grow row-wrap">
              <code>{key.start}</code>
              <StateBadge state={key.state} />
              <span className="muted">
                used <When at={key.lastUsedAt} />, made <When at={key.createdAt} />
              </span>
            </span>
            <Button size="s" kind="danger" aria-label={`Revoke ${key.start}`} onClick={() => setAsked(key)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      <ConfirmDelete
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        onConfirm={() => asked && revoke.run(asked.id)}
        isBusy={revoke.isBusy}
        confirmText="Revoke"
        title={`Revoke the key ${asked?.start ?? ''}?`}
        gone={['Whatever uses it is refused from its next request on']}
      />
    </>
  );
}

function SigningKeys({ agentId }: { readonly agentId: string }) {
  const [isAsking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey: ['agents', 'signing-keys', agentId],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/keys', { path: { id: agentId }, signal }),
  });
  const rotate = useAct(() => request('POST /api/agents/{id}/keys/rotate', { path: { id: agentId } }), {
    onDone() {
      setAsking(false);
      makeOld('agents', 'memory');
    },
  });
  return (
    <section className="stack" aria-label="Keys that it signs with">
      <div className="agents-line">
        <h3 className="grow">Signs with</h3>
        <Button size="s" onClick={() => setAsking(true)}>
          Change the signing key
        </Button>
      </div>
      <ul className="agents-list">
        {data?.keys.toReversed().map((key) => (
          <li key={key.key_id}>
            <span className="row-wrap">
              <ShortId id={key.public_key} />
              <StateBadge state={key.active ? 'active' : 'retired'} />
              <span className="muted">
                made <When at={key.created_at} />
              </span>
            </span>
          </li>
        ))}
      </ul>
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={() => rotate.run()}
        isBusy={rotate.isBusy}
        confirmText="Change it"
        title="Give the agent another key to sign with?"
      >
        <p>The old key signs the change and nothing after it. What it signed stays valid.</p>
      </ConfirmDelete>
    </section>
  );
}
