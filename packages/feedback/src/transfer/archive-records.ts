/** The lines of an archive: for each kind its table and its columns. */
import * as z from 'zod';
import type { FeedbackTables } from '../schema.ts';
import { CATEGORIES } from '../shapes/nouns.ts';
import { EMOJIS } from '../shapes/posts.ts';
import type { Column, PeopleMap, RefKind } from './archive-columns.ts';
import {
  count,
  flag,
  formed,
  id,
  json,
  member,
  oneOf,
  orAbsent,
  orEmpty,
  orNull,
  ref,
  trace,
  user,
  when,
  wordList,
  words,
} from './archive-columns.ts';

/** The version of the form; a file of another one is refused. */
export const ARCHIVE_VERSION = 1;

/** The kind of the first line, and of the last. */
export const HEAD_KIND = 'parley-feedback';
export const END_KIND = 'end';

const COLOR = /^#[0-9a-fA-F]{6}$/;
const SLUG = /^[a-z0-9-]{1,100}$/;

const description = orNull(words(500));
const made = { created_at: when };
const changed = { ...made, updated_at: when };
const written = { author_member_id: member, author_user_id: user, agent_name: orNull(words(255)) };

/** One kind of line. */
export interface RecordKind {
  readonly table: keyof FeedbackTables;
  readonly columns: Readonly<Record<string, Column>>;
  /** Columns whose values together stand in one line only. */
  readonly unique?: readonly string[];
  /** Ids of others that the line lists. */
  readonly list?: { readonly field: string; readonly of: RefKind & ('tag' | 'post') };
}

/** The kinds of lines by name. */
export const RECORDS = {
  status: {
    table: 'feedback_statuses',
    unique: ['slug'],
    columns: {
      id: id('status'),
      name: words(50, 1),
      slug: formed(/^[a-z0-9_]{1,50}$/),
      color: formed(COLOR),
      category: oneOf(CATEGORIES),
      position: count,
      show_on_roadmap: flag,
      is_default: flag,
      ...made,
    },
  },
  board: {
    table: 'feedback_boards',
    unique: ['slug', 'deleted_at'],
    columns: {
      id: id('board'),
      name: words(100, 1),
      slug: formed(SLUG),
      description,
      is_public: flag,
      settings: json,
      position: orAbsent(count, 0),
      ...changed,
      deleted_at: orNull(when),
    },
  },
  tag: {
    table: 'feedback_tags',
    unique: ['name'],
    columns: { id: id('tag'), name: words(50, 1), color: formed(COLOR), ...made },
  },
  post: {
    table: 'feedback_posts',
    list: { field: 'tagIds', of: 'tag' },
    columns: {
      id: id('post'),
      board_id: ref('board'),
      status_id: ref('status'),
      title: words(200, 1),
      content: words(10_000),
      content_json: orNull(json),
      ...written,
      owner_member_id: orNull(member),
      vote_count: count,
      imported_votes: orAbsent(count, 0),
      comment_count: count,
      vote_threshold: count,
      official_response: orNull(words(10_000)),
      official_response_user_id: orNull(user),
      official_response_at: orNull(when),
      pinned_comment_id: orNull(id('comment')),
      merged_into_id: orNull(id('post')),
      moderation: oneOf(['published', 'pending', 'spam', 'archived']),
      ...changed,
      deleted_at: orNull(when),
    },
  },
  comment: {
    table: 'feedback_comments',
    columns: {
      id: id('comment'),
      post_id: ref('post'),
      parent_id: orNull(id('comment')),
      content: words(5000),
      ...written,
      is_team_member: flag,
      is_private: flag,
      ...made,
      edited_at: orNull(when),
      deleted_at: orNull(when),
    },
  },
  reaction: {
    table: 'feedback_reactions',
    columns: {
      id: id('reaction'),
      comment_id: id('comment'),
      member_id: member,
      emoji: oneOf(EMOJIS),
      ...made,
    },
  },
  vote: {
    table: 'feedback_votes',
    columns: {
      id: id('vote'),
      post_id: ref('post'),
      member_id: member,
      via_post_id: orEmpty(id('post')),
      source: orNull(words(50)),
      proxy_member_id: orNull(member),
      ...made,
    },
  },
  subscription: {
    table: 'feedback_subscriptions',
    columns: {
      id: id('post_sub'),
      post_id: ref('post'),
      member_id: member,
      reason: oneOf(['author', 'comment', 'vote', 'manual']),
      ...made,
    },
  },
  activity: {
    table: 'feedback_activity',
    columns: {
      id: id('note'),
      post_id: ref('post'),
      member_id: member,
      user_id: user,
      agent_name: orNull(words(255)),
      action: words(100, 1),
      from_value: orNull(trace),
      to_value: orNull(trace),
      ...made,
    },
  },
  roadmap: {
    table: 'feedback_roadmaps',
    unique: ['slug'],
    columns: {
      id: id('roadmap'),
      name: words(100, 1),
      slug: formed(SLUG),
      description,
      is_public: flag,
      position: count,
      ...changed,
    },
  },
  roadmapPost: {
    table: 'feedback_roadmap_posts',
    unique: ['roadmap_id', 'post_id'],
    columns: { roadmap_id: ref('roadmap'), post_id: ref('post'), position: count, ...made },
  },
  changelog: {
    table: 'feedback_changelog',
    list: { field: 'linkedPostIds', of: 'post' },
    columns: {
      id: id('changelog'),
      title: words(200, 1),
      content: words(50_000),
      author_user_id: user,
      published_at: orNull(when),
      labels: orAbsent(wordList(5, 30), []),
      announced_at: orNull(when),
      ...changed,
      deleted_at: orNull(when),
    },
  },
  settings: {
    table: 'feedback_settings',
    columns: {
      is_published: flag,
      site_name: orAbsent(orNull(words(100, 1)), null),
      accent_color: orAbsent(orNull(formed(COLOR)), null),
    },
  },
} as const satisfies Record<string, RecordKind>;

