/** The team's inbox over REST. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import type { Loose } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

onBothEngines('the inbox', (open) => {
  test('leads a post from the queue to everybody', async () => {
    const api = await openRest(await open());
    const { services, admin, visitor } = api;
    const as = api.keys.member;
    const board = await services.boards.create(admin, { name: 'Careful', settings: { moderation: true } });
    const { id } = await services.visitors.submit(visitor, { boardId: board.id, title: 'Waiting' });
    const counts = async () => (await api.call('GET', '/inbox/counts', { as })).json.data;
    expect(await counts()).toMatchObject({ total: 0, pending: 1 });
    const queue = await api.call('GET', '/moderation', { as });
    expect(queue.json).toMatchObject({ data: [{ id }], meta: { pagination: { total: 1, hasMore: false } } });
    const put = (state: string) => api.call('PUT', `/posts/${id}/moderation`, { as, body: { state } });
    expect((await put('published')).json.data).toMatchObject({ id, title: 'Waiting' });
    expect(await counts()).toMatchObject({
      total: 1,
      pending: 0,
      byBoard: [{ boardId: board.id, posts: 1 }],
    });
    expect((await put('deleted')).json.error.details.errors).toHaveProperty('state');
    expect((await api.call('GET', '/moderation?state=published', { as })).status).toBe(400);
  });

  test('triages many posts with the codes that one would get, once per Idempotency-Key', async () => {
    const api = await openRest(await open());
    const [one, two, gone] = [await api.post(), await api.post(), typeId('post')];
    const tag = (await api.services.tags.create(api.admin, { name: 'Soon' })).id;
    const owner = (await api.join('user', 'Una User')).memberId;
    const bulk = (body: Loose, headers = {}) =>
      api.call('POST', '/posts/bulk-triage', { as: api.keys.member, body, headers });
    const key = { 'idempotency-key': 'triage-1' };
    const done = await bulk({ ids: [one, gone, two], tagIds: [tag] }, key);
    expect([done.status, done.json.data]).toEqual([
      200,
      [
        { id: one, ok: true },
        { id: gone, ok: false, error: { code: 'NOT_FOUND', message: 'Post not found' } },
        { id: two, ok: true },
      ],
    ]);
    expect((await bulk({ ids: [one, gone, two], tagIds: [tag] }, key)).text).toBe(done.text);
    expect((await bulk({ ids: [one], tagIds: [] }, key)).status).toBe(409);
    const single = await api.call('PATCH', `/posts/${one}`, {
      as: api.keys.member,
      body: { ownerMemberId: owner },
    });
    const { code, message } = single.json.error;
    expect((await bulk({ ids: [one], ownerMemberId: owner })).json.data).toEqual([
      { id: one, ok: false, error: { code, message } },
    ]);
    for (const body of [
      { ids: [] },
      { ids: [one, one], tagIds: [] },
      { ids: [one] },
      { ids: [one], title: 'x' },
    ])
      expect([body, (await bulk(body)).status]).toEqual([body, 400]);
  });

  test('moving many posts to a board is editing, and needs that grant', async () => {
    const api = await openRest(await open());
    const [id, boardId] = [await api.post(), await api.board()];
    const as = await api.keyFor(api.callers.member, { grants: { feedback: ['triage_post'] } });
    const bulk = async (body: object) =>
      (await api.call('POST', '/posts/bulk-triage', { as, body: { ids: [id], ...body } })).status;
    expect([
      await bulk({ tagIds: [] }),
      await bulk({ boardId }),
      await bulk({ boardId, tagIds: [] }),
    ]).toEqual([200, 403, 403]);
    expect((await api.services.posts.get(api.admin, id)).boardId).not.toBe(boardId);
  });

  test('triage of many posts needs its own grant, whatever is changed', async () => {
    const api = await openRest(await open());
    const [id, boardId] = [await api.post(), await api.board()];
    const bulk = async (grants: string[], body: object) => {
      const as = await api.keyFor(api.callers.member, { grants: { feedback: grants } });
      return (await api.call('POST', '/posts/bulk-triage', { as, body: { ids: [id], ...body } })).status;
    };
    for (const [grants, body, status] of [
      [['update_post'], { boardId }, 403],
      [['update_post'], { tagIds: [] }, 403],
      [['update_post'], { boardId, tagIds: [] }, 403],
      [['triage_post', 'update_post'], { boardId, tagIds: [] }, 200],
    ] as const)
      expect([grants, body, await bulk([...grants], body)]).toEqual([grants, body, status]);
  });

  test('finds similar posts, and follows', async () => {
    const api = await openRest(await open());
    const as = api.keys.member;
    const id = await api.post({ title: 'Dark mode' });
    const similar = async (query: string) => api.call('GET', `/posts/similar?${query}`, { as });
    expect((await similar('title=a%20darker%20mode&limit=99')).json.data).toMatchObject([{ id }]);
    expect((await similar('title=unlike')).json).toEqual({ data: [] });
    expect([(await similar('')).status, (await similar('title=x&limit=y')).status]).toEqual([400, 400]);
    for (const [method, isFollowing] of [
      ['PUT', true],
      ['PUT', true],
      ['DELETE', false],
    ] as const)
      expect((await api.call(method, `/posts/${id}/follow`, { as })).json).toEqual({ data: { isFollowing } });
  });

  test('switches the public pages, and notices a stale switch', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const read = await api.call('GET', '/settings', { as: api.keys.member });
    expect(read.json.data).toMatchObject({ isPublished: false, siteName: null });
    const headers = { 'if-match': read.headers.get('etag') ?? '' };
    const patch = (body: object) => api.call('PATCH', '/settings', { as, body, headers });
    expect((await patch({ isPublished: true })).json.data).toMatchObject({ isPublished: true });
    expect((await patch({ isPublished: false })).status).toBe(412);
    expect(await api.services.settings.get(api.organizationId)).toMatchObject({ isPublished: true });
    expect([(await patch({ isOpen: true })).status, (await patch({ isPublished: 'no' })).status]).toEqual([
      400, 400,
    ]);
  });
});
