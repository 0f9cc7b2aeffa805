/** Boards, statuses, tags and roadmaps by what people call them: an id, a slug or a name. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { NameList, NameReader } from '../actor.ts';
import { notFound } from '../faults.ts';
import { badIdMessage, checkId, ID_KINDS, splitId } from '../ids.ts';
import type { FeedbackTables } from '../schema.ts';
import { listOf, nameKey } from './nouns/name-key.ts';
import { publicStatuses } from './public/boards.ts';

/** What has a name besides its id. */
export type Noun = 'board' | 'status' | 'tag' | 'roadmap';

interface Named {
  readonly id: string;
  readonly name: string;
  /** What others call it in addresses and filters. */
  readonly slug: string;
}

const PLURAL: Readonly<Record<Noun, NameList>> = {
  board: 'boards',
  status: 'statuses',
  tag: 'tags',
  roadmap: 'roadmaps',
};

/** The id behind an id, a slug or a name. An id is taken as it is; whether it is there is for others to see. */
export async function idOf(from: Queryable, reader: NameReader, noun: Noun, text: string): Promise<string> {
  if (hasIdForm(text)) return checkId(noun, text);
  const all = await namedOf(from, reader.organizationId, noun);
  const found = named(all, text, { reader, noun });
  if (found === undefined)
    throw new ToolError('invalid', `${badIdMessage(noun, text)}${hintOf(reader, noun, all)}`);
  return found.id;
}

/** What a list is narrowed to. */
export interface Narrowing {
  readonly noun: Noun;
  readonly field: string;
  readonly text: string;
}

/** The same for a list; an id is taken as it is. */
export async function givenIdOf(from: Queryable, reader: NameReader, narrowing: Narrowing): Promise<string> {
  const { noun, text } = narrowing;
  return hasIdForm(text) ? checkId(noun, text) : filterIdOf(from, reader, narrowing);
}

/** The same, and it must be there: an empty answer would be believed. */
export async function filterIdOf(
  from: Queryable,
  reader: NameReader,
  { noun, field, text }: Narrowing,
): Promise<string> {
  const id = hasIdForm(text) ? checkId(noun, text) : undefined;
  const all = await namedOf(from, reader.organizationId, noun);
  const found = id === undefined ? named(all, text, { reader, noun }) : all.find((each) => each.id === id);
  if (found !== undefined) return found.id;
  throw new ToolError(
    'invalid',
    `${field}: there is no ${noun} "${listOf([text])}"${hintOf(reader, noun, all)}`,
  );
}

function hasIdForm(text: string): boolean {
  const prefix = splitId(text)?.prefix;
  return ID_KINDS.some((kind) => kind === prefix);
}

function named(
  all: readonly Named[],
  text: string,
  { reader, noun }: { readonly reader: NameReader; readonly noun: Noun },
): Named | undefined {
  const bySlug = all.find(({ slug }) => slug === text.trim());
  if (bySlug !== undefined) return bySlug;
  const wanted = nameKey(text);
  const [first, ...others] = all.filter(({ name }) => nameKey(name) === wanted);
  if (first === undefined || others.length === 0) return first;
  const several = `There are several ${PLURAL[noun]} of that name`;
  if (!reader.mayList.includes(PLURAL[noun]))
    throw new ToolError('invalid', `${several}. ${whereNames(PLURAL[noun])}`);
  const choices = listOf([first, ...others].map(({ slug, id }) => (noun === 'tag' ? id : slug)));
  throw new ToolError('invalid', `${several}. Use one of: ${choices}.`);
}

/** The answer for an id of something that is not there: it names what is. */
export async function unknownNoun(from: Queryable, reader: NameReader, noun: Noun): Promise<ToolError> {
  const thing = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const { code, message } = notFound(thing);
  return new ToolError(
    code,
    `${message}${hintOf(reader, noun, await namedOf(from, reader.organizationId, noun))}`,
  );
}

/** Where names come from, for whoever may not be told them. */
export function whereNames(list: NameList): string {
  return `The names are in the list of ${list}, which needs the grant feedback:${list}.`;
}

function hintOf({ mayList }: NameReader, noun: Noun, all: readonly Named[]): string {
  if (!mayList.includes(PLURAL[noun])) return `. ${whereNames(PLURAL[noun])}`;
  if (all.length === 0) return `. There are no ${PLURAL[noun]} yet.`;
  return `. Use one of: ${listOf(all.map(({ slug }) => slug))}.`;
}

async function namedOf(from: Queryable, organizationId: string, noun: Noun): Promise<Named[]> {
  const db = from.db<FeedbackTables>();
  switch (noun) {
    case 'board':
      return db
        .selectFrom('feedback_boards')
        .select(['id', 'name', 'slug'])
        .where('organization_id', '=', organizationId)
        .where('deleted_at', 'is', null)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
    case 'tag':
      return db
        .selectFrom('feedback_tags')
        .select(['id', 'name', 'name as slug'])
        .where('organization_id', '=', organizationId)
        .orderBy('name_key')
        .execute();
    case 'status':
      return publicStatuses(from, organizationId);
    case 'roadmap':
      return db
        .selectFrom('feedback_roadmaps')
        .select(['id', 'name', 'slug'])
        .where('organization_id', '=', organizationId)
        .orderBy('position')
        .orderBy('id')
        .execute();
  }
}
