import type { TestClient } from '@parley/kit/testing';
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dialect } from '../test/dialects.ts';
import { metaPagination, plainErrors, serveDialect, topPagination } from '../test/dialects.ts';
import type { TestApi } from '../test/rest-api.ts';
import { openRest } from '../test/rest-api.ts';
import { createRemoteFeedback, remoteFeedbackToolset, remoteGrants } from './remote/index.ts';
import type { feedbackTools } from './tools/index.ts';
import { feedbackToolset, withBackend } from './toolset.ts';

type Client = TestClient<typeof feedbackTools>;

interface Bed {
  readonly api: TestApi;
  readonly client: Client;
  readonly boardId: string;
}

type Era = 'modern' | 'legacy';
type Attach = (api: TestApi, era: Era) => Promise<Client>;

async function attachRemote(api: TestApi, url: string, era: Era): Promise<Client> {
  const base = `${new URL(url).origin}/api/v1`;
  const feedback = createRemoteFeedback({ base, key: api.keys.admin }, { userAgent: 'contract' });
  onTestFinished(() => feedback.close());
  return connect(remoteFeedbackToolset, { services: feedback, as: { grants: remoteGrants(true) }, era });
}

const through =
  (dialect: Dialect): Attach =>
  async (api, era) =>
    attachRemote(api, await serveDialect(api.url, dialect), era);

const BACKENDS: readonly (readonly [string, Attach])[] = [
  [
    'the services of this process',
    (api, era) =>
      connect(feedbackToolset, {
        services: withBackend(api.services),
        as: { ...api.callers.admin, grants: remoteGrants(true) },
        era,
      }),
  ],
  ['a Parley server elsewhere', (api, era) => attachRemote(api, api.url, era)],
  ...[metaPagination, topPagination, plainErrors].map((dialect) => [dialect.name, through(dialect)] as const),
];

const UNKNOWN_POST = 'post_01h455vb4pex5vsknk084sn02q';

