/** What people call things is taken wherever ids are, and what is not there is told with what is. */
import { typeId } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { expect, test } from 'vitest';
import { openRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';
import { feedbackToolset, withBackend } from '../toolset.ts';

onBothEngines('names in place of ids', (open) => {
  test('slugs and names reach the same board, status, tag, roadmap and owner as ids', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const { services, admin } = api;
    const board = await services.boards.create(admin, { name: 'Feature Requests' });
    const tag = await services.tags.create(admin, { name: 'Mobile App' });
    const roadmap = await services.roadmaps.create(admin, { name: 'This Year' });
    const statuses = await services.statuses.list(admin);
    const planned = statuses.find(({ slug }) => slug === 'planned')?.id;
    const { items: team } = await services.members.list(admin, { limit: 100 });
    const mia = team.find(({ name }) => name === 'Mia Member');
    for (const [boardId, statusId, tagId] of [
      [board.id, planned, tag.id],
      ['feature-requests', 'planned', 'mobile app'],
      ['Feature Requests', 'PLANNED', 'Mobile App'],
      [' ｆｅａｔｕｒｅ  requests ', 'Planned', 'MOBILE APP'],
    ]) {
      const made = await api.call('POST', '/posts', {
        as,
        body: { boardId, statusId, tagIds: [tagId], title: 'Dark mode' },
      });
      expect(made.json.data).toMatchObject({
        boardId: board.id,
        statusId: planned,
        status: { slug: 'planned', name: 'Planned' },
        tags: [{ id: tag.id }],
      });
    }
    const found = await api.call(
      'GET',
      '/posts?boardId=feature-requests&status=Planned&tagIds=mobile%20app',
      { as },
    );
    expect(found.json.pagination).toEqual({ cursor: null, hasMore: false, total: 4 });
    expect(found.json.meta.pagination).toEqual(found.json.pagination);
    const [post] = found.json.data;
    for (const owner of [mia?.id, 'mia member', mia?.email?.toUpperCase()]) {
      const patched = await api.call('PATCH', `/posts/${post.id}`, { as, body: { ownerMemberId: owner } });
      expect(patched.json.data.ownerMemberId).toBe(mia?.id);
      await api.call('PATCH', `/posts/${post.id}`, { as, body: { ownerMemberId: null } });
    }
    const added = await api.call('POST', '/roadmaps/this-year/posts', {
      as,
      body: { postId: `https://feedback.example.com/feedback/posts/${post.id}?page=2#c-1` },
    });
    expect([added.status, added.json.data.id]).toEqual([201, post.id]);
    expect((await api.call('GET', '/boards/Feature%20Requests', { as })).json.data.id).toBe(board.id);
    expect(
      (await api.call('PATCH', '/roadmaps/this-year', { as, body: { name: 'Soon' } })).json.data.id,
    ).toBe(roadmap.id);
    const many = await api.call('POST', '/posts/bulk-triage', {
      as,
      body: { ids: [post.id], statusId: 'Complete', ownerMemberId: 'Mia Member' },
    });
    expect(many.json.data).toEqual([{ id: post.id, ok: true }]);
  });

  test('a name that is not there is told with those that are, and never as an empty list', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const { services, admin } = api;
    await services.boards.create(admin, { name: 'Ideas' });
    await services.boards.create(admin, { name: 'Bugs' });
    await services.boards.create(admin, { name: 'Same', slug: 'one' });
    await services.boards.create(admin, { name: 'Same', slug: 'two' });
    const statuses = 'open, under_review, planned, in_progress, complete, closed.';
    const boards = 'ideas, bugs, one, two.';
    const unknown = typeId('board');
    for (const [query, message] of [
      ['status=In%20Prog', `status: there is no status "In Prog". Use one of: ${statuses}`],
      ['boardId=mobil', `boardId: there is no board "mobil". Use one of: ${boards}`],
      [`boardId=${unknown}`, `boardId: there is no board "${unknown}". Use one of: ${boards}`],
      ['boardId=same', 'There are several boards of that name. Use one of: one, two.'],
      ['tagIds=x', 'tagIds: there is no tag "x". There are no tags yet.'],
      [
        `status=${'x'.repeat(5000)}`,
        `status: there is no status "${'x'.repeat(60)}...". Use one of: ${statuses}`,
      ],
    ]) {
      const { status, json } = await api.call('GET', `/posts?${query}`, { as });
      expect([status, json.error, json.message]).toEqual([400, { code: 'BAD_REQUEST', message }, message]);
    }
    const nobody = await api.call('GET', '/posts?ownerMemberId=Vic%20Visitor', { as });
    expect([nobody.status, nobody.json.message]).toEqual([
      400,
      'Invalid member ID format: expected member_ followed by 26 characters, got "Vic Visitor". Use one of: Ada Admin, Mia Member.',
    ]);
  });

  test('a key learns no names from a wrong one but those it may list, over REST and MCP', async () => {
    const api = await openRest(await open());
    const { services, admin } = api;
    await services.boards.create(admin, { name: 'Hidden Board', isPublic: false });
    await services.boards.create(admin, { name: 'Twin', slug: 'twin-a' });
    await services.boards.create(admin, { name: 'Twin', slug: 'twin-b' });
    await services.tags.create(admin, { name: 'Hidden Tag' });
    await services.roadmaps.create(admin, { name: 'Hidden Roadmap' });
    const post = await api.post({ title: 'Dark mode' });
    const mia = (await services.members.list(admin, { limit: 100 })).items.find(
      ({ name }) => name === 'Mia Member',
    );
    const WORK = [
      'search_feedback',
      'triage_post',
      'update_post',
      'create_post',
      'proxy_vote',
      'manage_roadmap_post',
    ];
    const narrow = await api.keyFor(api.callers.admin, { grants: { feedback: WORK } });
    const asks: [grant: string, method: string, path: string, body?: Record<string, unknown>][] = [
      ['boards', 'GET', '/posts?boardId=nope'],
      ['boards', 'GET', `/posts?boardId=${typeId('board')}`],
      ['boards', 'GET', '/posts?boardId=twin'],
      ['boards', 'GET', '/inbox/counts?boardId=nope'],
      ['boards', 'GET', '/moderation?boardId=nope'],
      ['boards', 'GET', '/posts/similar?title=x&boardId=nope'],
      ['boards', 'POST', '/posts', { boardId: 'nope', title: 'x' }],
      ['boards', 'POST', '/posts', { boardId: typeId('board'), title: 'x' }],
      ['boards', 'POST', '/posts/bulk-triage', { ids: [post], boardId: 'nope' }],
      ['statuses', 'GET', '/posts?status=nope'],
      ['statuses', 'PATCH', `/posts/${post}`, { statusId: 'nope' }],
      ['tags', 'GET', '/posts?tagIds=nope'],
      ['tags', 'PATCH', `/posts/${post}`, { tagIds: ['nope'] }],
      ['tags', 'POST', '/posts/bulk-triage', { ids: [post], tagIds: [typeId('tag'), 'nope'] }],
      ['roadmaps', 'POST', '/roadmaps/nope/posts', { postId: post }],
      ['members', 'GET', '/posts?ownerMemberId=nope'],
      ['members', 'GET', `/posts?ownerMemberId=${mia?.email}`],
      ['members', 'GET', '/posts?ownerMemberId=nobody@example.com'],
      ['members', 'PATCH', `/posts/${post}`, { ownerMemberId: mia?.email }],
      ['members', 'POST', '/posts/bulk-triage', { ids: [post], ownerMemberId: mia?.email }],
    ];
    for (const [grant, method, path, body] of asks) {
      const refused = await api.call(method, path, { as: narrow, ...(body && { body }) });
      expect([path, body, [400, 404].includes(refused.status)]).toEqual([path, body, true]);
      expect(refused.json.message).toContain(`which needs the grant feedback:${grant}.`);
      expect(JSON.stringify(refused.json)).not.toMatch(/hidden|twin-|planned|Ada|Mia M/i);
    }
    // The address of a member and one of nobody are told the same.
    const told = async (email = '') =>
      (await api.call('GET', `/posts?ownerMemberId=${email}`, { as: narrow })).json.message.replace(
        email,
        '',
      );
    expect(await told(mia?.email ?? '')).toBe(await told('nobody@example.com'));
    const as = { ...api.callers.admin, grants: { feedback: WORK } };
    await using client = await connect(feedbackToolset, { services: withBackend(services), as });
    const calls: [Parameters<typeof client.attempt>[0], Record<string, unknown>][] = [
      ['search_feedback', { boardId: 'nope' }],
      ['search_feedback', { status: 'nope' }],
      ['search_feedback', { tagIds: ['nope'] }],
      ['create_post', { boardId: 'nope', title: 'x' }],
      ['triage_post', { postId: post, statusId: 'nope' }],
      ['triage_post', { postId: post, ownerMemberId: mia?.email }],
      ['manage_roadmap_post', { postId: post, roadmapId: 'nope', action: 'add' }],
    ];
    // Each input is one of its tool.
    const attempt = client.attempt as (name: string, input: unknown) => Promise<unknown>;
    for (const [tool, input] of calls) {
      const answer = JSON.stringify(await attempt(tool, input));
      expect([tool, input, answer]).toEqual([tool, input, expect.stringContaining('which needs the grant')]);
      expect(answer).not.toMatch(/hidden|twin-|planned|Ada|Mia M/i);
    }
    // One more grant gives that list alone.
    const members = await api.keyFor(api.callers.admin, { grants: { feedback: [...WORK, 'members'] } });
    expect((await api.call('GET', `/posts?ownerMemberId=${mia?.email}`, { as: members })).status).toBe(200);
    expect((await api.call('GET', '/posts?ownerMemberId=nope', { as: members })).json.message).toContain(
      'Use one of: Ada Admin, Mia Member.',
    );
    expect((await api.call('GET', '/posts?boardId=nope', { as: members })).json.message).not.toContain(
      'hidden',
    );
    // Names that are right need no list.
    expect((await api.call('GET', '/posts?boardId=hidden-board&status=open', { as: narrow })).status).toBe(
      200,
    );
  });

  test('a board setting that is misspelt or of another type is refused by name and changes nothing', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const made = await api.call('POST', '/boards', {
      as,
      body: { name: 'Ideas', settings: { moderation: true } },
    });
    const path = `/boards/${made.json.data.id}`;
    for (const [settings, errors] of [
      [{ moderatoin: true }, { 'settings.moderatoin': ['is not a known field (known: moderation)'] }],
      [{ moderation: 'yes' }, { 'settings.moderation': ['must be a boolean (got "yes")'] }],
    ]) {
      const refused = await api.call('PATCH', path, { as, body: { settings } });
      expect([refused.status, refused.json.error.details]).toEqual([400, { errors }]);
    }
    expect((await api.call('GET', path, { as })).json.data.settings).toEqual({ moderation: true });
  });
});
