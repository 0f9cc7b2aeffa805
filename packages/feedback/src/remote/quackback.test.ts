import { describe, expect, test } from 'vitest';
import { attachRemote } from '../../test/remote-bed.ts';
import type { QuackbackServer } from '../../test/quackback-server.ts';
import { serveQuackback, THERE } from '../../test/quackback-server.ts';
import { fakeTimes } from '../../test/scripted-server.ts';

async function open() {
  const server = await serveQuackback();
  return { server, client: await attachRemote(server.origin, { times: fakeTimes() }) };
}

const sentTo = ({ seen }: QuackbackServer) =>
  seen.map(({ method, url }) => `${method} ${url.split('?')[0]?.replace('/api/v1', '') ?? ''}`);

describe('what the server ignores is never reported as done', () => {
  const nothing = { statusId: THERE.open, tagIds: [], ownerPrincipalId: null, boardId: THERE.board };

  test.each<[string, 'triage_post' | 'update_post', object, string[], string[], object]>([
    [
      'an official response',
      'triage_post',
      { officialResponse: 'Soon.' },
      ['official responses'],
      [],
      nothing,
    ],
    [
      'an official response beside a status: neither is set',
      'triage_post',
      { statusId: THERE.planned, officialResponse: 'Soon.' },
      ['official responses', 'Nothing was changed'],
      [],
      nothing,
    ],
    ['another board', 'update_post', { boardId: THERE.otherBoard }, ['boardId'], ['title'], nothing],
    [
      'another board beside a title',
      'update_post',
      { boardId: THERE.otherBoard, title: 'Darker' },
      ['did not set boardId', 'It did set title'],
      [],
      { ...nothing, title: 'Darker' },
    ],
    [
      'an owner of the older kind of id',
      'triage_post',
      { ownerMemberId: 'member_01h455vb4pex5vsknk084sn02q' },
      ['ownerMemberId'],
      [],
      nothing,
    ],
  ])('%s', async (_name, tool, change, named, unnamed, after) => {
    const { server, client } = await open();
    const postId = server.post();
    const outcome = await client.attempt(tool, { postId, ...change });
    expect(outcome).toMatchObject({ ok: false, code: expect.stringMatching(/^(unavailable|invalid)$/) });
    const message = outcome.ok ? '' : outcome.message;
    for (const text of named) expect(message).toContain(text);
    for (const text of unnamed) expect(message).not.toContain(text);
    expect(server.posts.get(postId)).toMatchObject(after);
  });

  test.each<[string, object, string]>([
    ['an owner', { ownerMemberId: THERE.person }, 'ownerMemberId'],
    ['tags of the older kind of id', { tagIds: ['tag_01h455vb4pex5vsknk084sn02q'] }, 'tagIds'],
    ['a date that is none', { dateFrom: 'last week' }, 'dateFrom'],
  ])('a search by %s is not answered with posts that do not fit', async (_name, filter, field) => {
    const { server, client } = await open();
    server.post();
    expect(await client.attempt('find_feedback', filter)).toMatchObject({
      ok: false,
      code: 'unavailable',
      message: expect.stringContaining(`ignored ${field}`),
    });
  });

  test.each<[string, object]>([
    ['no post of somebody', { ownerMemberId: THERE.person }],
    ['a board', { boardId: THERE.board }],
    ['tags', { tagIds: [THERE.tag] }],
    ['a date', { dateFrom: '2026-07-31', dateTo: '2026-08-01' }],
  ])('a search by %s that was honoured is answered', async (_name, filter) => {
    const { server, client } = await open();
    if (!('ownerMemberId' in filter)) server.post({ tagIds: [THERE.tag] });
    const found = await client.call('find_feedback', filter);
    expect(found.items).toHaveLength(server.posts.size);
  });

  test('a source of a vote that the server does not keep', async () => {
    const { server, client } = await open();
    const postId = server.post();
    const input = { postId, memberId: THERE.person, action: 'add', source: 'call' } as const;
    expect(await client.attempt('proxy_vote', input)).toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('source'),
    });
    expect(server.votes.get(postId)?.size).toBe(0);
  });

  test.each<[string, string, object]>([
    ['vote_post', 'setting votes', { voted: true }],
    ['pin_comment', 'pinned comments', { commentId: 'post_comment_01h455vb4pex5vsknk084sn02q' }],
    ['unmerge_post', 'unmerging posts', {}],
    ['restore_post', 'restoring posts', {}],
  ])('%s has no route there, and says so', async (tool, what, input) => {
    const { server, client } = await open();
    const postId = server.post();
    const { content, isError } = await client.raw.callTool({ name: tool, arguments: { postId, ...input } });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toMatch(new RegExp(`not offer ${what}`));
  });
});

