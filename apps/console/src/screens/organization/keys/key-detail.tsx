/** Owns one key: what it may, in full; a new name or other grants for one's own. */
import { Ban, Pencil } from 'lucide-react';
import { useState } from 'react';
import { callTool } from '../../../api/call-tool.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useNamedAgents, useNamedConnections } from '../../../api/named.ts';
import type { Named } from '../../../api/named.ts';
import { useAct } from '../../../api/use-act.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ShortId } from '../../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../../ui/detail-pane.tsx';
import type { DetailPaneProps } from '../../../ui/detail-pane.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { ScreenLink } from '../../../ui/screen-link.tsx';
import { When } from '../../../ui/when.tsx';
import { TrustedName } from '../../../ui/trusted-name.tsx';
import { GrantPicker } from '../grants/grant-picker.tsx';
import { useTitles } from '../grants/titles.ts';
import type { Key } from '../../../api/schema.ts';
import type { Grants } from '../queries.ts';
import { KeyBadge } from './key-badge.tsx';

/** One key beside the list. */
export function KeyDetail({
  keyInfo: key,
  query,
  onClose,
  onRevoke,
}: {
  readonly keyInfo: Key | undefined;
  readonly query: NonNullable<DetailPaneProps['query']>;
  readonly onClose: () => void;
  readonly onRevoke: (key: Key) => void;
}) {
  const [isEditing, setEditing] = useState(false);
  return (
    <DetailPane
      title={<TrustedName name={key?.name ?? 'Key'} />}
      name={key?.name}
      query={query}
      onClose={onClose}
      about={key && <KeyBadge state={key.state} />}
      actions={
        key &&
        key.state === 'active' && (
          <>
            {key.isMine && (
              <Button size="s" icon={<Pencil />} onClick={() => setEditing(true)}>
                Change
              </Button>
            )}
            <Button size="s" kind="danger" icon={<Ban />} onClick={() => onRevoke(key)}>
              Revoke
            </Button>
          </>
        )
      }
    >
      {key === undefined ? <p className="muted">There is no such key.</p> : <Content info={key} />}
      {isEditing && key && <EditDialog info={key} onClose={() => setEditing(false)} />}
    </DetailPane>
  );
}

/** By its name; the id of what is not known stays short. */
function NamedLink({
  to,
  id,
  among,
}: {
  readonly to: string;
  readonly id: string;
  readonly among: readonly Named[];
}) {
  const name = among.find((one) => one.id === id)?.name;
  return name === undefined ? <ShortId id={id} /> : <ScreenLink to={`${to}/${id}`}>{name}</ScreenLink>;
}

function Content({ info }: { readonly info: Key }) {
  const connections = useNamedConnections();
  const agents = useNamedAgents();
  return (
    <>
      <Facts
        facts={[
          ['Belongs to', <TrustedName key="owner" name={info.owner.name} isGone="no member any more" />],
          ['Begins with', <code key="start">{info.start}</code>],
          ['Last used', <When key="used" at={info.lastUsedAt} />],
          ['Ends', info.expiresAt === null ? 'never' : <When key="ends" at={info.expiresAt} />],
          ['Made', <When key="made" at={info.createdAt} />],
          info.role !== null && ['Narrowed to', <Badge key="role">{info.role}</Badge>],
          info.connectionId !== null && [
            'Acts for',
            <NamedLink key="connection" to="/connections" id={info.connectionId} among={connections} />,
          ],
          info.agentId !== null && [
            'Agent',
            <NamedLink key="agent" to="/agents" id={info.agentId} among={agents} />,
          ],
          [
            'Calls',
            <ScreenLink key="calls" to={`/monitoring/calls?caller=${encodeURIComponent(info.id)}`}>
              Show what it called
            </ScreenLink>,
          ],
          ['Key', <ShortId key="id" id={info.id} />],
        ]}
      />
      <section className="stack">
        <h3>May use</h3>
        <GrantList grants={info.permissions} />
        <p className="small muted">At every call it may at most what its owner may at that time.</p>
      </section>
    </>
  );
}

/** Grants, resource by resource. */
export function GrantList({ grants }: { readonly grants: Grants }) {
  const titleOf = useTitles();
  const entries = Object.entries(grants).filter(([, names]) => names.length > 0);
  if (entries.length === 0) return <p className="muted">Nothing.</p>;
  return (
    <ul className="stack">
      {entries.map(([resource, names]) => (
        <li key={resource} className="row-wrap">
          <span className="strong">{titleOf(resource)}</span>
          {names.map((name) => (
            <Badge key={name}>{name === '*' ? 'all tools' : name}</Badge>
          ))}
        </li>
      ))}
    </ul>
  );
}

function EditDialog({ info, onClose }: { readonly info: Key; readonly onClose: () => void }) {
  const [name, setName] = useState(info.name);
  const [grants, setGrants] = useState(info.permissions);
  const save = useAct(
    () => callTool('self', 'API_KEY_UPDATE', { keyId: info.id, name: name.trim(), permissions: grants }),
    {
      isQuiet: true,
      onDone: () => {
        makeOld('keys');
        onClose();
      },
    },
  );
  return (
    <Dialog
      isOpen
      size="l"
      onClose={onClose}
      title={`Change the key “${info.name}”`}
      onSubmit={() => name.trim() !== '' && save.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={save.isBusy} disabled={name.trim() === ''}>
            Save
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Name" error={save.error?.message} isRequired>
          <Input value={name} onText={setName} maxLength={64} />
        </Field>
        <GrantPicker grants={grants} onChange={setGrants} />
      </div>
    </Dialog>
  );
}
