/** The servers that a client's file names, whatever shape it has them in. */
import { ToolError, unkeepableIn } from '@parley/kit';
import { parseJsonWithComments } from './json-with-comments.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A client whose file is read in its own way; `any` for text that nobody said the origin of. */
export type ClientKind = 'claude-desktop' | 'claude-code' | 'cursor' | 'vscode' | 'any';

export const CLIENT_KINDS = [
  'claude-desktop',
  'claude-code',
  'cursor',
  'vscode',
] as const satisfies readonly ClientKind[];

/** A server as it stands in a file. */
export interface ClientEntry {
  readonly name: string;
  readonly client: ClientKind;
  /** The file, and the project within it. */
  readonly from: string;
  /** The folder that its relative paths mean. */
  readonly folder: string | undefined;
  readonly fields: Fields;
  /** What its file says about values that are to be asked for, by id. */
  readonly inputs: ReadonlyMap<string, ClientInput>;
}

/** A value that VS Code asks a person for. */
export interface ClientInput {
  readonly id: string;
  readonly description: string;
  readonly isSecret: boolean;
}

/** Where a text comes from. */
export interface ClientText {
  readonly client: ClientKind;
  /** As it is called in sentences to people. */
  readonly from: string;
  /** The project whose file it is. */
  readonly folder?: string | undefined;
}

/** So many servers are taken at once. */
export const MOST_ENTRIES = 200;

/** The servers in one text; throws a sentence on a text that has none, without saying it back: it holds secrets. */
export function entriesIn(text: string, { client, from, folder }: ClientText): ClientEntry[] {
  const root = objectOf(parsed(text, from));
  if (root === undefined) throw unread(`${from} holds no JSON object.`);
  const settings = objectOf(root['mcp']);
  const inputs = inputsOf(root['inputs'] ?? settings?.['inputs']);
  const entries = (servers: unknown, place: { from: string; folder: string | undefined }): ClientEntry[] => {
    const fault = unkeepableIn(servers) ?? unkeepableIn(place.folder);
    if (fault !== undefined) throw unread(`${from} has what cannot be kept: ${fault.slice(0, 300)}.`);
    return Object.entries(objectOf(servers) ?? {}).map(([name, fields]) => {
      return { name, client, ...place, inputs, fields: objectOf(fields) ?? {} };
    });
  };
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
  if (isServer(root)) throw unread(`${from} has a server without a name. Write it as {"NAME": {...}}.`);
  throw unread(`${from} names no servers: there is neither "mcpServers" nor "servers", nor a map of them.`);
}

function unread(message: string): ToolError {
  return new ToolError('invalid', message);
}

function parsed(text: string, from: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return parseJsonWithComments(text);
    } catch {
      // Without its words: a file of this kind holds secrets.
      throw unread(`${from} is not valid JSON.`);
    }
  }
}

function isServer(fields: Fields): boolean {
  return ['command', 'url', 'httpUrl', 'serverUrl'].some((field) => typeof fields[field] === 'string');
}

function inputsOf(given: unknown): Map<string, ClientInput> {
  const all = (Array.isArray(given) ? given : []).slice(0, MOST_ENTRIES).flatMap((input) => {
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
