/** The places in a client's file where the client puts a value of its own: variables, inputs, folders. */
import { basename, sep } from 'node:path';
import { ToolError } from '@parley/kit';
import type { ClientEntry, ClientKind } from './entries.ts';
import { objectOf } from './entries.ts';

/** What stands behind the names in a file. */
export interface ClientValues {
  variable(name: string): string | undefined;
  /** What a person answered, by the id of the input. */
  readonly answers: ReadonlyMap<string, string>;
  /** The home folder that programs are started from; undefined: it is none of the reader's business. */
  readonly home: string | undefined;
}

/** A value that a file leaves open. */
export interface NeededValue {
  /** As values are given by: the name of a variable, `input:<id>`, `userHome`, `workspaceFolder`. */
  readonly name: string;
  readonly description: string;
  readonly isSecret: boolean;
  /** What holds where nothing is given. */
  readonly fallback: string | null;
}

const PLACE = /\$\{([^{}$]{1,300})\}/g;
const NAME = /^([A-Za-z_]\w{0,127})(?::-(.*))?$/s;
const INPUT = /\$\{input:([^{}$]{1,100})\}/g;

// What one client fills in, another one sends as it stands.
const HAS_PLAIN: ReadonlySet<ClientKind> = new Set<ClientKind>(['claude-code', 'any']);
const HAS_EDITOR: ReadonlySet<ClientKind> = new Set<ClientKind>(['cursor', 'vscode', 'any']);
const HAS_INPUTS: ReadonlySet<ClientKind> = new Set<ClientKind>(['vscode', 'any']);

/** The text as the client would use it; throws a sentence on what is not there. */
export function filled(
  text: string,
  entry: Pick<ClientEntry, 'client' | 'folder' | 'inputs'>,
  values: ClientValues,
): string {
  return text.replace(PLACE, (whole, inner: string) => valueOf(inner, entry, values) ?? whole);
}

/** The ids of the inputs that an entry needs. */
export function inputsIn({ client, fields }: Pick<ClientEntry, 'client' | 'fields'>): string[] {
  if (!HAS_INPUTS.has(client)) return [];
  return [...new Set([...JSON.stringify(fields).matchAll(INPUT)].map(([, id = '']) => id))];
}

/** All that an entry leaves open, for whoever has no variables of their own to fill in. */
export function neededBy({ client, fields, inputs }: ClientEntry): NeededValue[] {
  const needed = new Map<string, NeededValue>();
  const need = (name: string, more: Partial<NeededValue> = {}) => {
    if (ownVariable(fields, name) === undefined && !needed.has(name))
      needed.set(name, { name, description: name, isSecret: true, fallback: null, ...more });
  };
  for (const [, inner = ''] of JSON.stringify(fields).matchAll(PLACE)) {
    if (HAS_EDITOR.has(client) && inner.startsWith('env:')) need(inner.slice(4));
    else if (HAS_EDITOR.has(client) && FOLDERS.has(inner)) need(folderOf(inner), { isSecret: false });
    else if (HAS_EDITOR.has(client) && OF_ITSELF.has(inner)) continue;
    else if (HAS_INPUTS.has(client) && inner.startsWith('input:')) {
      const { description = inner.slice(6), isSecret = true } = inputs.get(inner.slice(6)) ?? {};
      need(inner, { description, isSecret });
    } else {
      const [, name, fallback = null] = (HAS_PLAIN.has(client) && NAME.exec(inner)) || [];
      if (name !== undefined) need(name, { fallback });
    }
  }
  return [...needed.values()];
}

/** What an entry says itself of a variable; a value with a place in it comes from outside, and may name itself. */
export function ownVariable({ env }: ClientEntry['fields'], name: string): string | undefined {
  const own = objectOf(env) ?? {};
  const value = Object.hasOwn(own, name) ? own[name] : undefined;
  return typeof value === 'string' && !value.includes('${') ? value : undefined;
}

const FOLDERS: ReadonlySet<string> = new Set(['userHome', 'workspaceFolder', 'workspaceFolderBasename']);
const OF_ITSELF: ReadonlySet<string> = new Set(['pathSeparator', '/']);
const folderOf = (inner: string) => (inner === 'userHome' ? inner : 'workspaceFolder');

function valueOf(
  inner: string,
  { client, folder, inputs }: Pick<ClientEntry, 'client' | 'folder' | 'inputs'>,
  { variable, answers, home }: ClientValues,
): string | undefined {
  if (HAS_EDITOR.has(client)) {
    if (inner.startsWith('env:')) return variable(inner.slice(4)) ?? unset(inner.slice(4));
    if (inner === 'userHome') return home ?? unset('userHome');
    if (inner === 'pathSeparator' || inner === '/') return sep;
    if (inner === 'workspaceFolder') return folder ?? noFolder();
    if (inner === 'workspaceFolderBasename') return basename(folder ?? noFolder());
  }
  if (HAS_INPUTS.has(client) && inner.startsWith('input:')) {
    const id = inner.slice(6);
    return answers.get(id) ?? unanswered(inputs.get(id)?.description ?? id);
  }
  const [, name, fallback] = (HAS_PLAIN.has(client) && NAME.exec(inner)) || [];
  return name === undefined ? undefined : (variable(name) ?? fallback ?? unset(name));
}

function unset(name: string): never {
  throw new ToolError('invalid', `it needs the variable ${name.slice(0, 128)}, which is not set here`);
}

function unanswered(description: string): never {
  throw new ToolError(
    'invalid',
    `it asks for "${description.slice(0, 200)}": run the command in a terminal, which asks too, or write the value into the file`,
  );
}

function noFolder(): never {
  throw new ToolError('invalid', 'it names the workspace folder, and its file belongs to none');
}