describe.each(BACKENDS)('feedback over %s', (_name, attach) => {
  async function open(era: Era = 'modern'): Promise<Bed> {
    const store = await scratchStore();
    onTestFinished(() => store[Symbol.asyncDispose]());
    const api = await openRest(store);
    const client = await attach(api, era);
    onTestFinished(() => client.close());
    return { api, client, boardId: await api.board() };
  }

  async function list(client: Client, noun: string): Promise<Record<string, unknown>[]> {
    const { contents } = await client.raw.readResource({ uri: `quackback://${noun}` });
    const [content] = contents;
    expect(content).toMatchObject({ uri: `quackback://${noun}`, mimeType: 'application/json' });
    return JSON.parse(content !== undefined && 'text' in content ? content.text : '') as Record<
      string,
      unknown
    >[];
  }

  test.each<Era>(['modern', 'legacy'])('the everyday work goes from post to changelog (%s)', async (era) => {
    const { client, api, boardId } = await open(era);
    const post = await client.call('create_post', { boardId, title: ' Dark mode ', content: 'At night.' });
    expect(post).toMatchObject({
      title: 'Dark mode',
      content: 'At night.',
      boardId,
      authorName: 'Ada Admin',
      tags: [],
    });
    const postId = post.id ?? '';

    const planned = (await list(client, 'statuses')).find(({ slug }) => slug === 'planned');
    const tag = await api.services.tags.create(api.admin, { name: 'ui' });
    const [owner] = await list(client, 'members');
    const triaged = await client.call('triage_post', {
      postId,
      statusId: String(planned?.id),
      tagIds: [tag.id],
      ownerMemberId: String(owner?.id),
      officialResponse: 'Soon.',
    });
    expect(triaged).toMatchObject({
      statusId: planned?.id,
      tags: [{ id: tag.id, name: 'ui' }],
      ownerId: owner?.id,
      officialResponse: 'Soon.',
      officialResponseAuthorName: 'Ada Admin',
    });
    const cleared = await client.call('triage_post', {
      postId,
      tagIds: [],
      ownerMemberId: null,
      officialResponse: null,
    });
    expect(cleared).toMatchObject({
      statusId: planned?.id,
      tags: [],
      ownerId: null,
      officialResponse: null,
      officialResponseAuthorName: null,
      officialResponseAt: null,
    });

    const comment = await client.call('add_comment', { postId, content: 'Which pages?' });
    expect(comment).toMatchObject({
      postId,
      parentId: null,
      content: 'Which pages?',
      isPrivate: false,
      replies: [],
    });
    await client.call('add_comment', { postId, content: 'All.', parentId: comment.id ?? '' });
    await api.services.comments.create(api.member, postId, { content: 'For us alone', isPrivate: true });
    const whole = await client.call('get_post', { postId });
    expect(whole).toMatchObject({ id: postId, title: 'Dark mode', commentCount: 2 });
    expect(whole.comments).toMatchObject([
      { content: 'Which pages?', replies: [{ content: 'All.', replies: [] }] },
      { content: 'For us alone', isPrivate: true },
    ]);

    const draft = await client.call('create_changelog', { title: 'Dark mode', content: 'It is **here**.' });
    expect(draft).toMatchObject({ title: 'Dark mode', state: 'draft', publishedAt: null });
    const publishedAt = '2026-01-01T00:00:00.000Z';
    const entry = await client.call('create_changelog', { title: 'Old', content: 'News', publishedAt });
    expect(entry).toMatchObject({ state: 'published', publishedAt });
  });

  test('pages are answered one at a time and end', async () => {
    const { client, boardId } = await open();
    for (const title of ['One', 'Two', 'Three']) await client.call('create_post', { boardId, title });
    const first = await client.call('search_feedback', { boardId, sort: 'oldest', limit: 2 });
    expect(first).toMatchObject({ hasMore: true, total: 3 });
    expect(first.posts.map(({ title }) => title)).toEqual(['One', 'Two']);
    const cursor = first.nextCursor ?? '';
    const second = await client.call('search_feedback', { boardId, sort: 'oldest', limit: 2, cursor });
    expect(second).toMatchObject({ hasMore: false, nextCursor: null, total: 3 });
    expect(second.posts.map(({ title }) => title)).toEqual(['Three']);
    const other = await client.attempt('search_feedback', { boardId, sort: 'votes', cursor });
    expect(other).toMatchObject({
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('Invalid cursor'),
    });
  });

  test('search narrows by words, status and tags', async () => {
    const { client, api, boardId } = await open();
    const tag = await api.services.tags.create(api.admin, { name: 'ui' });
    await client.call('create_post', { boardId, title: 'Dark mode', tagIds: [tag.id] });
    await client.call('create_post', { boardId, title: 'Faster export' });
    const titles = async (input: Parameters<typeof client.call<'search_feedback'>>[1]) =>
      (await client.call('search_feedback', input)).posts.map(({ title }) => title);
    expect(await titles({ query: 'export' })).toEqual(['Faster export']);
    expect(await titles({ query: 'a & b=c %2f "' })).toEqual([]);
    expect(await titles({ tagIds: [tag.id] })).toEqual(['Dark mode']);
    expect(await titles({ status: 'open' })).toHaveLength(2);
    expect(await titles({ status: 'Open' })).toHaveLength(2);
    expect(await client.attempt('search_feedback', { status: 'no_such' })).toMatchObject({
      code: 'invalid',
      message:
        'status: there is no status "no_such". Use one of: open, under_review, planned, in_progress, complete, closed.',
    });
  });

  test('each list holds exactly its fields', async () => {
    const { client, api, boardId } = await open();
    await client.call('create_post', { boardId, title: 'Dark mode' });
    const tag = await api.services.tags.create(api.admin, { name: 'ui' });
    const roadmap = await api.services.roadmaps.create(api.admin, { name: 'This year' });
    const [board] = await list(client, 'boards');
    expect(board).toEqual({
      id: boardId,
      name: 'Ideas',
      slug: expect.any(String),
      description: null,
      isPublic: true,
      postCount: 1,
    });
    const statuses = await list(client, 'statuses');
    expect(statuses).toHaveLength(6);
    expect(statuses[0]).toEqual({
      id: expect.stringMatching(/^status_/),
      name: 'Open',
      slug: 'open',
      color: '#3b82f6',
      category: 'active',
      isDefault: true,
      showOnRoadmap: false,
    });
    expect(await list(client, 'tags')).toEqual([{ id: tag.id, name: 'ui', color: '#6b7280' }]);
    expect(await list(client, 'roadmaps')).toEqual([
      { id: roadmap.id, name: 'This year', slug: 'this-year', isPublic: true },
    ]);
    expect(await list(client, 'members')).toEqual([
      { id: expect.stringMatching(/^member_/), name: 'Ada Admin', role: 'admin' },
      { id: expect.stringMatching(/^member_/), name: 'Mia Member', role: 'member' },
    ]);
  });

  test('what goes wrong has the same code and words', async () => {
    const { client, boardId } = await open();
    const { id } = await client.call('create_post', { boardId, title: 'Dark mode' });
    const attempts = [
      await client.attempt('get_post', { postId: UNKNOWN_POST }),
      await client.attempt('get_post', { postId: boardId }),
      await client.attempt('get_post', { postId: `post_${'x'.repeat(10_000)}` }),
      await client.attempt('search_feedback', { limit: 0 }),
      await client.attempt('triage_post', { postId: id ?? '' }),
      await client.attempt('triage_post', {
        postId: id ?? '',
        statusId: 'status_01h455vb4pex5vsknk084sn02q',
      }),
      await client.attempt('create_post', { boardId, title: '  ' }),
    ];
    const shown = attempts.map((attempt) => (attempt.ok ? 'ok' : `${attempt.code}: ${attempt.message}`));
    const form = 'Invalid post ID format: expected post_ followed by 26 characters';
    expect(shown).toEqual([
      'not_found: Post not found',
      `invalid: ${form}, got "${boardId}" (that is a board ID)`,
      `invalid: ${form}, got "post_${'x'.repeat(55)}..."`,
      'invalid: limit: must be at least 1 (got 0)',
      'invalid: Nothing to change: give at least one of statusId, tagIds, ownerMemberId and officialResponse.',
      'not_found: Status not found. Use one of: open, under_review, planned, in_progress, complete, closed.',
      'invalid: title: must have at least 1 characters (got "  ")',
    ]);
  });

  test('each tool of the second tier works', async () => {
    const { client, api, boardId } = await open();
    const made = async (title: string) =>
      (await client.call('create_post', { boardId, title, content: 'x'.repeat(300) })).id ?? '';
    const postId = await made('Dark mode');
    const twin = await made('Night mode');
    const { memberId } = await api.join('user', 'Olga Other');
    const comment = (await client.call('add_comment', { postId, content: 'Hm' })).id ?? '';
    const roadmapId = (await api.services.roadmaps.create(api.admin, { name: 'Plan' })).id;

    expect(await client.call('vote_post', { postId, voted: true })).toEqual({ voted: true, voteCount: 1 });
    expect(await client.call('vote_post', { postId, voted: true })).toEqual({ voted: true, voteCount: 1 });
    const proxy = { postId, memberId, source: 'call' };
    expect(await client.call('proxy_vote', { ...proxy, action: 'add' })).toEqual({
      voted: true,
      voteCount: 2,
    });
    expect(await client.call('proxy_vote', { ...proxy, action: 'remove' })).toEqual({
      voted: false,
      voteCount: 1,
    });
    expect(await client.call('vote_post', { postId, voted: false })).toEqual({ voted: false, voteCount: 0 });
    expect(await client.call('update_post', { postId, title: 'Darker' })).toMatchObject({ title: 'Darker' });
    const merged = await client.call('merge_post', { duplicatePostId: twin, canonicalPostId: postId });
    expect(merged).toMatchObject({ id: postId, mergedIntoId: null });
    expect(await client.call('unmerge_post', { postId: twin })).toMatchObject({
      id: twin,
      mergedIntoId: null,
    });
    const found = await client.call('find_feedback', { query: 'darker', dateFrom: '2020-01-01' });
    expect(found).toMatchObject({
      items: [{ id: postId, excerpt: 'x'.repeat(200) }],
      hasMore: false,
      total: 1,
    });
    expect(found.items[0]).not.toHaveProperty('content');

    expect(await client.call('update_comment', { commentId: comment, content: 'Hmm' })).toMatchObject({
      content: 'Hmm',
    });
    const reaction = { commentId: comment, emoji: '❤️' } as const;
    expect(await client.call('react_to_comment', { ...reaction, action: 'add' })).toEqual({
      reactions: [{ emoji: '❤️', count: 1, hasReacted: true }],
    });
    expect(await client.call('react_to_comment', { ...reaction, action: 'remove' })).toEqual({
      reactions: [],
    });
    expect(await client.call('pin_comment', { postId, commentId: comment })).toMatchObject({
      id: postId,
      pinnedComment: { id: comment },
    });
    expect(await client.call('pin_comment', { postId, commentId: null })).toMatchObject({
      pinnedComment: null,
    });
    expect(await client.call('delete_comment', { commentId: comment })).toEqual({
      id: comment,
      isDeleted: true,
    });

    const place = { roadmapId, postId };
    const placed = { ...place, isOnRoadmap: true, position: expect.any(Number) };
    expect(await client.call('manage_roadmap_post', { ...place, action: 'add' })).toEqual(placed);
    expect(await client.attempt('manage_roadmap_post', { ...place, action: 'add' })).toMatchObject({
      code: 'conflict',
    });
    expect(await client.call('manage_roadmap_post', { ...place, action: 'move', position: 0 })).toEqual(
      placed,
    );
    expect(await client.call('manage_roadmap_post', { ...place, action: 'remove' })).toEqual({
      ...place,
      isOnRoadmap: false,
      position: null,
    });

    const changelogId = (await client.call('create_changelog', { title: 'T', content: 'C' })).id ?? '';
    const linked = await client.call('update_changelog', { changelogId, linkedPostIds: [postId] });
    expect(linked).toMatchObject({ id: changelogId, linkedPostIds: [postId], title: 'T' });
    expect(await client.call('find_feedback', { entity: 'changelogs' })).toMatchObject({
      items: [{ id: changelogId, excerpt: 'C' }],
      total: 1,
    });
    expect(await client.call('delete_changelog', { changelogId })).toEqual({
      id: changelogId,
      isDeleted: true,
    });

    expect(await client.call('delete_post', { postId })).toEqual({ id: postId, isDeleted: true });
    expect(await client.call('restore_post', { postId })).toMatchObject({ id: postId, deletedAt: null });
    const activity = await client.call('get_post_activity', { postId, limit: 1 });
    expect(activity).toMatchObject({ items: [{ postId }], hasMore: true });
  });

  test('no answer holds an e-mail address', async () => {
    const { client, api, boardId } = await open();
    const heard: string[] = [];
    const hear = async (name: Parameters<typeof client.call>[0], input: Record<string, unknown>) => {
      const result = await client.raw.callTool({ name, arguments: input });
      heard.push(JSON.stringify(result));
      return result.structuredContent as { id: string };
    };
    const { id: postId } = await hear('create_post', { boardId, title: 'Dark mode' });
    const { id: parentId } = await hear('add_comment', { postId, content: 'A' });
    await hear('add_comment', { postId, content: 'B', parentId });
    await hear('pin_comment', { postId, commentId: parentId });
    await hear('triage_post', { postId, officialResponse: 'Soon' });
    await hear('vote_post', { postId, voted: true });
    await hear('create_changelog', { title: 'T', content: 'C' });
    for (const name of ['get_post', 'get_post_activity'] as const) await hear(name, { postId });
    for (const name of ['search_feedback', 'find_feedback'] as const) await hear(name, {});
    for (const noun of ['boards', 'statuses', 'tags', 'roadmaps', 'members'])
      heard.push(JSON.stringify(await list(client, noun)));
    // The addresses are there to be found: the services know them.
    expect((await api.services.posts.get(api.admin, postId)).authorEmail).toBe('ada@acme.example');
    expect(heard.filter((text) => /@acme\.example|email/i.test(text))).toEqual([]);
  });
});
