/** Owns the settings of a connection: where it leads, what it carries, and how the gateway treats it. */
import { useState } from 'react';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { Checkbox, Switch } from '../../ui/checkbox.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { commandLine, commandWords } from './command-words.ts';
import {
  AddressField,
  HeaderFields,
  PersonalTokenFields,
  ProgramFields,
  ServiceField,
  USUAL_TOKEN,
} from './fields.tsx';
import { pairsOf, textsOf } from './pairs.tsx';
import type { Pair } from './pairs.tsx';
import { readAgain, updateConnection, useConnection } from './queries.ts';
import type { Connection, GatewaySettings, Pinning } from './types.ts';

export function SettingsTab({
  id,
  isAdministrator,
}: {
  readonly id: string;
  readonly isAdministrator: boolean;
}) {
  const query = useConnection(id);
  if (query.isPending) return <Skeleton rows={10} />;
  if (!query.data) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  const { item } = query.data;
  if (item === null)
    return <EmptyState title="There is no such connection">It was deleted meanwhile.</EmptyState>;
  // What somebody else changes meanwhile begins the form anew only when it is saved.
  return <SettingsForm key={item.id} item={item} isAdministrator={isAdministrator} />;
}

interface Draft {
  readonly title: string;
  readonly description: string;
  readonly url: string;
  readonly token: string;
  readonly isTokenRemoved: boolean;
  readonly headers: readonly Pair[];
  readonly line: string;
  readonly cwd: string;
  readonly variables: readonly Pair[];
  readonly gateway: GatewaySettings;
}

function draftOf(item: Connection): Draft {
  const upstream = item.connection_headers;
  return {
    title: item.title,
    description: item.description ?? '',
    url: item.connection_url ?? '',
    token: '',
    isTokenRemoved: false,
    headers: pairsOf(upstream?.headers),
    line: upstream?.command === undefined ? '' : commandLine(upstream.command, upstream.args ?? []),
    cwd: upstream?.cwd ?? '',
    variables: pairsOf(upstream?.envVars),
    gateway: item.metadata?.gateway ?? {},
  };
}

function SettingsForm({
  item,
  isAdministrator,
}: {
  readonly item: Connection;
  readonly isAdministrator: boolean;
}) {
  const [before, setBefore] = useState(() => draftOf(item));
  const [draft, setDraft] = useState(before);
  const change = (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part }));
  const isProgram = item.connection_type === 'STDIO';
  const isChanged = JSON.stringify(before) !== JSON.stringify(draft);
  const keep = useAct(() => updateConnection(item.id, changesOf(item, before, draft)).then(readAgain), {
    isQuiet: true,
    onDone: () => {
      const kept = { ...draft, token: '', isTokenRemoved: false };
      setBefore(kept);
      setDraft(kept);
      toast({ text: `“${draft.title}” is changed.`, tone: 'green' });
    },
  });
  return (
    <form
      className="stack-l"
      onSubmit={(event) => {
        event.preventDefault();
        keep.run();
      }}
    >
      <Card title="What it is">
        <div className="stack">
          <Field label="Name" isRequired>
            <Input value={draft.title} onText={(title) => change({ title })} maxLength={255} />
          </Field>
          <Field label="About">
            <TextArea
              value={draft.description}
              onText={(description) => change({ description })}
              maxLength={2000}
              rows={2}
            />
          </Field>
          {isProgram ? (
            <ProgramFields draft={draft} change={change} hint={PROGRAM_HINT} />
          ) : (
            <Address
              draft={draft}
              change={change}
              hasToken={item.has_connection_token}
              type={item.connection_type}
            />
          )}
        </div>
      </Card>
      <Gateway
        gateway={draft.gateway}
        onChange={(part) => change({ gateway: cleaned({ ...draft.gateway, ...part }) })}
        type={item.connection_type}
        isAdministrator={isAdministrator}
      />
      {keep.error && (
        <div className="field-error" role="alert">
          {keep.error.message}
        </div>
      )}
      <div className="row settings-foot">
        <Button
          kind="primary"
          type="submit"
          isBusy={keep.isBusy}
          disabled={!isChanged || draft.title.trim() === ''}
        >
          Save
        </Button>
        <Button disabled={!isChanged || keep.isBusy} onClick={() => setDraft(before)}>
          Discard
        </Button>
        {isChanged && (
          <span className="small muted">
            Not saved yet. Its server is asked again when it leads elsewhere.
          </span>
        )}
      </div>
    </form>
  );
}

