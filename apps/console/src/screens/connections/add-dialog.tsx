/** Owns adding a connection: by an address, a command, an OpenAPI document, or the JSON of a client. */
import { useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { toast } from '../../ui/toast-store.ts';
import { commandWords } from './command-words.ts';
import {
  AddressField,
  HeaderFields,
  PersonalTokenFields,
  ProgramFields,
  ServiceField,
  USUAL_TOKEN,
} from './fields.tsx';
import type { Pair } from './pairs.tsx';
import { textsOf } from './pairs.tsx';
import { NoPrograms } from './no-programs.tsx';
import { isPrivate } from './is-private.ts';
import { PasteJson } from './paste-json.tsx';
import { createConnection, readSoon } from './queries.ts';

export interface AddDialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onAdded: (id: string) => void;
}

type Way = 'address' | 'command' | 'openapi' | 'json';

const WAYS: readonly { readonly id: Way; readonly label: string }[] = [
  { id: 'address', label: 'Address' },
  { id: 'command', label: 'Command' },
  { id: 'openapi', label: 'OpenAPI' },
  { id: 'json', label: 'Client’s JSON' },
];

/** What a person has typed; kept while they look at another way. */
interface Draft {
  readonly title: string;
  readonly url: string;
  readonly type: 'HTTP' | 'SSE';
  readonly access: Access;
  readonly token: string;
  readonly tokenHeader: string;
  readonly tokenTemplate: string;
  readonly headers: readonly Pair[];
  readonly allowPrivate: boolean;
  readonly line: string;
  readonly cwd: string;
  readonly variables: readonly Pair[];
  readonly openapiServer: string;
}

const PROGRAM_HINT =
  'A program of the machine that Parley runs on. It is started without a shell; quotes hold words together.';

type Access = 'none' | 'token' | 'personal' | 'oauth' | 'oauth-shared';

const EMPTY: Draft = {
  title: '',
  url: '',
  type: 'HTTP',
  access: 'none',
  token: '',
  tokenHeader: USUAL_TOKEN.header,
  tokenTemplate: USUAL_TOKEN.template,
  headers: [],
  allowPrivate: false,
  line: '',
  cwd: '',
  variables: [],
  openapiServer: '',
};

/** An error below a long form is seen at once. */
function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest' });
}

/** The dialog; what was typed is there until something was added. */
export function AddDialog({ isOpen, onClose, onAdded }: AddDialogProps) {
  const [way, setWay] = useState<Way>('address');
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const change = (part: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...part }));
    add.forget();
  };
  const { startsPrograms } = useSession();
  const isAdministrator = useSession().isAdministrator;
  const canStart = startsPrograms && isAdministrator;
  const isRefused =
    way === 'command' ? !canStart : isPrivate(draft.url) && !(isAdministrator && draft.allowPrivate);
  const add = useAct(() => createConnection(dataOf(way, draft)), {
    isQuiet: true,
    onDone: ({ item }) => {
      const { last_error: fault } = item.catalog;
      setDraft(EMPTY);
      onClose();
      onAdded(item.id);
      toast(
        fault === null
          ? { text: `“${item.title}” is added, and its tools were read.`, tone: 'green' }
          : { text: `“${item.title}” is added, but could not be read: ${fault}`, tone: 'amber' },
      );
      readSoon();
    },
  });
  if (way === 'json')
    return (
      <PasteJson
        isOpen={isOpen}
        onClose={onClose}
        onAdded={onAdded}
        ways={<Ways way={way} onChange={setWay} />}
      />
    );
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={() => add.run()}
      title="Add a connection"
      description="Its server is asked for its tools at once; what it has now counts as approved by you."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="primary"
            type="submit"
            isBusy={add.isBusy}
            disabled={isRefused || !isComplete(way, draft)}
          >
            {add.isBusy ? 'Asking its server' : 'Add'}
          </Button>
        </>
      }
    >
      <div className="stack">
        <Ways way={way} onChange={setWay} />
        <Field label="Name" isRequired>
          <Input value={draft.title} onText={(title) => change({ title })} maxLength={255} autoFocus />
        </Field>
        {way === 'address' && <AddressFields draft={draft} change={change} />}
        {way === 'command' && !canStart && <NoPrograms title={draft.title} line={draft.line} />}
        {way === 'command' && <ProgramFields draft={draft} change={change} hint={PROGRAM_HINT} />}
        {way === 'openapi' && <OpenApiFields draft={draft} change={change} />}
        {add.error && (
          <div className="field-error" role="alert" ref={intoView}>
            {add.error.message}
          </div>
        )}
      </div>
    </Dialog>
  );
}

function Ways({ way, onChange }: { readonly way: Way; readonly onChange: (way: Way) => void }) {
  return <Tabs value={way} onChange={onChange} tabs={WAYS} label="How to add it" />;
}

function isComplete(way: Way, { title, url, line }: Draft): boolean {
  return title.trim() !== '' && (way === 'command' ? commandWords(line).length > 0 : url.trim() !== '');
}

