/** What servers say without the secrets that they were asked with. Only texts are changed: what names something stays whole. */
import { valueDigest } from '../definitions/hash.ts';
import type { Discovery, Dropped, ServerSeen } from '../upstream.ts';
import type { TextSearch } from './found-texts.ts';
import { searchFor } from './known-secrets.ts';
import { MASK } from './masking.ts';

/** Fields of which another text would be another thing. */
const NAMES: ReadonlySet<string> = new Set([
  'name',
  'uri',
  'uriTemplate',
  'resourceUri',
  'ui/resourceUri',
  'openai/outputTemplate',
  'src',
  '$ref',
  '$id',
  'required',
]);
/** Fields below which each field has the name of an argument or of a schema. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);
/** Fields below which servers have whatever fields they like. */
const FREE: ReadonlySet<string> = new Set([
  '_meta',
  'execution',
  'capabilities',
  'default',
  'const',
  'enum',
  'examples',
]);
/** Words of the protocol and of schemas, which no server chooses. */
const WORDS: ReadonlySet<string> = new Set(['type', 'format', '$schema', 'mimeType', 'digest', 'era']);

const KEYS = {
  tools: 'name',
  resources: 'uri',
  templates: 'uriTemplate',
  prompts: 'name',
  skills: 'uri',
} as const;
/** The place of what a server says of itself. */
export const SERVER = 'server';
const MOST_DROPPED = 100;
const REASON = 'Its name, or an address or argument in it, holds a credential of the connection.';

type Kind = keyof typeof KEYS;

/** What is shown to everybody already: each definition of a server under its kind and name, and the server itself. */
export type Shown = ReadonlyMap<string, unknown>;

export function placeOf(kind: Kind, item: object): string {
  return `${kind} ${nameOf(kind, item)}`;
}

function nameOf(kind: Kind, item: object): string {
  return String(Reflect.get(item, KEYS[kind]));
}

/** The value with masks for secrets in each of its texts; field names and numbers stay as they are. */
export function withoutTexts<T>(value: T, secrets: readonly string[]): T {
  const search = searchFor(secrets);
  return mapped(value, (text) => search.without(text, MASK).text) as T; // the same shape, with other texts in it
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, mapped(inner, change)]));
}

/** The same for a definition: what names something stays as it is, and an entry that its server named so is left out. */
function cleanedWith<T>(search: TextSearch, value: T): T {
  return cleanedIn(search, value, { field: '', isFree: false }) as T; // the same shape too
}

/** Under which field something stands, and whether its server chooses the names of the fields there. */
interface Place {
  readonly field: string;
  readonly isFree: boolean;
}

function within({ isFree }: Place, key: string): Place {
  return { field: key, isFree: isFree || FREE.has(key) };
}

function cleanedIn(search: TextSearch, value: unknown, place: Place): unknown {
  const { field, isFree } = place;
  if (typeof value === 'string')
    return NAMES.has(field) || WORDS.has(field) ? value : search.without(value, MASK).text;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => cleanedIn(search, item, place));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !(isFree && search.isIn(key)))
      .map(([key, inner]) => [key, cleanedIn(search, inner, within(place, key))]),
  );
}

type Role = 'text' | 'name' | 'entry';

/** Whether a secret stands in what a server chose of a value, or in that which has this role. */
function isWithin(search: TextSearch, value: unknown, role?: Role): boolean {
  const isFound = (text: string, has: Role) => (role === undefined || role === has) && search.isIn(text);
  const isIn = (inner: unknown, place: Place): boolean => {
    const { field, isFree } = place;
    if (typeof inner === 'string')
      return !WORDS.has(field) && isFound(inner, NAMES.has(field) ? 'name' : 'text');
    if (typeof inner !== 'object' || inner === null) return false;
    if (Array.isArray(inner)) return inner.some((item) => isIn(item, place));
    return Object.entries(inner).some(
      ([key, more]) =>
        (isFree && isFound(key, 'entry')) ||
        (NAMED.has(field) && isFound(key, 'name')) ||
        isIn(more, within(place, key)),
    );
  };
  return isIn(value, { field: '', isFree: false });
}

/**
 * All that a server has, as it may be kept for everybody. What is shown already stays as it is: no secret that somebody
 * chooses takes it away from others. Of the rest, what has a secret in its name is left out.
 */
export async function withoutSecrets(
  found: Discovery,
  secrets: readonly string[],
  shownNow: () => Promise<Shown>,
): Promise<Discovery> {
  const search = searchFor(secrets);
  if (!found.ok) return { ...found, message: search.without(found.message, MASK).text };
  if (!isWithin(search, found)) return found;
  const shown = await shownNow();
  const leftOut: Dropped[] = [];
  const isShown = (place: string, value: unknown) =>
    shown.has(place) && valueDigest(shown.get(place)) === valueDigest(value);
  const list = <T extends object>(kind: Kind, items: readonly T[]): T[] =>
    items.flatMap((item) => {
      if (!isWithin(search, item) || isShown(placeOf(kind, item), item)) return [item];
      if (!isWithin(search, item, 'name')) return [cleanedWith(search, item)];
      leftOut.push({ kind, name: search.without(nameOf(kind, item), MASK).text, reason: REASON });
      return [];
    });
  const { resources, templates, prompts, skills, server, dropped } = found;
  const lists = {
    tools: list('tools', found.tools),
    ...(resources && { resources: list('resources', resources) }),
    ...(templates && { templates: list('templates', templates) }),
    ...(prompts && { prompts: list('prompts', prompts) }),
    ...(skills && { skills: list('skills', skills) }),
  };
  const told = server && (isShown(SERVER, server) ? server : serverWithout(search, server, leftOut));
  return {
    ...found,
    ...lists,
    ...(told && { server: told }),
    ...((dropped || leftOut.length > 0) && {
      dropped: [...leftOut, ...droppedWithout(search, dropped ?? [])].slice(0, MOST_DROPPED),
    }),
  };
}

function serverWithout(search: TextSearch, server: ServerSeen, leftOut: Dropped[]): ServerSeen {
  const { info, instructions, capabilities } = server;
  const isNamed = isWithin(search, info, 'name');
  if (isNamed) leftOut.push({ kind: 'server', name: 'info', reason: REASON });
  return {
    ...server,
    ...cleanedWith(search, { instructions, capabilities }),
    info: isNamed ? null : cleanedWith(search, info),
  };
}

function droppedWithout(search: TextSearch, dropped: readonly Dropped[]): Dropped[] {
  const clean = (text: string) => search.without(text, MASK).text;
  return dropped.map(({ kind, name, reason }) => ({
    kind,
    name: name && clean(name),
    reason: clean(reason),
  }));
}
