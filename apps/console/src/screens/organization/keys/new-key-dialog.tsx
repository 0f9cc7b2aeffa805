/** Owns making a key: what it is for, what it may, how long it lives; its secret is shown this once. */
import { useState } from 'react';
import { callTool } from '../../../api/call-tool.ts';
import { makeOld } from '../../../api/make-old.ts';
import { useSession } from '../../../api/session.ts';
import { useAct } from '../../../api/use-act.ts';
import { Button } from '../../../ui/button.tsx';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import type { Option } from '../../../ui/select.tsx';
import { Select } from '../../../ui/select.tsx';
import { GrantPicker } from '../grants/grant-picker.tsx';
import type { Role } from '../../../api/schema.ts';
import type { Grants } from '../queries.ts';
import { useRoles } from '../queries.ts';

const DAY_S = 86_400;
const ENDS: readonly Option[] = [
  { value: 'never', label: 'Never' },
  { value: String(DAY_S), label: 'In a day' },
  { value: String(7 * DAY_S), label: 'In a week' },
  { value: String(30 * DAY_S), label: 'In 30 days' },
  { value: String(90 * DAY_S), label: 'In 90 days' },
  { value: String(365 * DAY_S), label: 'In a year' },
];
const CHOSEN = 'chosen tools';
const ALL: Grants = { '*': ['*'] };

/** The form, then the secret; what is needed stands in it chosen already. */
export function NewKeyDialog({
  needed,
  onClose,
}: {
  readonly needed?: Grants;
  readonly onClose: () => void;
}) {
  const { isAdministrator } = useSession();
  const { data: roles = [] } = useRoles();
  const [name, setName] = useState('');
  const [ends, setEnds] = useState('never');
  const [power, setPower] = useState(isAdministrator && needed === undefined ? 'everything' : CHOSEN);
  const [chosen, setChosen] = useState<Grants>(needed ?? {});
  const [secret, setSecret] = useState<string>();
  const permissions = powerOf(power, chosen, roles);
  const make = useAct(
    () =>
      callTool<{ key: string }>('self', 'API_KEY_CREATE', {
        name: name.trim(),
        permissions,
        ...(ends !== 'never' && { expiresIn: Number(ends) }),
      }),
    {
      isQuiet: true,
      onDone: ({ key }) => {
        setSecret(key);
        makeOld('keys');
      },
    },
  );
  if (secret !== undefined)
    return (
      <Dialog
        isOpen
        onClose={onClose}
        title={`The key “${name.trim()}”`}
        description="This is the only time it is shown. Give it to the client as a bearer token."
        footer={
          <Button kind="primary" onClick={onClose}>
            I have kept it
          </Button>
        }
      >
        <CodeBlock text={secret} isWrapped />
      </Dialog>
    );
  const canSend = name.trim() !== '' && Object.keys(permissions).length > 0;
  return (
    <Dialog
      isOpen
      size={power === CHOSEN ? 'l' : 'm'}
      onClose={onClose}
      title="New key"
      description="It acts in your name and never may more than you do."
      onSubmit={() => canSend && make.run()}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!canSend} isBusy={make.isBusy}>
            Make the key
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field
          label="Name"
          hint="What it is for, such as “Claude on my laptop”"
          error={make.error?.message}
          isRequired
        >
          <Input value={name} onText={setName} maxLength={64} autoFocus />
        </Field>
        <Field label="May use">
          <Select value={power} onChange={setPower} options={powers(roles, isAdministrator)} />
        </Field>
        {power === CHOSEN && <GrantPicker grants={chosen} onChange={setChosen} />}
        <Field label="Ends">
          <Select value={ends} onChange={setEnds} options={ENDS} />
        </Field>
      </div>
    </Dialog>
  );
}

function powers(roles: readonly Role[], isAdministrator: boolean): readonly Option[] {
  const given = roles.filter(({ name }) => name !== 'owner' && name !== 'admin' && name !== 'user');
  return [
    ...(isAdministrator ? [{ value: 'everything', label: 'Everything that I may' }] : []),
    { value: CHOSEN, label: 'Chosen tools' },
    ...given.map(({ name }) => ({ value: `role ${name}`, label: `What the role ${name} gives` })),
  ];
}

function powerOf(power: string, chosen: Grants, roles: readonly Role[]): Grants {
  if (power === 'everything') return ALL;
  if (power === CHOSEN) return chosen;
  return roles.find(({ name }) => power === `role ${name}`)?.grants ?? {};
}
