/** Owns the second step: the configuration to copy for each client, with a key made on the spot. */
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { ErrorState, Skeleton } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { makeKey, useClients } from './queries.ts';
import type { Client } from '../../api/schema.ts';

const PLACEHOLDER = 'PARLEY_KEY';
/** Where the key itself belongs, unlike in `${PARLEY_KEY}`, which the client fills in. */
const LITERAL = /Bearer \$?PARLEY_KEY\b/g;

/** The tabs of the clients. */
export function ConnectClient({ isCurrent }: { readonly isCurrent: boolean }) {
  const clients = useClients();
  const [chosen, setChosen] = useState<string>();
  const [key, setKey] = useState<string>();
  const first = clients.data?.[0];
  const current = clients.data?.find((client) => client.id === chosen) ?? first;
  const { isAdministrator } = useSession();
  const make = useAct(() => makeKey(current?.title ?? 'My client', isAdministrator), { onDone: setKey });
  if (clients.isPending) return <Skeleton rows={5} />;
  if (!clients.data) return <ErrorState error={clients.error} onRetry={() => clients.refetch()} />;
  if (!current) return null;
  return (
    <div className="stack">
      {key === undefined ? (
        <div className="row-wrap">
          <Button
            kind={isCurrent ? 'primary' : 'plain'}
            icon={<KeyRound />}
            isBusy={make.isBusy}
            onClick={() => make.run()}
          >
            Make a key for {current.title}
          </Button>
          <span className="muted small in-text">
            It goes where {PLACEHOLDER} stands below. It {isAdministrator && 'may do all that you may, and '}
            does not end until you revoke it;{' '}
            <ScreenLink to="/organization/keys">make a narrower one</ScreenLink> where that is too much.
          </span>
        </div>
      ) : (
        <div className="first-run-key">
          <div className="grow">
            <div className="strong">The key of {current.title}, shown this once</div>
            <code className="first-run-secret">{key}</code>
          </div>
          <CopyButton text={key}>Copy the key</CopyButton>
        </div>
      )}
      <Tabs
        label="Clients"
        value={current.id}
        onChange={setChosen}
        tabs={clients.data.map((client) => ({
          id: client.id,
          label: client.title,
          content: <Configuration client={client} secret={key} />,
        }))}
      />
      <p className="first-run-waiting muted" role="status">
        <span className="first-run-pulse" aria-hidden />
        Waiting for the client to connect
      </p>
    </div>
  );
}

/** The key is written in where the text is for this person alone; a file of a project names the variable instead. */
function Configuration({ client, secret }: { readonly client: Client; readonly secret: string | undefined }) {
  const text = secret === undefined ? client.text : client.text.replaceAll(LITERAL, `Bearer ${secret}`);
  const isByVariable = secret !== undefined && text.includes(PLACEHOLDER);
  return (
    <div className="stack">
      <CodeBlock title={client.where} text={text} isWrapped={client.language === 'shell'} />
      {isByVariable && (
        <CodeBlock title="And where the client starts" text={`export ${PLACEHOLDER}=${secret}`} isWrapped />
      )}
    </div>
  );
}