describe('what the server takes is told as it is', () => {
  test('an owner is set and taken away under the name that it knows', async () => {
    const { server, client } = await open();
    const postId = server.post();
    const set = await client.call('triage_post', { postId, ownerMemberId: THERE.person });
    expect(set).toMatchObject({ ownerId: THERE.person, ownerMemberId: THERE.person });
    expect(server.posts.get(postId)).toMatchObject({ ownerPrincipalId: THERE.person });
    const cleared = await client.call('triage_post', { postId, ownerMemberId: null });
    expect(cleared).toMatchObject({ ownerId: null, ownerMemberId: null });
    expect(server.posts.get(postId)).toMatchObject({ ownerPrincipalId: null });
  });

  test('an owner is taken away by the first call of a process', async () => {
    const { server, client } = await open();
    const postId = server.post({ ownerPrincipalId: THERE.person });
    await client.call('triage_post', { postId, ownerMemberId: null });
    expect(server.posts.get(postId)).toMatchObject({ ownerPrincipalId: null });
  });

  test('tags are read back, since the answer to a change does not show them', async () => {
    const { server, client } = await open();
    const postId = server.post();
    const triaged = await client.call('triage_post', {
      postId,
      statusId: THERE.planned,
      tagIds: [THERE.tag],
    });
    expect(triaged).toMatchObject({ statusId: THERE.planned, tags: [{ id: THERE.tag, name: 'ui' }] });
    expect(sentTo(server)).toEqual([`PATCH /posts/${postId}`, `GET /posts/${postId}`]);
    expect(await client.call('triage_post', { postId, tagIds: [] })).toMatchObject({ tags: [] });
    const made = await client.call('create_post', { boardId: THERE.board, title: 'X', tagIds: [THERE.tag] });
    expect(made).toMatchObject({ title: 'X', tags: [{ id: THERE.tag }] });
  });

  test('a status alone costs one request', async () => {
    const { server, client } = await open();
    const postId = server.post();
    await client.call('triage_post', { postId, statusId: THERE.planned });
    expect(sentTo(server)).toEqual([`PATCH /posts/${postId}`]);
  });

  test('a merge is answered with the post that stays', async () => {
    const { server, client } = await open();
    const [stays, goes] = [server.post({ title: 'Stays' }), server.post()];
    const merged = await client.call('merge_post', { duplicatePostId: goes, canonicalPostId: stays });
    expect(merged).toMatchObject({ id: stays, title: 'Stays', mergedIntoId: null });
    expect(await client.call('get_post', { postId: goes })).toMatchObject({ mergedIntoId: stays });
    expect(
      await client.attempt('merge_post', { duplicatePostId: goes, canonicalPostId: stays }),
    ).toMatchObject({ code: 'conflict' });
  });

  test('a vote on behalf of somebody is added once and removed', async () => {
    const { server, client } = await open();
    const postId = server.post();
    const input = { postId, memberId: THERE.person } as const;
    const voted = { voted: true, voteCount: 1 };
    expect(await client.call('proxy_vote', { ...input, action: 'add' })).toEqual(voted);
    expect(await client.call('proxy_vote', { ...input, action: 'add' })).toEqual(voted);
    expect(await client.call('proxy_vote', { ...input, action: 'remove' })).toMatchObject({ voted: false });
    expect(server.votes.get(postId)?.size).toBe(0);
  });

  test('the team is read where the server keeps it, and found there again', async () => {
    const { server, client } = await open();
    for (let round = 0; round < 2; round += 1) {
      const { contents } = await client.raw.readResource({ uri: 'quackback://members' });
      expect(JSON.stringify(contents)).toContain(`\\"id\\":\\"${THERE.person}\\",\\"name\\":\\"Ada\\"`);
      expect(JSON.stringify(contents)).not.toContain('acme.example');
    }
    expect(sentTo(server)).toEqual(['GET /members', 'GET /principals', 'GET /principals']);
  });

  test('other names of fields are told under ours', async () => {
    const { server, client } = await open();
    const postId = server.post({ ownerPrincipalId: THERE.person });
    const comment = await client.call('add_comment', { postId, content: 'Hm' });
    expect(comment).toMatchObject({ memberId: THERE.person, content: 'Hm' });
    expect(await client.call('get_post', { postId })).toMatchObject({
      ownerId: THERE.person,
      comments: [{ memberId: THERE.person }],
    });
    expect(await client.call('search_feedback', {})).toMatchObject({
      posts: [{ ownerId: THERE.person, ownerMemberId: THERE.person }],
    });
    expect(await client.call('get_post_activity', { postId })).toMatchObject({
      items: [{ action: 'status.changed', memberId: THERE.person }],
    });
    const read = async (noun: string) =>
      JSON.stringify((await client.raw.readResource({ uri: `quackback://${noun}` })).contents).replaceAll(
        '\\',
        '',
      );
    expect(await read('boards')).toMatch(/ideas.{0,80}isPublic":true.{0,120}team.{0,80}isPublic":false/);
    expect(await read('roadmaps')).toContain('"isPublic":true');
  });

  test.each([
    ['2026-02-04T09:00:00Z', '2026-02-04T09:00:00Z', 'published'],
    ['2026-02-04T09:00:00+02:00', '2026-02-04T07:00:00.000Z', 'published'],
    ['2999-02-04T09:00:00Z', '2999-02-04T09:00:00Z', 'scheduled'],
  ])('an entry published at %s is one', async (publishedAt, kept, state) => {
    const { server, client } = await open();
    const entry = await client.call('create_changelog', { title: 'T', content: 'C', publishedAt });
    expect(entry).toMatchObject({ state, linkedPostIds: [] });
    expect(Date.parse(entry.publishedAt ?? '')).toBe(Date.parse(kept));
    const postId = server.post();
    const changed = { changelogId: entry.id ?? '', publishedAt: null, linkedPostIds: [postId] };
    expect(await client.call('update_changelog', changed)).toMatchObject({
      publishedAt: null,
      state: 'draft',
      linkedPostIds: [postId],
    });
  });

  test('a refusal names the fields', async () => {
    const { client, server } = await open();
    const postId = server.post();
    const outcome = await client.attempt('triage_post', {
      postId,
      statusId: 'status_01h455vb4pex5vsknk084sn02q',
    });
    expect(outcome).toMatchObject({ code: 'invalid', message: 'Invalid status ID format' });
  });
});