/** The kinds that are rows of a table. */
export type RecordName = keyof typeof RECORDS;

/** The kind of that name, with all that it may have. */
export function recordKind(name: RecordName): RecordKind {
  return RECORDS[name];
}

/** True for kinds that are rows of a table. */
export function isRecordName(name: unknown): name is RecordName {
  return typeof name === 'string' && Object.hasOwn(RECORDS, name);
}

/** `created_at` as the file calls it: `createdAt`. */
export function fieldOfColumn(column: string): string {
  return column.replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

/** Somebody in the file: a member, one who was, or only a name behind something. */
export const Person = z.strictObject({
  kind: z.literal('person'),
  memberId: z.string().nullable(),
  userId: z.string().nullable(),
  name: z.string().max(255).nullable(),
  email: z.string().min(1).max(320).nullable(),
  /** Null for those who are no members. */
  role: z.enum(['admin', 'member', 'user']).nullable(),
  isOwner: z.boolean(),
  joinedAt: z.iso.datetime({ offset: true }).nullable(),
});
export type Person = z.infer<typeof Person>;

/** The first line. */
export const Head = z.object({ kind: z.literal(HEAD_KIND), version: z.int(), exportedAt: z.string() });

/** The last line: how many there were before it. */
export const End = z.strictObject({ kind: z.literal(END_KIND), lines: z.int() });

/** The line of a row. */
export function lineOf(name: RecordName, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const line: Record<string, unknown> = { kind: name };
  for (const [column, { toFile }] of Object.entries(recordKind(name).columns))
    line[fieldOfColumn(column)] = toFile(row[column]);
  return line;
}

/** The columns of a line, with the people of this organization. */
export function rowOfLine(
  name: RecordName,
  line: Readonly<Record<string, unknown>>,
  people: PeopleMap,
): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const [column, { toRow }] of Object.entries(recordKind(name).columns))
    row[column] = toRow(line[fieldOfColumn(column)], people);
  return row;
}

const SCHEMAS = new Map(
  // The keys of the table are the names.
  (Object.keys(RECORDS) as RecordName[]).map((name) => [name, buildSchema(name)]),
);

/** What a line of that kind must be. */
export function schemaOf(name: RecordName): z.ZodType<Record<string, unknown>> {
  return SCHEMAS.get(name) ?? buildSchema(name);
}

function buildSchema(name: RecordName): z.ZodType<Record<string, unknown>> {
  const { columns, list } = recordKind(name);
  const fields: Record<string, z.ZodType> = { kind: z.literal(name) };
  for (const [column, { schema }] of Object.entries(columns)) fields[fieldOfColumn(column)] = schema;
  if (list !== undefined) fields[list.field] = z.array(z.string()).max(1000);
  return z.strictObject(fields);
}
