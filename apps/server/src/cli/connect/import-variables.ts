/** The places in a client's file where the client puts a value of its own: variables, inputs, folders. */
import { homedir } from 'node:os';
import { basename, sep } from 'node:path';
import { UsageError } from '../../config.ts';
import type { Entry } from './import-entries.ts';
import type { ClientKind } from './import-places.ts';

/** What stands behind the names in a file. */
export interface Values {
  variable(name: string): string | undefined;
  /** What a person answered, by the id of the input. */
  readonly answers: ReadonlyMap<string, string>;
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
  entry: Pick<Entry, 'client' | 'folder' | 'inputs'>,
  values: Values,
): string {
  return text.replace(PLACE, (whole, inner: string) => valueOf(inner, entry, values) ?? whole);
}

/** The ids of the inputs that an entry needs. */
export function inputsIn({ client, fields }: Pick<Entry, 'client' | 'fields'>): string[] {
  if (!HAS_INPUTS.has(client)) return [];
  return [...new Set([...JSON.stringify(fields).matchAll(INPUT)].map(([, id = '']) => id))];
}

function valueOf(
  inner: string,
  { client, folder, inputs }: Pick<Entry, 'client' | 'folder' | 'inputs'>,
  { variable, answers }: Values,
): string | undefined {
  if (HAS_EDITOR.has(client)) {
    if (inner.startsWith('env:')) return variable(inner.slice(4)) ?? unset(inner.slice(4));
    if (inner === 'userHome') return homedir();
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
  throw new UsageError(`it needs the variable ${name.slice(0, 128)}, which is not set here`);
}

function unanswered(description: string): never {
  throw new UsageError(
    `it asks for "${description.slice(0, 200)}": run the command in a terminal, which asks too, or write the value into the file`,
  );
}

function noFolder(): never {
  throw new UsageError('it names the workspace folder, and its file belongs to none');
}
