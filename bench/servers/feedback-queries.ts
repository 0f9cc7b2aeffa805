/** Owns the timed queries of the feedback bench: each answer is checked outside of its time. */
import type { FeedbackServices } from '@parley/feedback';

type Actor = Parameters<FeedbackServices['posts']['list']>[0];

/** One list that is asked for. */
export type PostQuery = Parameters<FeedbackServices['posts']['list']>[1];
type Page = Awaited<ReturnType<FeedbackServices['posts']['list']>>;

/** Times queries one after another; the CPU time of this process is the mean, and does not know of other load. */
export async function timeQueries(
  services: FeedbackServices,
  actor: Actor,
  queries: readonly PostQuery[],
): Promise<{ timesMs: number[]; cpuMs: number }> {
  const timesMs: number[] = [];
  let cpuUs = 0;
  for (const query of queries) {
    const before = process.cpuUsage();
    const startedMs = performance.now();
    const page = await services.posts.list(actor, query);
    timesMs.push(performance.now() - startedMs);
    const { user, system } = process.cpuUsage(before);
    cpuUs += user + system;
    checkPage(query, page);
  }
  return { timesMs, cpuMs: cpuUs / 1000 / queries.length };
}

const STRIDE_ROWS = 100;

/** Times pages further and further down, reached by cursors. */
export async function timeDeepPages(
  services: FeedbackServices,
  actor: Actor,
  filters: readonly Omit<PostQuery, 'limit'>[],
  count: number,
): Promise<{ timesMs: number[]; deepest: number }> {
  const timesMs: number[] = [];
  let deepest = 0;
  for (const filter of filters) {
    let cursor: string | null = null;
    for (let page = 0; page < count / filters.length; page++) {
      const stride = await services.posts.list(actor, {
        ...filter,
        limit: STRIDE_ROWS,
        ...(cursor !== null && { cursor }),
      });
      ({ cursor } = stride);
      if (cursor === null) break;
      deepest = Math.max(deepest, (page + 1) * STRIDE_ROWS);
      const query = { ...filter, limit: 20, cursor };
      const startedMs = performance.now();
      const found = await services.posts.list(actor, query);
      timesMs.push(performance.now() - startedMs);
      checkPage(query, found);
    }
  }
  return { timesMs, deepest };
}

/** Throws when a page holds what was not asked for, or in another order. */
function checkPage({ search, boardId, sort = 'newest', limit }: PostQuery, { items, total }: Page): void {
  const keyOf = (item: Page['items'][number]) =>
    sort === 'votes' ? item.voteCount : Date.parse(item.createdAt);
  const sign = sort === 'oldest' ? 1 : -1;
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    const isInOrder = before === undefined || sign * (keyOf(item) - keyOf(before)) >= 0;
    const text = ` ${item.title} ${item.content}`;
    // both databases look for the stem of a word, which begins like it
    const hasWords = (search ?? '').split(' ').every((word) => text.includes(` ${word.slice(0, 2)}`));
    const isOnBoard = boardId === undefined || item.boardId === boardId;
    if (!isInOrder || !hasWords || !isOnBoard) {
      const checks = { isInOrder, hasWords, isOnBoard, search, boardId, sort, title: item.title };
      throw new Error(`A post does not belong where it is: ${JSON.stringify(checks)}`);
    }
  }
  if (items.length > limit || total < items.length) throw new Error('A page and its total do not agree.');
}

/** The same query over REST. */
export function restPath(query: PostQuery): string {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return `/posts?${new URLSearchParams(given).toString()}`;
}