const PROGRAM_HINT = 'Changing it needs a server that was started with --allow-stdio';

interface PartProps {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
}

function Address({
  draft,
  change,
  hasToken,
  type,
}: PartProps & { readonly hasToken: boolean; readonly type: Connection['connection_type'] }) {
  return (
    <>
      <AddressField draft={draft} change={change} isDocument={type === 'OPENAPI'} />
      <Field
        label="Token for everybody"
        hint={hasToken ? 'One is stored; leave this empty to keep it.' : 'None is stored.'}
      >
        <Input
          type="password"
          autoComplete="new-password"
          value={draft.token}
          onText={(token) => change({ token, isTokenRemoved: false })}
          disabled={draft.isTokenRemoved}
        />
      </Field>
      {hasToken && (
        <Checkbox
          isChecked={draft.isTokenRemoved}
          onChange={(isTokenRemoved) => change({ isTokenRemoved, token: '' })}
        >
          Forget the stored token
        </Checkbox>
      )}
      <HeaderFields draft={draft} change={change} />
    </>
  );
}

const PINNING: readonly { readonly value: Pinning; readonly label: string; readonly hint: string }[] = [
  { value: 'strict', label: 'Strict', hint: 'New and changed tools wait for approval' },
  { value: 'flag', label: 'Flag', hint: 'They are served, and marked' },
  { value: 'off', label: 'Off', hint: 'They are served' },
];

type Owner = 'unsaid' | 'personal' | 'shared' | 'token';

const OWNERS: readonly { readonly value: Owner; readonly label: string; readonly hint: string }[] = [
  { value: 'unsaid', label: 'What the connection has, or OAuth when it is asked for', hint: 'By default' },
  { value: 'token', label: 'A token of each person', hint: 'In a header of your choice' },
  { value: 'personal', label: 'OAuth, everybody for themselves', hint: 'Nobody uses the token of another' },
  { value: 'shared', label: 'OAuth, one for all', hint: 'An owner or administrator authorises it' },
];

interface GatewayProps {
  readonly gateway: GatewaySettings;
  readonly onChange: (part: {
    readonly [Key in keyof GatewaySettings]?: GatewaySettings[Key] | undefined;
  }) => void;
  readonly type: Connection['connection_type'];
  readonly isAdministrator: boolean;
}

