/** Answers that are too long for one result: the tools cut them themselves and say how to go on. */
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import { remoteGrants } from '../remote/index.ts';
import { openFeedback } from '../testing/fixture.ts';
import { feedbackToolset, withBackend } from '../toolset.ts';

const MOST_CHARACTERS = 262_144;

async function openDesk() {
  const store = await scratchStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const feedback = await openFeedback(store);
  const client = await connect(feedbackToolset, {
    services: withBackend(feedback.services),
    as: { ...feedback.callers.admin, grants: remoteGrants(true) },
  });
  onTestFinished(() => client.close());
  return { feedback, client };
}

const sizeOf = (value: unknown) => JSON.stringify(value).length;

test('a post with 300 long comments is read to its end, page by page', async () => {
  const { feedback, client } = await openDesk();
  const { services, member, post } = feedback;
  const postId = await post();
  const made: string[] = [];
  for (let index = 0; index < 300; index += 1) {
    const parentId = index % 3 === 0 ? undefined : made.at(-1);
    const text = `${index} ${'\u0001"long\n'.repeat(700)}`.slice(0, 4990);
    made.push((await services.comments.create(member, postId, { content: text, parentId })).id);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await client.call('get_post', { postId, limit: 100, cursor });
    expect(sizeOf(page)).toBeLessThan(MOST_CHARACTERS);
    for (let level: unknown[] = page.comments ?? []; level.length > 0;) {
      const nodes = level as { id: string; replies: unknown[] }[];
      seen.push(...nodes.map(({ id }) => id));
      level = nodes.flatMap(({ replies }) => replies);
    }
    expect(page.hasMore).toBe(page.nextCursor !== null);
    cursor = page.nextCursor ?? undefined;
    pages += 1;
  } while (cursor !== undefined);
  expect(seen.toSorted()).toEqual(made.toSorted());
  expect(new Set(seen).size).toBe(300);
  expect(pages).toBeGreaterThan(2);
  const other = await post({ title: 'Another' });
  const first = await client.call('get_post', { postId, limit: 1 });
  const foreign = { postId: other, cursor: first.nextCursor ?? '' };
  expect(await client.attempt('get_post', foreign)).toMatchObject({ ok: false, code: 'invalid' });
});

test('a search shows the beginning of texts, and whole ones only while they fit', async () => {
  const { feedback, client } = await openDesk();
  const { services, member, board } = feedback;
  const boardId = await board();
  for (let index = 0; index < 50; index += 1)
    await services.posts.create(member, { boardId, title: `Post ${index}`, content: 'x'.repeat(10_000) });
  const short = await client.call('search_feedback', { limit: 50 });
  expect(short.posts).toHaveLength(50);
  for (const item of short.posts) {
    expect(item.excerpt).toBe('x'.repeat(200));
    expect(item).not.toHaveProperty('content');
    expect(item).toMatchObject({ status: { slug: 'open', name: 'Open' }, boardName: 'Ideas' });
  }
  const full = await client.call('search_feedback', { limit: 50, fullText: true });
  expect(full.posts.filter(({ content }) => content?.length === 10_000)).toHaveLength(10);
  expect(full.posts.filter(({ excerpt }) => excerpt?.length === 200)).toHaveLength(40);
  expect(sizeOf(full)).toBeLessThan(MOST_CHARACTERS);
});

test('an internal note stays internal, a date is a time, and an address of a page is a post', async () => {
  const { feedback, client } = await openDesk();
  const { services, admin, member, visitor, board } = feedback;
  const boardId = await board();
  const { id } = await client.call('create_post', { boardId, title: 'Pay\u202Efdp.exe later' });
  expect((await services.posts.get(admin, id ?? '')).title).toBe('Payfdp.exe later');
  const postId = `https://feedback.example.com/feedback/posts/${id}?reply=1#comments`;
  await client.call('add_comment', { postId, content: 'For us', isPrivate: true });
  await client.call('add_comment', { postId, content: 'For all' });
  const shown = async (reader: typeof member) =>
    (await services.comments.tree(reader, id ?? '')).map(({ content }) => content);
  expect(await shown(member)).toEqual(['For us', 'For all']);
  expect(await shown(visitor)).toEqual(['For all']);
  const entry = await client.call('create_changelog', {
    title: 'x',
    content: 'y',
    publishedAt: '2026-02-04',
  });
  expect(entry).toMatchObject({ state: 'published', publishedAt: '2026-02-04T00:00:00.000Z' });
  for (const publishedAt of ['2026-02-30', '4.2.2026', '2026-02-04T25:00:00Z', 'x'.repeat(100_000)]) {
    const refused = await client.attempt('create_changelog', { title: 'x', content: 'y', publishedAt });
    expect(refused).toMatchObject({ ok: false, code: 'invalid' });
    expect(refused.ok ? '' : refused.message).toContain('publishedAt: ');
    expect(refused.ok ? '' : refused.message.length).toBeLessThan(300);
  }
});

test('the endpoint says what to read first and that a second tier exists, in few words', () => {
  const { instructions = '' } = feedbackToolset;
  expect(instructions).toContain('quackback://boards');
  expect(instructions).toContain('second tier');
  expect(instructions.length).toBeLessThan(900);
});
