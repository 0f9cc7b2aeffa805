import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../cursor.ts';
import type { PostFilter, PostSort } from '../../shapes/posts.ts';
import { POST_SORTS } from '../../shapes/posts.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

interface Made {
  readonly feedback: TestFeedback;
  readonly boards: readonly string[];
  readonly ids: Set<string>;
  add(): Promise<void>;
  remove(): Promise<string | undefined>;
}

/** Posts with few different times and vote counts, so that ties are common. */
async function setting(feedback: TestFeedback, posts: number, areEqual: boolean): Promise<Made> {
  const boards = [await feedback.board(), await feedback.board()];
  const ids = new Set<string>();
  let made = 0;
  const add = async () => {
    made += 1;
    const day = areEqual ? 1 : (made * 7) % 5;
    const { id } = await feedback.services.posts.create(feedback.admin, {
      boardId: boards[made % 2] ?? '',
      title: made % 3 === 0 ? `Dark mode ${made}` : `Export ${made}`,
      createdAt: `2026-01-0${day + 1}T00:00:00Z`,
    });
    ids.add(id);
    if (!areEqual && made % 4 === 0) await feedback.services.votes.set(feedback.admin, id, true);
  };
  for (let count = 0; count < posts; count += 1) await add();
  const remove = async () => {
    const [id] = ids;
    if (id === undefined) return undefined;
    ids.delete(id);
    await feedback.services.posts.delete(feedback.admin, id);
    return id;
  };
  return { feedback, boards, ids, add, remove };
}

/** Walks all pages while others insert and delete; every row that was there all the time comes exactly once. */
async function walk(
  made: Made,
  query: PostFilter & { sort: PostSort },
  plan: readonly { limit: number; add: boolean; remove: boolean }[],
): Promise<void> {
  const { feedback } = made;
  const list = (limit: number, cursor?: string) =>
    feedback.services.posts.list(feedback.admin, { ...query, limit, cursor });
  const before = (await list(100)).items.map(({ id }) => id);
  const removed = new Set<string>();
  const seen: string[] = [];
  let cursor: string | undefined;
  for (let step = 0; ; step += 1) {
    const { limit, add, remove } = plan[step % plan.length] ?? { limit: 3, add: false, remove: false };
    const page = await list(limit, cursor);
    expect(page.items.length).toBeLessThanOrEqual(limit);
    expect(page.hasMore).toBe(page.cursor !== null);
    seen.push(...page.items.map(({ id }) => id));
    if (page.cursor === null) break;
    cursor = page.cursor;
    // Only so many, so that the walk ends.
    if (step < 4 && add) await made.add();
    if (step < 4 && remove) {
      const gone = await made.remove();
      if (gone !== undefined) removed.add(gone);
    }
  }
  expect(new Set(seen).size).toBe(seen.length);
  const stayed = before.filter((id) => !removed.has(id));
  const old = new Set(before);
  expect(seen.filter((id) => old.has(id) && !removed.has(id))).toEqual(stayed);
}

const plans = fc.array(
  fc.record({ limit: fc.integer({ min: 1, max: 7 }), add: fc.boolean(), remove: fc.boolean() }),
  { minLength: 1, maxLength: 5 },
);
const queries = fc.record({
  sort: fc.constantFrom(...POST_SORTS),
  board: fc.option(fc.constantFrom(0, 1), { nil: undefined }),
  search: fc.option(fc.constantFrom('dark', 'export OR dark', '-dark'), { nil: undefined }),
  status: fc.option(fc.constant('open'), { nil: undefined }),
});