function Gateway({ gateway, onChange, type, isAdministrator }: GatewayProps) {
  const owner: Owner = gateway.personalToken ? 'token' : (gateway.oauth ?? 'unsaid');
  const isRemote = type !== 'STDIO';
  return (
    <Card title="How it is treated">
      <div className="stack">
        <Field label="New and changed definitions">
          <Select
            value={gateway.pinning ?? 'strict'}
            onChange={(pinning) => onChange({ pinning })}
            options={PINNING}
          />
        </Field>
        {isRemote && (
          <Field label="Credentials of calls">
            <Select
              value={owner}
              options={OWNERS}
              onChange={(next) =>
                onChange({
                  oauth: next === 'personal' || next === 'shared' ? next : undefined,
                  personalToken: next === 'token' ? (gateway.personalToken ?? USUAL_TOKEN) : undefined,
                })
              }
            />
          </Field>
        )}
        {gateway.personalToken && (
          <PersonalTokenFields
            token={gateway.personalToken}
            onChange={(personalToken) => onChange({ personalToken })}
          />
        )}
        <div className="connections-two">
          <NumberField
            label="Longest call"
            unit="seconds; 300 by default"
            value={gateway.callTimeoutMs}
            scale={1000}
            onChange={(callTimeoutMs) => onChange({ callTimeoutMs })}
          />
          <NumberField
            label="Becomes a task after"
            unit="seconds; never by default"
            value={gateway.taskAfterMs}
            scale={1000}
            onChange={(taskAfterMs) => onChange({ taskAfterMs })}
          />
          <NumberField
            label="Text of a result"
            unit="characters; all by default, at least 1,000"
            value={gateway.resultBudget ?? undefined}
            scale={1}
            onChange={(resultBudget) => onChange({ resultBudget })}
          />
          <NumberField
            label="Largest result"
            unit="KiB; 10,240 by default"
            value={gateway.maxResultBytes}
            scale={1024}
            onChange={(maxResultBytes) => onChange({ maxResultBytes })}
          />
        </div>
        {type === 'OPENAPI' && (
          <ServiceField
            value={gateway.openapiServer ?? ''}
            onChange={(openapiServer) =>
              onChange({ openapiServer: openapiServer === '' ? undefined : openapiServer })
            }
          />
        )}
        {isRemote && (
          <>
            <Switch
              isChecked={gateway.allowPrivate === true}
              isDisabled={!isAdministrator}
              onChange={(isOn) => onChange({ allowPrivate: isOn || undefined })}
              hint="This host and port alone, for owners and administrators to say; it ends when the address changes."
            >
              May reach its private address
            </Switch>
            <Switch
              isChecked={gateway.allowPlain === true}
              onChange={(isOn) => onChange({ allowPlain: isOn || undefined })}
              hint="Whoever is on the way can read what is sent."
            >
              May use plain http to a public address
            </Switch>
            <Switch
              isChecked={gateway.callbackToken === true}
              onChange={(isOn) => onChange({ callbackToken: isOn || undefined })}
              hint="Sends x-parley-token, with which its server may call back for 5 minutes."
            >
              May call back
            </Switch>
            <Switch
              isChecked={gateway.mappedHeader !== undefined}
              onChange={(isOn) =>
                onChange({ mappedHeader: isOn ? { from: 'x-their-key', to: 'x-api-key' } : undefined })
              }
              hint="The value of one header of each call is passed on, and kept nowhere."
            >
              Pass a header of the client on
            </Switch>
            {gateway.mappedHeader && (
              <div className="connections-two">
                <Field label="Header of the client">
                  <Input
                    className="mono"
                    value={gateway.mappedHeader.from}
                    onText={(from) => onChange({ mappedHeader: { to: '', ...gateway.mappedHeader, from } })}
                  />
                </Field>
                <Field label="Sent to the server as">
                  <Input
                    className="mono"
                    value={gateway.mappedHeader.to}
                    onText={(to) => onChange({ mappedHeader: { from: '', ...gateway.mappedHeader, to } })}
                  />
                </Field>
              </div>
            )}
          </>
        )}
      </div>
    </Card>
  );
}

function NumberField({
  label,
  unit,
  value,
  scale,
  onChange,
}: {
  readonly label: string;
  readonly unit: string;
  readonly value: number | undefined;
  readonly scale: number;
  readonly onChange: (value: number | undefined) => void;
}) {
  return (
    <Field label={label} hint={unit}>
      <Input
        type="number"
        min={0}
        step="any"
        value={value === undefined ? '' : String(value / scale)}
        onText={(text) =>
          onChange(text === '' || Number.isNaN(Number(text)) ? undefined : Math.round(Number(text) * scale))
        }
      />
    </Field>
  );
}

/** Without what is not said, so that the defaults hold. */
function cleaned(settings: object): GatewaySettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

/** What is different; `metadata` is replaced as a whole, so that what else stands there is sent again. */
function changesOf(item: Connection, before: Draft, draft: Draft): object {
  const differs = (key: keyof Draft) => JSON.stringify(before[key]) !== JSON.stringify(draft[key]);
  const isProgram = item.connection_type === 'STDIO';
  const isUpstreamNew = isProgram
    ? differs('line') || differs('cwd') || differs('variables')
    : differs('headers');
  const [command, ...args] = commandWords(draft.line);
  const upstream = isProgram
    ? {
        command,
        args,
        ...(draft.cwd.trim() !== '' && { cwd: draft.cwd.trim() }),
        ...(draft.variables.length > 0 && { envVars: textsOf(draft.variables) }),
      }
    : draft.headers.length === 0
      ? null
      : { headers: textsOf(draft.headers) };
  return {
    ...(differs('title') && { title: draft.title }),
    ...(differs('description') && { description: draft.description === '' ? null : draft.description }),
    ...(differs('url') && { connection_url: draft.url.trim() }),
    ...(draft.token !== '' && { connection_token: draft.token }),
    ...(draft.isTokenRemoved && { connection_token: null }),
    ...(isUpstreamNew && { connection_headers: upstream }),
    ...(differs('gateway') && { metadata: { ...item.metadata, gateway: draft.gateway } }),
  };
}