interface FieldsProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

const TYPES = [
  { value: 'HTTP', label: 'Streamable HTTP', hint: 'Every server of today' },
  { value: 'SSE', label: 'HTTP with SSE', hint: 'The older one; its address often ends in /sse' },
] as const;

const ACCESS: readonly { readonly value: Access; readonly label: string; readonly hint: string }[] = [
  { value: 'none', label: 'None, or OAuth when it asks', hint: 'You can authorise it afterwards' },
  { value: 'token', label: 'One token for everybody', hint: 'Goes as Authorization: Bearer' },
  { value: 'personal', label: 'Everybody brings a token', hint: 'Goes with the calls of its owner alone' },
  { value: 'oauth', label: 'OAuth, everybody for themselves', hint: 'Nobody uses the token of another' },
  { value: 'oauth-shared', label: 'OAuth, one for all', hint: 'An owner or administrator authorises it' },
];

function AddressFields({ draft, change }: FieldsProps) {
  return (
    <>
      <AddressField draft={draft} change={change} isDocument={false} />
      <PrivateField draft={draft} change={change} />
      <Field label="Transport">
        <Select value={draft.type} onChange={(type) => change({ type })} options={TYPES} />
      </Field>
      <Field label="Credentials">
        <Select value={draft.access} onChange={(access) => change({ access })} options={ACCESS} />
      </Field>
      {draft.access === 'token' && <TokenField draft={draft} change={change} />}
      {draft.access === 'personal' && (
        <PersonalTokenFields
          token={{ header: draft.tokenHeader, template: draft.tokenTemplate }}
          onChange={({ header, template }) => change({ tokenHeader: header, tokenTemplate: template })}
        />
      )}
      <HeaderFields draft={draft} change={change} />
    </>
  );
}

function TokenField({ draft, change }: FieldsProps) {
  return (
    <Field label="Token" hint="Sealed when it is stored, and never shown again">
      <Input
        type="password"
        value={draft.token}
        onText={(token) => change({ token })}
        autoComplete="new-password"
      />
    </Field>
  );
}

/** Asked only where the address looks like one: the permission is for this address alone. */
function PrivateField({ draft, change }: FieldsProps) {
  const { isAdministrator } = useSession();
  if (!isPrivate(draft.url)) return null;
  if (!isAdministrator)
    return (
      <p className="connections-elsewhere small" role="note">
        This looks like an address inside your network. Only owners and administrators may let a connection
        reach one; ask one of them to add it.
      </p>
    );
  return (
    <Checkbox
      isChecked={draft.allowPrivate}
      onChange={(allowPrivate) => change({ allowPrivate })}
      hint="Needed for an address inside your network. This one connection may then reach this host and port, and nothing else there."
    >
      Let it reach this private address
    </Checkbox>
  );
}

function OpenApiFields({ draft, change }: FieldsProps) {
  return (
    <>
      <AddressField draft={draft} change={change} isDocument />
      <PrivateField draft={draft} change={change} />
      <ServiceField value={draft.openapiServer} onChange={(openapiServer) => change({ openapiServer })} />
      <TokenField draft={draft} change={change} />
      <HeaderFields draft={draft} change={change} />
    </>
  );
}

/** What is stored; fields that nobody filled in are not said. */
function dataOf(way: Way, draft: Draft): object {
  const { title, url, headers } = draft;
  if (way === 'command') {
    const [command, ...args] = commandWords(draft.line);
    const envVars = textsOf(draft.variables);
    const program = {
      command,
      args,
      ...(draft.cwd.trim() !== '' && { cwd: draft.cwd.trim() }),
      ...(Object.keys(envVars).length > 0 && { envVars }),
    };
    return { title, connection_type: 'STDIO', connection_headers: program };
  }
  const given = textsOf(headers);
  const isOpenApi = way === 'openapi';
  const hasToken = draft.token !== '' && (isOpenApi || draft.access === 'token');
  const gateway = {
    ...(draft.allowPrivate && isPrivate(url) && { allowPrivate: true }),
    ...(isOpenApi && draft.openapiServer.trim() !== '' && { openapiServer: draft.openapiServer.trim() }),
    ...(!isOpenApi && draft.access === 'oauth' && { oauth: 'personal' }),
    ...(!isOpenApi && draft.access === 'oauth-shared' && { oauth: 'shared' }),
    ...(!isOpenApi &&
      draft.access === 'personal' && {
        personalToken: { header: draft.tokenHeader.trim(), template: draft.tokenTemplate },
      }),
  };
  return {
    title,
    connection_type: isOpenApi ? 'OPENAPI' : draft.type,
    connection_url: url.trim(),
    ...(hasToken && { connection_token: draft.token }),
    ...(Object.keys(given).length > 0 && { connection_headers: { headers: given } }),
    ...(Object.keys(gateway).length > 0 && { metadata: { gateway } }),
  };
}
