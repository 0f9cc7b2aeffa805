/** Searches for words that many posts have, which are answered another way than those for rare ones. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import type { FeedbackTables } from '../../schema.ts';
import { openFeedback } from '../../testing/fixture.ts';
import { pageOfPosts } from './list.ts';
import type { PostQuery } from './list.ts';
import { onBothEngines } from '../../testing/engines.ts';

const START_MS = 1_700_000_000_000;
const COUNT = 900;

onBothEngines('search for common words', (open) => {
  test('pages hold exactly the posts that fit, in order, with every filter and sort', async () => {
    const { store, services, admin, organizationId, board } = await openFeedback(await open());
    const boards = [await board(), await board(), await board()];
    const statuses = (await services.statuses.list(admin)).slice(0, 2);
    const rows = Array.from({ length: COUNT }, (_, index) => ({
      organization_id: organizationId,
      id: typeId('post', START_MS + index),
      board_id: boards[index % 3]!,
      status_id: statuses[index % 2]!.id,
      title: index % 7 === 0 ? 'Other' : 'Common',
      content: '',
      content_json: null,
      author_member_id: admin.memberId,
      author_user_id: admin.userId,
      vote_count: (index * 37) % 11,
      comment_count: 0,
      vote_threshold: 0,
      moderation: index % 50 === 1 ? ('pending' as const) : ('published' as const),
      search_title: index % 7 === 0 ? 'other' : 'common',
      search_content: '',
      created_at: START_MS + Math.floor(index / 4),
      updated_at: START_MS,
      deleted_at: null,
    }));
    for (let at = 0; at < COUNT; at += 300)
      await store
        .db<FeedbackTables>()
        .insertInto('feedback_posts')
        .values(rows.slice(at, at + 300))
        .execute();

    const filters: Omit<PostQuery, 'limit'>[] = [
      {},
      { boardId: boards[0] },
      { boardIds: boards.slice(1) },
      { status: statuses[1]!.slug },
      { boardIds: boards.slice(0, 2), status: statuses[0]!.slug },
      { boardId: boards[2], status: statuses[1]!.slug },
      { dateFrom: new Date(START_MS + 50).toISOString() },
    ];
    for (const filter of filters) {
      for (const sort of ['newest', 'oldest', 'votes'] as const) {
        const query = { ...filter, sort, search: 'common' };
        const found: string[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const page = await pageOfPosts(
            store,
            { organizationId, mayList: [] },
            {
              ...query,
              limit: 100,
              ...(cursor !== undefined && { cursor }),
            },
          );
          found.push(...page.items.map(({ id }) => id));
          ({ cursor } = page);
        }
        const fits = rows.filter(
          (row) =>
            row.title === 'Common' &&
            row.moderation === 'published' &&
            (filter.boardId === undefined || row.board_id === filter.boardId) &&
            (filter.boardIds === undefined || filter.boardIds.includes(row.board_id)) &&
            (filter.status === undefined ||
              row.status_id === statuses.find(({ slug }) => slug === filter.status)!.id) &&
            (filter.dateFrom === undefined || row.created_at >= START_MS + 50),
        );
        const keyOf = (row: (typeof rows)[number]) => (sort === 'votes' ? row.vote_count : row.created_at);
        const expected = fits.toSorted((one, other) => {
          const order = keyOf(one) - keyOf(other) || (one.id < other.id ? -1 : 1);
          return sort === 'oldest' ? order : -order;
        });
        expect({ query, found }).toEqual({ query, found: expected.map(({ id }) => id) });
      }
    }
  });
});
