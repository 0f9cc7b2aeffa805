/** The servers that a client's file names, whatever shape it has them in. */
import { readFile, stat } from 'node:fs/promises';
import { UsageError } from '../../config.ts';
import { printable } from '../../printable.ts';
import { parseJsonWithComments } from '../doctor/json-with-comments.ts';
import type { ClientKind, Place } from './import-places.ts';
import { textFromStdin } from './stdin.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A server as it stands in a file. */
export interface Entry {
  readonly name: string;
  readonly client: ClientKind;
  /** The file, and the project within it. */
  readonly from: string;
  /** The folder that its relative paths mean. */
  readonly folder: string | undefined;
  readonly fields: Fields;
  /** What its file says about values that are to be asked for, by id. */
  readonly inputs: ReadonlyMap<string, Input>;
}

/** A value that VS Code asks a person for. */
export interface Input {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
}

const MAX_ENTRIES = 200;

/** All servers of some files; a file that is not there has none, unless somebody named it. */
export async function readEntries(
  places: readonly Place[],
  { isNamed = false }: { readonly isNamed?: boolean } = {},
): Promise<Entry[]> {
  const found: Entry[] = [];
  for (const place of places) {
    const text = await textOf(place);
    if (text === undefined && isNamed)
      throw new UsageError(`There is no file ${printable(place.path)}. Check its path.`);
    if (text !== undefined) found.push(...entriesIn(text, place));
    if (found.length > MAX_ENTRIES)
      throw new UsageError(
        `There are more than ${MAX_ENTRIES} servers. Import them in parts, from smaller files.`,
      );
  }
  return found;
}

async function textOf({ path, maxBytes }: Place): Promise<string | undefined> {
  if (path === '-') return textFromStdin(maxBytes);
  // What cannot be looked at counts as not there.
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return undefined;
  if (!info.isFile()) throw new UsageError(`${printable(path)} is not a file.`);
  if (info.size > maxBytes) throw new UsageError(`${printable(path)} has more than ${maxBytes} bytes.`);
  try {
    return await readFile(path, 'utf8');
  } catch {
    throw new UsageError(`${printable(path)} cannot be read. Check who may read it.`);
  }
}

/** The servers in one text. */
export function entriesIn(
  text: string,
  { client, path, folder }: Pick<Place, 'client' | 'path' | 'folder'>,
): Entry[] {
  const from = path === '-' ? 'standard input' : path;
  const root = objectOf(parsed(text, from));
  if (root === undefined) throw new UsageError(`${printable(from)} holds no JSON object.`);
  const settings = objectOf(root['mcp']);
  const inputs = inputsOf(root['inputs'] ?? settings?.['inputs']);
  const entries = (servers: unknown, place: { from: string; folder: string | undefined }): Entry[] =>
    Object.entries(objectOf(servers) ?? {}).map(([name, fields]) => {
      return { name, client, ...place, inputs, fields: objectOf(fields) ?? {} };
    });
  const known = [root['mcpServers'], root['servers'], settings?.['servers']].flatMap((servers) =>
    entries(servers, { from, folder }),
  );
  const ofProjects = Object.entries(objectOf(root['projects']) ?? {}).flatMap(([project, own]) =>
    entries(objectOf(own)?.['mcpServers'], { from: `${from} (${project})`, folder: project }),
  );
  const isBare = ['mcpServers', 'servers', 'projects', 'mcp'].every((field) => root[field] === undefined);
  if (!isBare) return [...known, ...ofProjects];
  const bare = entries(root, { from, folder }).filter(({ fields }) => isServer(fields));
  if (bare.length > 0) return bare;
  if (isServer(root))
    throw new UsageError(`${printable(from)} has a server without a name. Write it as {"NAME": {...}}.`);
  throw new UsageError(
    `${printable(from)} names no servers: there is neither "mcpServers" nor "servers", nor a map of them.`,
  );
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parseJsonWithComments(text);
    } catch {
      // Without its words: a file of this kind holds secrets.
      throw new UsageError(`${printable(from)} is not valid JSON.`);
    }
  }
}

function isServer(fields: Fields): boolean {
  return ['command', 'url', 'httpUrl', 'serverUrl'].some((field) => typeof fields[field] === 'string');
}

function inputsOf(given: unknown): Map<string, Input> {
  const all = (Array.isArray(given) ? given : []).slice(0, MAX_ENTRIES).flatMap((input) => {
    const { id, description, password } = objectOf(input) ?? {};
    if (typeof id !== 'string') return [];
    const text = typeof description === 'string' ? description : id;
    return [{ id, description: text, isSecret: password === true }];
  });
  return new Map(all.map((input) => [input.id, input]));
}

/** The value when it is an object. */
export function objectOf(value: unknown): Fields | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value));
}
