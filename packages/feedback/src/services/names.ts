/** Boards, statuses, tags and roadmaps by what people call them: an id, a slug or a name. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
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

const PLURAL: Readonly<Record<Noun, string>> = {
  board: 'boards',
  status: 'statuses',
  tag: 'tags',
  roadmap: 'roadmaps',
};

/** The id behind an id, a slug or a name. An id is taken as it is; whether it is there is for others to see. */
export async function idOf(
  from: Queryable,
  organizationId: string,
  noun: Noun,
  text: string,
): Promise<string> {
  if (hasIdForm(text)) return checkId(noun, text);
  const all = await namedOf(from, organizationId, noun);
  const found = named(all, noun, text);
  if (found === undefined) throw new ToolError('invalid', `${badIdMessage(noun, text)}${hintOf(noun, all)}`);
  return found.id;
}

/** What a list is narrowed to. */
export interface Narrowing {
  readonly noun: Noun;
  readonly field: string;
  readonly text: string;
}

/** The same for a list; an id is taken as it is. */
export async function givenIdOf(
  from: Queryable,
  organizationId: string,
  narrowing: Narrowing,
): Promise<string> {
  const { noun, text } = narrowing;
  return hasIdForm(text) ? checkId(noun, text) : filterIdOf(from, organizationId, narrowing);
}

/** The same, and it must be there: an empty answer would be believed. */
export async function filterIdOf(
  from: Queryable,
  organizationId: string,
  { noun, field, text }: Narrowing,
): Promise<string> {
  const id = hasIdForm(text) ? checkId(noun, text) : undefined;
  const all = await namedOf(from, organizationId, noun);
  const found = id === undefined ? named(all, noun, text) : all.find((each) => each.id === id);
  if (found !== undefined) return found.id;
  throw new ToolError('invalid', `${field}: there is no ${noun} "${listOf([text])}"${hintOf(noun, all)}`);
}

function hasIdForm(text: string): boolean {
  const prefix = splitId(text)?.prefix;
  return ID_KINDS.some((kind) => kind === prefix);
}

function named(all: readonly Named[], noun: Noun, text: string): Named | undefined {
  const bySlug = all.find(({ slug }) => slug === text.trim());
  if (bySlug !== undefined) return bySlug;
  const wanted = nameKey(text);
  const [first, ...others] = all.filter(({ name }) => nameKey(name) === wanted);
  if (first === undefined || others.length === 0) return first;
  const choices = listOf([first, ...others].map(({ slug, id }) => (noun === 'tag' ? id : slug)));
  throw new ToolError('invalid', `There are several ${PLURAL[noun]} of that name. Use one of: ${choices}.`);
}

/** The answer for an id of something that is not there: it names what is. */
export async function unknownNoun(from: Queryable, organizationId: string, noun: Noun): Promise<ToolError> {
  const thing = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  const { code, message } = notFound(thing);
  return new ToolError(code, `${message}${hintOf(noun, await namedOf(from, organizationId, noun))}`);
}

function hintOf(noun: Noun, all: readonly Named[]): string {
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
