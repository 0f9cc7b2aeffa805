/** What people call things on another server: an id is taken as it is, a slug or name is looked up in its lists. */
import { ToolError } from '@parley/kit';
import { badIdMessage, ID_KINDS, splitId } from '../ids.ts';
import { listOf, nameKey } from '../services/nouns/name-key.ts';
import { fieldOf } from './faults.ts';
import { isOfKind, remoteId } from './ids.ts';

/** What has a name besides its id. */
type Noun = 'board' | 'status' | 'tag' | 'roadmap' | 'member';

const LISTS = {
  board: 'boards',
  status: 'statuses',
  tag: 'tags',
  roadmap: 'roadmaps',
  member: 'members',
} as const;

/** Reads the lists of the server; each at most once in a call. */
export type Lists = Readonly<Record<(typeof LISTS)[Noun], () => Promise<object[]>>>;

/** Turns names into ids. */
export interface Names {
  /** The id that is meant; undefined and null stay what they are. */
  idOf<T extends string | null | undefined>(noun: Noun, text: T): Promise<T | string>;
  idsOf(noun: Noun, texts: readonly string[] | undefined): Promise<string[] | undefined>;
  /** The slug of a status that a search is narrowed to. */
  slugOf(status: string | undefined): Promise<string | undefined>;
  /** An error when no status has that slug: an empty answer would be believed. */
  requireSlug(slug: string): Promise<void>;
}

interface Named {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}

/** Creates them for one call of a tool. */
export function createNames(lists: Lists): Names {
  const read = new Map<Noun, Promise<Named[]>>();

  function allOf(noun: Noun): Promise<Named[]> {
    const known = read.get(noun) ?? lists[LISTS[noun]]().then((items) => items.map(namedOf));
    read.set(noun, known);
    return known;
  }

  async function find(noun: Noun, text: string): Promise<Named> {
    const all = await allOf(noun);
    const bySlug = all.find(({ slug }) => slug !== '' && slug === text.trim());
    const found = bySlug === undefined ? all.filter(({ name }) => nameKey(name) === nameKey(text)) : [bySlug];
    const [first, second] = found;
    if (first === undefined)
      throw new ToolError('invalid', `${badIdMessage(noun, text)}${hintOf(noun, all)}`);
    if (second !== undefined) {
      const ids = listOf(found.map(({ id }) => id));
      throw new ToolError('invalid', `There are several ${LISTS[noun]} of that name. Use one of: ${ids}.`);
    }
    return first;
  }

  async function resolve(noun: Noun, text: string): Promise<string> {
    if (isOfKind(noun, text)) return text;
    const prefix = splitId(text)?.prefix;
    // An id of something else is a mistake, and no name.
    if (ID_KINDS.some((kind) => kind === prefix)) return remoteId(noun, text);
    return (await find(noun, text)).id;
  }

  return {
    async idOf(noun, text) {
      return typeof text === 'string' ? resolve(noun, text) : text;
    },
    async idsOf(noun, texts) {
      if (texts === undefined) return undefined;
      const ids = new Set<string>();
      for (const text of texts) ids.add(await resolve(noun, text));
      return [...ids];
    },
    async slugOf(status) {
      return status === undefined || SLUG.test(status) ? status : (await find('status', status)).slug;
    },
    async requireSlug(slug) {
      const all = await allOf('status');
      if (all.some((status) => status.slug === slug)) return;
      throw new ToolError('invalid', `status: there is no status "${slug}"${hintOf('status', all)}`);
    },
  };
}

const SLUG = /^[a-z0-9_]{1,50}$/;

function namedOf(item: object): Named {
  const textOf = (name: string) => {
    const value = fieldOf(item, name);
    return typeof value === 'string' ? value : '';
  };
  return { id: textOf('id'), name: textOf('name'), slug: textOf('slug') };
}

function hintOf(noun: Noun, all: readonly Named[]): string {
  if (all.length === 0) return `. There are no ${LISTS[noun]} yet.`;
  return `. Use one of: ${listOf(all.map(({ slug, name }) => (slug === '' ? name : slug)))}.`;
}
