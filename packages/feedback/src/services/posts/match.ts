/** The conditions of a list of posts as a query of either database. */
import type { Store } from '@parley/store';
import { byEngine } from '@parley/store';
import type { RawBuilder, SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import type { FeedbackTables, PostState } from '../../schema.ts';
import { fts5Scope, toFts5, toWebsearch } from '../../search/queries.ts';
import { IS_UNANSWERED, isUnread } from '../inbox/unread.ts';
import type { CheckedFilter } from './filter.ts';
import type { Tables } from './rows.ts';

type PostQueryBuilder = SelectQueryBuilder<
  Tables & { post: FeedbackTables['feedback_posts'] },
  'post',
  object
>;

/** How many rows are expected, which decides from which side a search begins. */
export interface Expected {
  readonly total: number;
}

/** Posts that fit the filter, under the name `post`. */
export function matching(store: Store, filter: CheckedFilter, expected?: Expected): PostQueryBuilder {
  const { organizationId, states, boardId, boardIds, statusId, fromMs, toMs, ownerMemberId, tagIds } = filter;
  const words = wordsOf(store, filter, expected);
  // A plus keeps SQLite from walking a sorted index when the words already name the rows.
  const plus = words?.way === 'collect' ? sql`+` : sql``;
  const column = (name: string) => sql<string>`${plus}${sql.ref(`post.${name}`)}`;
  let query = store
    .db<Tables>()
    .selectFrom('feedback_posts as post')
    .where(column('organization_id'), '=', organizationId)
    .where(column('state'), 'in', states);
  // On a walk the full-text index has checked everything; only what chooses the sorted index is said again.
  const isWalk = words?.way === 'walk';
  if (boardId !== undefined) query = query.where(column('board_id'), '=', boardId);
  if (boardIds !== undefined && !isWalk) query = query.where(column('board_id'), 'in', boardIds);
  if (statusId !== undefined && !(isWalk && boardId !== undefined))
    query = query.where(column('status_id'), '=', statusId);
  if (fromMs !== undefined) query = query.where('post.created_at', '>=', fromMs);
  if (toMs !== undefined) query = query.where('post.created_at', '<=', toMs);
  if (ownerMemberId !== undefined) query = query.where(column('owner_member_id'), '=', ownerMemberId);
  if (tagIds.length > 0) query = query.where(hasTag(tagIds));
  if (filter.unreadBy !== undefined) query = query.where(isUnread(filter.unreadBy));
  if (filter.isUnanswered === true) query = query.where(IS_UNANSWERED);
  return words === undefined ? query : query.where(words.condition);
}

interface Words {
  readonly condition: RawBuilder<boolean>;
  /**
   * Whether the rows that the index names are read and sorted, or rows are walked in their order until enough fit;
   * PostgreSQL plans that itself.
   */
  readonly way: 'collect' | 'walk' | 'planned';
}

function wordsOf(
  { engine }: Store,
  filter: CheckedFilter,
  expected: Expected | undefined,
): Words | undefined {
  if (filter.search === undefined) return undefined;
  return byEngine(engine, { sqlite: ftsWords, postgres: tsvectorWords })(filter, expected);
}

function tsvectorWords({ search = [] }: CheckedFilter): Words {
  const text = toWebsearch(search);
  return { condition: sql`post.search @@ websearch_to_tsquery('english', ${text})`, way: 'planned' };
}

function ftsWords(filter: CheckedFilter, expected: Expected | undefined): Words {
  const found = sql`(select rowid from feedback_posts_fts where feedback_posts_fts match ${matchOf(filter)})`;
  // The plus keeps SQLite from reading a row, which may be long, for every one that the index names.
  if (expected !== undefined && isCommon(filter, expected))
    return { condition: sql`+post.seq in ${found}`, way: 'walk' };
  return { condition: sql`post.seq in ${found}`, way: 'collect' };
}

function hasTag(tagIds: readonly string[]) {
  return sql<boolean>`exists (select 1 from feedback_post_tags as tagged
    where tagged.organization_id = post.organization_id and tagged.post_id = post.id
    and tagged.tag_id in (${sql.join(tagIds)}))`;
}

const COMMON_ROWS = 400;

function isCommon(filter: CheckedFilter, { total }: Expected): boolean {
  return total >= COMMON_ROWS && isIndexed(filter);
}

/** True when the full-text index alone can answer which posts fit. */
export function isIndexed(filter: CheckedFilter): boolean {
  const { tagIds, fromMs, toMs, ownerMemberId, unreadBy, isUnanswered } = filter;
  const others = [fromMs, toMs, ownerMemberId, unreadBy, isUnanswered];
  return tagIds.length === 0 && others.every((value) => value === undefined);
}

/** The FTS5 expression of a filter that has a search. */
export function matchOf(filter: CheckedFilter): string {
  const { organizationId, states, boardId, boardIds, statusId, search = [] } = filter;
  const words = [states.map((state) => `${letterOf(state)}${suffixOf(organizationId)}`)];
  if (boardId !== undefined) words.push([`b${suffixOf(boardId)}`]);
  if (boardIds !== undefined) words.push(boardIds.map((id) => `b${suffixOf(id)}`));
  if (statusId !== undefined) words.push([`s${suffixOf(statusId)}`]);
  return toFts5(search, words.map(fts5Scope).join(' AND '));
}

function letterOf(state: PostState): string {
  return state.slice(0, 1);
}

function suffixOf(id: string): string {
  return id.slice(id.lastIndexOf('_') + 1);
}
