/** Posts that resemble a text, for "did you mean": they share its telling words. */
import type { Store } from '@parley/store';
import { byEngine } from '@parley/store';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import type { Term } from '../../search/grammar.ts';
import { toWebsearch } from '../../search/queries.ts';
import { tellingWords } from '../../search/words.ts';
import type { PostItem } from '../../shapes/posts.ts';
import { filterIdOf } from '../names.ts';
import type { CheckedFilter } from './filter.ts';
import { loadItems } from './list.ts';
import { matching, matchOf } from './match.ts';
import { publicBoards } from '../public/boards.ts';

/** A text that somebody is about to post. */
export interface SimilarText {
  readonly title: string;
  readonly content?: string | undefined;
  /** 1 to 10. */
  readonly limit: number;
}

/** The same with the board to look on. */
export interface SimilarQuery extends SimilarText {
  readonly boardId?: string | undefined;
}

const MAX_WORDS = 8;
const MAX_LIMIT = 10;

/** Looks on the boards that the actor sees. */
export async function findSimilar(store: Store, actor: Actor, query: SimilarQuery): Promise<PostItem[]> {
  const { organizationId } = actor;
  const boardId =
    query.boardId === undefined
      ? undefined
      : await filterIdOf(store, actor, { noun: 'board', field: 'boardId', text: query.boardId });
  if (isTeam(actor)) return similarPosts(store, { organizationId, boardId }, query);
  const boardIds = (await publicBoards(store, organizationId)).map(({ id }) => id);
  return boardIds.length === 0 ? [] : similarPosts(store, { organizationId, boardId, boardIds }, query);
}

/** Listed posts with any of the words: those with the most of them first, then those with the most votes. */
export async function similarPosts(
  store: Store,
  where: Pick<CheckedFilter, 'organizationId' | 'boardId' | 'boardIds'>,
  { title, content = '', limit }: SimilarText,
): Promise<PostItem[]> {
  const terms = tellingWords(`${title} ${content}`, MAX_WORDS).map(termOf);
  if (terms.length === 0) return [];
  const filter: CheckedFilter = { ...where, states: ['listed'], tagIds: [] };
  const matched = sql.join(
    terms.map((term) => hasWord(store, filter, term)),
    sql` + `,
  );
  const rows = await matching(store, { ...filter, search: terms.map((term) => [term]) })
    .select('post.id')
    .orderBy(sql`${matched}`, 'desc')
    .orderBy('post.vote_count', 'desc')
    .orderBy('post.id', 'desc')
    .limit(Math.min(limit, MAX_LIMIT))
    .execute();
  return loadItems(
    store,
    where.organizationId,
    rows.map(({ id }) => id),
  );
}

function termOf(word: string): Term {
  return { words: [word], isExcluded: false };
}

/** 1 when the post has the word, else 0. */
function hasWord({ engine }: Store, filter: CheckedFilter, term: Term): RawBuilder<number> {
  const search = [[term]];
  return byEngine(engine, {
    sqlite: sql<number>`(post.seq in (select rowid from feedback_posts_fts
      where feedback_posts_fts match ${matchOf({ ...filter, search })}))`,
    postgres: sql<number>`(post.search @@ websearch_to_tsquery('english', ${toWebsearch(search)}))::int`,
  });
}
