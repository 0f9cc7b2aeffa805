/** From an entry of a client's file to the connection that is wanted, or to the reason why there is none. */
import { resolve, sep } from 'node:path';
import { ToolError } from '@parley/kit';
import type { ClientEntry } from './entries.ts';
import { objectOf } from './entries.ts';
import type { ClientValues } from './variables.ts';
import { filled, ownVariable } from './variables.ts';
import type { Wanted } from './wanted.ts';

const TYPES: Readonly<Record<string, string>> = {
  http: 'HTTP',
  'streamable-http': 'HTTP',
  streamablehttp: 'HTTP',
  sse: 'SSE',
  stdio: 'STDIO',
};

/** What an entry asks for; throws a sentence on what cannot be taken over. */
export function wantedOf(entry: ClientEntry, given: ClientValues): Wanted {
  const { name, fields } = entry;
  // A program finds the variables of its own entry, before others of the same name.
  const variable = (wanted: string) => ownVariable(fields, wanted) ?? given.variable(wanted);
  const values = { ...given, variable };
  const fill = (text: string) => filled(text, entry, values);
  const type = typeOf(fields['type']);
  for (const [field, why] of Object.entries(NOT_TAKEN)) if (fields[field] !== undefined) throw unfit(why);
  const url = ['url', 'httpUrl', 'serverUrl'].map((field) => fields[field]).find(isText);
  const { command } = fields;
  if (isText(command) && (type === 'STDIO' || type === undefined))
    return { title: name, to: { type: 'STDIO', program: programOf(entry, command, fill, values) } };
  if (url === undefined || type === 'STDIO') throw unfit('it has neither a command nor an address');
  const address = fill(url);
  const headers = textsOf(fields['headers'], 'headers', fill);
  return { title: name, to: { type: type ?? typeByAddress(address), url: address, headers } };
}

const NOT_TAKEN = {
  envFile: 'it takes variables from a file (envFile): add it with "parley connect add" and --env',
  headersHelper:
    'its headers come from a program (headersHelper): add it with "parley connect add" and --header',
};

function typeOf(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const type = isText(given) ? TYPES[given.toLowerCase()] : undefined;
  if (type !== undefined) return type;
  const shown = isText(given) ? ` "${given.slice(0, 40)}"` : '';
  throw unfit(`its type${shown} is none that Parley connects to: http, sse or stdio`);
}

/** Clients that say no type try both; by custom the older kind ends so. */
function typeByAddress(address: string): string {
  return URL.parse(address)?.pathname.endsWith('/sse') === true ? 'SSE' : 'HTTP';
}

function programOf(
  entry: ClientEntry,
  command: string,
  fill: (text: string) => string,
  { home }: ClientValues,
) {
  const { fields, folder } = entry;
  const given = fields['args'] ?? [];
  if (!Array.isArray(given)) throw unfit('args: must be a list of texts');
  const args = given.map((arg: unknown) => fill(plainText(arg, 'args')));
  const { cwd } = fields;
  const own = isText(cwd) ? absolute(folder ?? home, fill(cwd)) : projectFolder(folder, home);
  const env = textsOf(fields['env'], 'env', fill);
  return { command: fill(command), args, env, ...(own !== undefined && { cwd: own }) };
}

function absolute(base: string | undefined, folder: string): string {
  return base === undefined ? folder : resolve(base, folder);
}

/** A client starts the programs of a project in its folder; Parley does so where programs may have one. */
function projectFolder(folder: string | undefined, home: string | undefined): string | undefined {
  return home !== undefined && folder?.startsWith(`${home}${sep}`) === true ? folder : undefined;
}

function textsOf(given: unknown, field: string, fill: (text: string) => string): Record<string, string> {
  if (given === undefined || given === null) return {};
  const texts = objectOf(given);
  if (texts === undefined) throw unfit(`${field}: must be a map of texts`);
  // A client that gives null for a variable leaves it out.
  const pairs = Object.entries(texts).filter(([, value]) => value !== null);
  return Object.fromEntries(pairs.map(([name, value]) => [name, fill(plainText(value, field))]));
}

function plainText(value: unknown, field: string): string {
  if (isText(value)) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw unfit(`${field}: must hold texts only`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function unfit(message: string): ToolError {
  return new ToolError('invalid', message);
}
