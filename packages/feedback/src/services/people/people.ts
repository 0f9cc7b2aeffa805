/** People: everybody in the organization with how much they did, searched, sorted and paged. */
import { ToolError } from '@parley/kit';
import type { Queryable, Store } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';
import type { CursorPosition, CursorScope } from '../../cursor.ts';
import { fromIdentityId, toIdentityId } from '../../ids.ts';
import { isoOf } from '../../shapes/fields.ts';
import type { Person } from '../../shapes/nouns.ts';
import { PERSON_SORTS } from '../../shapes/nouns.ts';
import type { Page, PageQuery } from '../../shapes/posts.ts';
import { pageOf, startOf } from '../paging.ts';
import { dateOf } from '../posts/filter.ts';
import type { Tables } from '../posts/rows.ts';

/** What a list of people can be asked. */
export interface PersonQuery extends PageQuery {
  /** Part of a name or an e-mail address. */
  readonly search?: string | undefined;
  readonly verified?: boolean | undefined;
  /** This one alone, by the id of the member. */
  readonly id?: string | undefined;
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
  readonly sort?: (typeof PERSON_SORTS)[number] | undefined;
}

type Sort = NonNullable<PersonQuery['sort']>;

const DAY_MS = 24 * 60 * 60 * 1000;

/** One page of people; the caller may see it. */
export async function listPeople(
  store: Store,
  organizationId: string,
  query: PersonQuery,
): Promise<Page<Person>> {
  const { verified, dateFrom, dateTo, limit, sort = 'newest' } = query;
  if (!PERSON_SORTS.includes(sort))
    throw new ToolError('invalid', `sort: must be one of ${PERSON_SORTS.join(', ')}`);
  const search = query.search?.trim() || undefined;
  const scope: CursorScope = {
    entity: 'people',
    sort,
    filter: { search, verified, id: query.id, dateFrom, dateTo },
    keyType: sort === 'name' ? 'string' : 'number',
  };
  const start = startOf(scope, query);
  const filter: Filter = {
    organizationId,
    search,
    verified,
    memberId: query.id === undefined ? undefined : toIdentityId('member', query.id),
    fromMs: dateOf('dateFrom', dateFrom, 0),
    toMs: dateOf('dateTo', dateTo, DAY_MS - 1),
  };
  const { total } = await matching(store, filter)
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const rows = await readPage(store, filter, { sort, start, limit: limit + 1 });
  const position = (row: PersonRow) => ({ key: row.key, id: row.id });
  return pageOf(rows, { scope, limit, total, items: rows.map(toPerson), position });
}

interface Filter {
  readonly organizationId: string;
  readonly search: string | undefined;
  readonly verified: boolean | undefined;
  readonly memberId: string | undefined;
  readonly fromMs: number | undefined;
  readonly toMs: number | undefined;
}

function matching(from: Queryable, { organizationId, search, verified, memberId, fromMs, toMs }: Filter) {
  let query = from
    .db<Tables>()
    .selectFrom('members as member')
    .innerJoin('users as person', 'person.id', 'member.user_id')
    .where('member.organization_id', '=', organizationId);
  if (verified !== undefined) query = query.where('person.email_verified', '=', verified ? 1 : 0);
  if (memberId !== undefined) query = query.where('member.id', '=', memberId);
  if (fromMs !== undefined) query = query.where('member.created_at', '>=', fromMs);
  if (toMs !== undefined) query = query.where('member.created_at', '<=', toMs);
  if (search === undefined) return query;
  const patterns = writings(search).map(patternOf);
  return query.where(({ or }) =>
    or(
      patterns.flatMap((pattern) => [
        sql<boolean>`lower(person.name) like lower(${pattern}) escape '!'`,
        sql<boolean>`lower(person.email) like lower(${pattern}) escape '!'`,
      ]),
    ),
  );
}

// Longer than any name or address; SQLite refuses very long patterns.
export const MAX_SEARCH_LENGTH = 300;

/** The ways to write a text in which databases may not know that the letters are the same. */
function writings(text: string): string[] {
  const plain = text.slice(0, MAX_SEARCH_LENGTH).replaceAll('\0', '');
  const words = plain.toLowerCase().replaceAll(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([plain, plain.toLowerCase(), plain.toUpperCase(), words])];
}

function patternOf(text: string): string {
  return `%${text.replaceAll(/[!%_]/g, '!$&')}%`;
}

const count = {
  // What is deleted was not done in vain, but nobody sees it any more.
  posts: sql<number>`(select count(*) from feedback_posts as post
    where post.organization_id = member.organization_id and post.author_user_id = member.user_id
    and post.deleted_at is null)`,
  comments: sql<number>`(select count(*) from feedback_comments as comment
    where comment.organization_id = member.organization_id and comment.author_user_id = member.user_id
    and comment.deleted_at is null)`,
  // A vote that a merge has copied is still one vote.
  votes: sql<number>`(select count(*) from feedback_votes as vote
    where vote.organization_id = member.organization_id and vote.member_id = member.id
    and vote.via_post_id = '')`,
};

/** What each sort goes by. Names are compared without case, and in the same order on both engines. */
function keyOf(sort: Sort, engine: Store['engine']) {
  if (sort === 'most_active') return sql<number>`${count.posts} + ${count.comments} + ${count.votes}`;
  if (sort !== 'name') return sql<number>`member.created_at`;
  return byEngine(engine, {
    sqlite: sql<string>`lower(person.name)`,
    postgres: sql<string>`lower(person.name collate "C") collate "C"`,
  });
}

interface PersonRow {
  id: string;
  user_id: string;
  created_at: number;
  name: string;
  email: string | null;
  image: string | null;
  email_verified: number;
  key: number | string;
  posts: number;
  comments: number;
  votes: number;
}

async function readPage(
  store: Store,
  filter: Filter,
  { sort, start, limit }: { sort: Sort; start: CursorPosition | undefined; limit: number },
): Promise<PersonRow[]> {
  const direction = sort === 'oldest' || sort === 'name' ? 'asc' : 'desc';
  const key = keyOf(sort, store.engine);
  let page = matching(store, filter)
    .select(['member.id', 'member.organization_id', 'member.user_id', 'member.created_at'])
    .select(['person.name', 'person.email', 'person.image', 'person.email_verified'])
    .select(sql<number | string>`${key}`.as('key'))
    .orderBy(key, direction)
    .orderBy('member.id', direction)
    .limit(limit);
  if (start !== undefined) {
    const isAfter = direction === 'asc' ? sql`>` : sql`<`;
    page = page.where(sql<boolean>`(${key}, member.id) ${isAfter} (${start.key}, ${start.id})`);
  }
  // Counted for the people of this page only.
  return store
    .db<Tables>()
    .selectFrom(page.as('member'))
    .selectAll('member')
    .select([count.posts.as('posts'), count.comments.as('comments'), count.votes.as('votes')])
    .orderBy('member.key', direction)
    .orderBy('member.id', direction)
    .execute();
}

function toPerson(row: PersonRow): Person {
  return {
    memberId: fromIdentityId('member', row.id),
    userId: row.user_id,
    name: row.name,
    email: row.email,
    image: row.image,
    emailVerified: row.email_verified === 1,
    joinedAt: isoOf(row.created_at),
    postCount: row.posts,
    commentCount: row.comments,
    voteCount: row.votes,
  };
}