describe('what people call things is looked up in the lists of the server', () => {
  test('a board, a status, a tag and a member by slug or name', async () => {
    const { server, client } = await open();
    const made = await client.call('create_post', {
      boardId: 'IDEAS ',
      title: 'X',
      statusId: 'Open',
      tagIds: ['UI'],
    });
    expect(made).toMatchObject({ boardId: THERE.board, statusId: THERE.open, tags: [{ id: THERE.tag }] });
    const postId = made.id ?? '';
    expect(await client.call('triage_post', { postId, ownerMemberId: 'ada' })).toMatchObject({
      ownerMemberId: THERE.person,
    });
    const found = await client.call('search_feedback', { boardId: 'ideas', status: 'Open', tagIds: ['ui'] });
    expect(found.posts).toHaveLength(1);
    const queries = server.seen.map(({ url }) => new URL(url, 'http://x').searchParams);
    expect(queries.at(-1)?.get('status')).toBe('open');
  });

  test.each<[string, 'create_post' | 'search_feedback', object, string]>([
    ['an unknown board', 'create_post', { boardId: 'nope', title: 'X' }, 'Use one of: ideas, team.'],
    [
      'an id of another kind',
      'create_post',
      { boardId: THERE.roadmap, title: 'X' },
      '(that is a roadmap ID)',
    ],
    ['an unknown tag', 'search_feedback', { tagIds: ['nope'] }, 'Use one of: ui.'],
    [
      'an unknown status',
      'search_feedback',
      { status: 'no_such' },
      'there is no status "no_such". Use one of: open.',
    ],
    ['an unknown name of a status', 'search_feedback', { status: 'In Flight' }, 'Use one of: open.'],
  ])('%s is told with what there is', async (_name, tool, input, text) => {
    const { server, client } = await open();
    expect(await client.attempt(tool, input)).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining(text),
    });
    expect(server.seen.filter(({ method }) => method !== 'GET')).toEqual([]);
  });
});
