/** Owns taking over the servers that another client knows: its JSON is looked at first, then each is added. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { request } from '../../api/request.ts';
import type { BodyOf } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Checkbox } from '../../ui/checkbox.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input, TextArea } from '../../ui/field.tsx';
import { Progress } from '../../ui/progress.tsx';
import { Select } from '../../ui/select.tsx';
import { toast } from '../../ui/toast-store.ts';
import { readSoon } from './queries.ts';
import { isPrivate } from './is-private.ts';
import type { ImportLine } from './types.ts';

const CLIENTS = [
  { value: 'any', label: 'Any client' },
  { value: 'claude-desktop', label: 'Claude Desktop' },
  { value: 'claude-code', label: 'Claude Code' },
  { value: 'cursor', label: 'Cursor' },
  { value: 'vscode', label: 'VS Code' },
] as const;

type Client = (typeof CLIENTS)[number]['value'];

export interface PasteJsonProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onAdded: (id: string) => void;
  /** The ways to add a connection, of which this is one. */
  readonly ways: ReactNode;
}

const EXAMPLE = '{\n  "mcpServers": {\n    "docs": { "url": "https://example.com/mcp" }\n  }\n}';

export function PasteJson({ isOpen, onClose, onAdded, ways }: PasteJsonProps) {
  const [text, setText] = useState('');
  const [client, setClient] = useState<Client>('any');
  const { isAdministrator } = useSession();
  const [isReplacing, setReplacing] = useState(false);
  const [isPrivateAllowed, setPrivateAllowed] = useState(false);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [lines, setLines] = useState<readonly ImportLine[]>();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [progress, setProgress] = useState<number>();
  const ask = (more: Partial<BodyOf<'POST /api/connections/import'>>) =>
    request('POST /api/connections/import', {
      body: { text, client, replace: isReplacing, values: filled(values), ...more },
    });
  const look = useAct(() => ask({ dryRun: true }), {
    isQuiet: true,
    onDone: ({ servers }) => {
      setLines(servers);
      setPrivateAllowed(false);
      setChosen(new Set(servers.filter((line) => canAdd(line, false)).map(({ name }) => name)));
    },
  });
  const take = useAct(
    async () => {
      const names = [...chosen];
      const made: ImportLine[] = [];
      for (const [index, name] of names.entries()) {
        setProgress(index);
        const line = lines?.find((each) => each.name === name);
        const allowPrivate = isPrivateAllowed && line !== undefined && isInside(line);
        const { servers } = await ask({ only: [name], ...(allowPrivate && { allowPrivate }) });
        made.push(...servers);
        setLines((before) => before?.map((line) => servers.find((done) => done.name === line.name) ?? line));
      }
      return made;
    },
    {
      isQuiet: true,
      onDone: (made) => {
        setProgress(undefined);
        setChosen(new Set());
        readSoon();
        const added = made.filter(({ id }) => id !== null);
        toast({
          text: `${added.length} of ${made.length} ${made.length === 1 ? 'server is' : 'servers are'} added.`,
        });
        const isWhole = made.length > 0 && made.every(({ id, reason }) => id !== null && reason === null);
        const first = added[0]?.id;
        if (isWhole && first !== undefined && first !== null) {
          setText('');
          setLines(undefined);
          setValues({});
          onClose();
          if (added.length === 1) onAdded(first);
        }
      },
    },
  );
  const needs = uniqueNeeds(lines?.filter(({ name, id }) => chosen.has(name) && id === null) ?? []);
  const isOpenLeft = needs.some(({ name, fallback }) => fallback === null && (values[name] ?? '') === '');
  const inside = lines?.filter((line) => canAdd(line, true) && isInside(line)) ?? [];
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      onSubmit={() => (lines === undefined ? look.run() : take.run())}
      size="l"
      title="Add connections from a client"
      description="Paste the JSON in which Claude, Cursor, VS Code or another client keeps its servers."
      footer={
        <>
          <Button onClick={onClose}>
            {lines?.some(({ id }) => id !== null) === true ? 'Done' : 'Cancel'}
          </Button>
          {lines === undefined ? (
            <Button kind="primary" type="submit" isBusy={look.isBusy} disabled={text.trim() === ''}>
              Look at it
            </Button>
          ) : (
            <>
              <Button onClick={() => setLines(undefined)} disabled={take.isBusy}>
                Back
              </Button>
              <Button
                kind="primary"
                type="submit"
                isBusy={take.isBusy}
                disabled={chosen.size === 0 || isOpenLeft}
              >
                Add {chosen.size}
              </Button>
            </>
          )}
        </>
      }
    >
      <div className="stack">
        {ways}
        {lines === undefined ? (
          <>
            <Field
              label="JSON"
              isRequired
              error={look.error?.message}
              hint="Comments are fine. Secrets in it are sealed when they are stored."
            >
              <TextArea
                value={text}
                onText={setText}
                isCode
                rows={12}
                placeholder={EXAMPLE}
                spellCheck={false}
                autoFocus
              />
            </Field>
            <Field label="From" hint="Clients write variables in different ways">
              <Select value={client} onChange={setClient} options={CLIENTS} />
            </Field>
            <Checkbox
              isChecked={isReplacing}
              onChange={setReplacing}
              hint="Their ids, and the grants on them, stay."
            >
              Change connections of the same name
            </Checkbox>
          </>
        ) : (
          <>
            {progress !== undefined && take.isBusy && (
              <Progress done={progress} total={chosen.size} label="Servers added" />
            )}
            <Lines
              lines={lines}
              chosen={chosen}
              onChange={setChosen}
              isBusy={take.isBusy}
              isPrivateAllowed={isPrivateAllowed}
            />
            {inside.length > 0 &&
              (isAdministrator ? (
                <Checkbox
                  isChecked={isPrivateAllowed}
                  isDisabled={take.isBusy}
                  onChange={(isAllowed) => {
                    setPrivateAllowed(isAllowed);
                    const names = inside.map(({ name }) => name);
                    setChosen((before) => {
                      const others = [...before].filter((name) => !names.includes(name));
                      return new Set(isAllowed ? [...others, ...names] : others);
                    });
                  }}
                  hint="Needed for an address inside your network. Each of these connections may then reach its own host and port, and nothing else there."
                >
                  Let them reach their private addresses
                </Checkbox>
              ) : (
                <p className="connections-elsewhere small" role="note">
                  Only owners and administrators may let a connection reach an address inside your network;
                  ask one of them to add it.
                </p>
              ))}
            {needs.map((need) => (
              <Field
                key={need.name}
                label={need.description}
                isRequired={need.fallback === null}
                hint={need.fallback === null ? undefined : `Without one: ${need.fallback}`}
              >
                <Input
                  type={need.isSecret ? 'password' : 'text'}
                  autoComplete="new-password"
                  value={values[need.name] ?? ''}
                  onText={(value) => setValues({ ...values, [need.name]: value })}
                />
              </Field>
            ))}
            {take.error && (
              <div className="field-error" role="alert">
                {take.error.message}
              </div>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function filled(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}

function canAdd(line: ImportLine, isPrivateAllowed: boolean): boolean {
  const { outcome } = line;
  if (isInside(line) && !isPrivateAllowed) return false;
  return outcome === 'would_add' || outcome === 'would_replace' || outcome === 'needs_values';
}

/** Whether it leads to an address that looks private; a program leads to none. */
function isInside({ type, place }: ImportLine): boolean {
  return type !== 'STDIO' && place !== null && isPrivate(place);
}

function uniqueNeeds(lines: readonly ImportLine[]): ImportLine['needs'] {
  return [...new Map(lines.flatMap(({ needs }) => needs).map((need) => [need.name, need])).values()];
}

const OUTCOMES: Readonly<Record<ImportLine['outcome'], { readonly word: string; readonly tone: Tone }>> = {
  added: { word: 'added', tone: 'green' },
  replaced: { word: 'changed', tone: 'green' },
  would_add: { word: 'will be added', tone: 'blue' },
  would_replace: { word: 'will be changed', tone: 'blue' },
  needs_values: { word: 'needs values', tone: 'amber' },
  skipped: { word: 'skipped', tone: 'neutral' },
  failed: { word: 'failed', tone: 'red' },
};

/** It leads inside the network, and nobody has allowed that. */
const HELD = { word: 'private address', tone: 'amber' } as const;

function Lines({
  lines,
  chosen,
  onChange,
  isBusy,
  isPrivateAllowed,
}: {
  readonly lines: readonly ImportLine[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
  readonly isBusy: boolean;
  readonly isPrivateAllowed: boolean;
}) {
  return (
    <ul className="import-lines" aria-label="Servers in the text">
      {lines.map((line) => {
        const isHeld = canAdd(line, true) && !canAdd(line, isPrivateAllowed);
        const { word, tone } = isHeld ? HELD : OUTCOMES[line.outcome];
        const isOpen = canAdd(line, isPrivateAllowed);
        return (
          <li key={line.name} className="import-line">
            <Checkbox
              label={`Add ${line.name}`}
              isChecked={chosen.has(line.name)}
              isDisabled={!isOpen || isBusy}
              onChange={(isChecked) => {
                const next = new Set(chosen);
                if (isChecked) next.add(line.name);
                else next.delete(line.name);
                onChange(next);
              }}
            />
            <div className="grow">
              <div className="strong truncate connections-isolated">{line.name}</div>
              <div className="small muted import-reason">
                {line.reason ?? [line.type, line.place].filter(Boolean).join(' ')}
                {line.tools !== null && ` ${line.tools} tools.`}
              </div>
            </div>
            <Badge tone={line.id !== null && line.reason !== null ? 'amber' : tone}>
              {line.id !== null && line.reason !== null ? 'added, not read' : word}
            </Badge>
          </li>
        );
      })}
    </ul>
  );
}