onBothEngines('pages of posts', (open) => {
  it.each([
    ['with different times and votes', false],
    ['when all times and votes are equal', true],
  ])('neither skip nor repeat %s', async (_name, areEqual) => {
    const made = await setting(await openFeedback(await open()), 24, areEqual);
    await fc.assert(
      fc.asyncProperty(queries, plans, async ({ board, ...query }, plan) => {
        const boardId = board === undefined ? undefined : made.boards[board];
        await walk(made, { ...query, ...(boardId !== undefined && { boardId }) }, plan);
      }),
      { numRuns: 60 },
    );
  });

  it('count exactly what the filter lets through', async () => {
    const { feedback, boards } = await setting(await openFeedback(await open()), 12, false);
    const { services, admin } = feedback;
    const tag = await services.tags.create(admin, { name: 'Urgent' });
    const [first, second] = (await services.posts.list(admin, { limit: 2 })).items;
    if (first === undefined || second === undefined) throw new Error('no posts');
    const owner = (await services.members.list(admin, { limit: 1 })).items[0]?.id ?? '';
    await services.posts.update(admin, first.id, { tagIds: [tag.id], ownerMemberId: owner });
    await services.posts.delete(admin, second.id);
    const total = async (filter: PostFilter) =>
      (await services.posts.list(admin, { ...filter, limit: 1 })).total;
    expect(await total({})).toBe(11);
    expect(await total({ showDeleted: true })).toBe(12);
    expect((await total({ boardId: boards[0] })) + (await total({ boardId: boards[1] }))).toBe(11);
    expect(await total({ status: 'open' })).toBe(11);
    expect(await total({ status: 'planned' })).toBe(0);
    expect(await total({ status: 'In Progress' })).toBe(0);
    await expect(total({ status: 'no such status' })).rejects.toThrow('Use one of: open, under_review');
    expect(await total({ tagIds: [tag.id] })).toBe(1);
    expect(await total({ ownerMemberId: owner })).toBe(1);
    expect(await total({ dateFrom: '2026-01-02', dateTo: '2026-01-02' })).toBeGreaterThan(0);
    expect(await total({ dateFrom: '2027-01-01' })).toBe(0);
  });

  it('include the last millisecond of a day that is given as a date alone', async () => {
    const feedback = await openFeedback(await open());
    const boardId = await feedback.board();
    const add = (createdAt: string) =>
      feedback.services.posts.create(feedback.admin, { boardId, title: createdAt, createdAt });
    await add('2026-03-05T23:59:59.999Z');
    await add('2026-03-06T00:00:00.000Z');
    const { items } = await feedback.services.posts.list(feedback.admin, {
      dateFrom: '2026-03-05',
      dateTo: '2026-03-05',
      limit: 20,
    });
    expect(items.map(({ title }) => title)).toEqual(['2026-03-05T23:59:59.999Z']);
  });

  it('refuse a cursor of another query', async () => {
    const { feedback, boards } = await setting(await openFeedback(await open()), 4, false);
    const list = (query: PostFilter & { sort?: PostSort; cursor?: string }) =>
      feedback.services.posts.list(feedback.admin, { limit: 1, ...query });
    const { cursor } = await list({});
    if (cursor === null) throw new Error('one page only');
    const others = [
      { sort: 'votes' as const, cursor },
      { boardId: boards[0] ?? '', cursor },
      { search: 'dark', cursor },
      { cursor: cursor.slice(0, -4) },
      { cursor: `${cursor.slice(0, 10)}${cursor[10] === 'A' ? 'B' : 'A'}${cursor.slice(11)}` },
      { cursor: 'nonsense' },
      { cursor: '' },
      { cursor: encodeCursor({ entity: 'users', sort: 'newest', filter: {} }, { key: 1, id: 'x' }) },
    ];
    for (const query of others) {
      expect(await refusalOf(list(query))).toMatchObject({ code: 'invalid', message: /cursor/ });
    }
    expect((await list({ cursor })).items).toHaveLength(1);
  });
});

describe('cursors', () => {
  it('come back as they went', () => {
    const word = fc.string().filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(fc.string(), fc.oneof(fc.integer(), word), word, (entity, key, id) => {
        const keyType = typeof key === 'number' ? 'number' : 'string';
        const scope = { entity, sort: 's', filter: { a: 1 }, keyType } as const;
        expect(decodeCursor(scope, encodeCursor(scope, { key, id }))).toEqual({ key, id });
      }),
    );
  });
});
