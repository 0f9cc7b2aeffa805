import { ToolError, typeId } from '@parley/kit';
import { onBothEngines } from '../../testing/engines.ts';
import { expect, it } from 'vitest';
import { fromIdentityId } from '../../ids.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';

onBothEngines('counts of the inbox', (open) => {
  it('agree with the list for every filter', async () => {
    const { services, admin, member, visitor, board } = await openFeedback(await open());
    const [first, second] = [await board(), await board()];
    const statuses = await services.statuses.list(admin);
    const [opened, review] = statuses.map(({ id }) => id);
    const tags = [
      (await services.tags.create(admin, { name: 'A' })).id,
      (await services.tags.create(admin, { name: 'B' })).id,
    ];
    const mia = fromIdentityId('member', member.memberId);
    for (let index = 0; index < 12; index += 1) {
      const { id } = await services.posts.create(admin, {
        boardId: index % 3 === 0 ? first : second,
        title: index % 2 === 0 ? 'Dark mode' : 'Export',
        tagIds: tags.slice(0, index % 3),
        ...(index % 4 === 0 && { statusId: review }),
      });
      if (index % 5 === 0) await services.posts.update(admin, id, { ownerMemberId: mia });
      if (index === 11) await services.posts.delete(admin, id);
    }
    const careful = await services.boards.create(admin, { name: 'Careful', settings: { moderation: true } });
    await services.visitors.submit(visitor, { boardId: careful.id, title: 'Dark waiting' });

    const all = await services.inbox.counts(member, {});
    expect(all).toEqual({
      total: 11,
      pending: 1,
      unread: 11,
      unanswered: 11,
      byStatus: [
        { statusId: opened, posts: 8 },
        { statusId: review, posts: 3 },
      ],
      byBoard: [
        { boardId: second, posts: 7 },
        { boardId: first, posts: 4 },
      ],
      byTag: [
        { tagId: tags[0], posts: 7 },
        { tagId: tags[1], posts: 3 },
      ],
      byOwner: [
        { ownerMemberId: null, posts: 8 },
        { ownerMemberId: mia, posts: 3 },
      ],
    });
    const filters = [
      { boardId: first },
      { status: 'under_review' },
      { search: 'dark' },
      { search: 'dark', boardId: second, tagIds: tags },
      { tagIds: [tags[1] ?? ''] },
      { ownerMemberId: mia },
      { dateFrom: '2020-01-01' },
      { showDeleted: true },
    ];
    for (const filter of filters) {
      const counts = await services.inbox.counts(admin, filter);
      const { items, total } = await services.posts.list(admin, { ...filter, limit: 100 });
      const countOf = <K>(keys: readonly K[]) => Map.groupBy(keys, (key) => key);
      const sizes = <K>(keys: readonly K[]) =>
        new Map([...countOf(keys)].map(([key, all]) => [key, all.length]));
      expect([filter, counts.total]).toEqual([filter, total]);
      expect(new Map(counts.byStatus.map((row) => [row.statusId, row.posts]))).toEqual(
        sizes(items.map(({ statusId }) => statusId)),
      );
      expect(new Map(counts.byBoard.map((row) => [row.boardId, row.posts]))).toEqual(
        sizes(items.map(({ boardId }) => boardId)),
      );
      expect(new Map(counts.byOwner.map((row) => [row.ownerMemberId, row.posts]))).toEqual(
        sizes(items.map(({ ownerMemberId }) => ownerMemberId)),
      );
      expect(new Map(counts.byTag.map((row) => [row.tagId, row.posts]))).toEqual(
        sizes(items.flatMap((item) => item.tags.map(({ id }) => id))),
      );
    }
    for (const filter of [{ status: 'no_such' }, { boardId: typeId('board') }]) {
      const refusal = await refusalOf(services.inbox.counts(admin, filter));
      expect(refusal).toMatchObject({ code: 'invalid', message: expect.stringContaining('Use one of: ') });
    }
    expect((await services.inbox.counts(admin, { boardId: careful.id })).pending).toBe(1);
    expect((await refusalOf(services.inbox.counts(visitor, {}))).code).toBe('forbidden');
    expect((await refusalOf(services.inbox.counts(member, { showDeleted: true }))).code).toBe('forbidden');
    expect((await refusalOf(services.inbox.counts(admin, { boardId: 'x' }))).code).toBe('invalid');
  });
});

onBothEngines('triage of many posts', (open) => {
  it('changes each post by itself and says which', async () => {
    const store = await open();
    const { services, admin, member, post, published } = await openFeedback(store);
    const neighbour = await openFeedback(store, { slug: 'neighbour' });
    const [one, two, gone, foreign] = [await post(), await post(), await post(), await neighbour.post()];
    await services.posts.delete(admin, gone);
    const before = (await published()).length;
    const planned = (await services.statuses.list(admin)).find(({ slug }) => slug === 'planned')?.id ?? '';
    const tag = (await services.tags.create(admin, { name: 'Soon' })).id;
    const unknown = typeId('post');
    const results = await services.inbox.bulkTriage(member, [one, gone, foreign, unknown, two], {
      statusId: planned,
      tagIds: [tag],
    });
    expect(results.map(({ id, ok, error }) => [id, ok, error?.code, error?.message])).toEqual([
      [one, true, undefined, undefined],
      [gone, false, 'conflict', 'This post is deleted. Restore it first.'],
      [foreign, false, 'not_found', 'Post not found'],
      [unknown, false, 'not_found', 'Post not found'],
      [two, true, undefined, undefined],
    ]);
    for (const id of [one, two])
      expect(await services.posts.get(admin, id)).toMatchObject({ statusId: planned, tags: [{ id: tag }] });
    const types = (await published()).slice(before).map(({ type, subject }) => [type, subject]);
    expect(types).toEqual(
      [one, two].flatMap((id) => [
        ['post.updated', id],
        ['post.status_changed', id],
      ]),
    );
    const nowhere = await services.inbox.bulkTriage(member, [one], { boardId: typeId('board'), tagIds: [] });
    expect(nowhere).toMatchObject([{ id: one, ok: false, error: { code: 'not_found' } }]);
    expect((await services.posts.get(admin, one)).tags).toHaveLength(1);
  });

  it('refuses doubles, too many, none, bad ids and an empty change before anything is changed', async () => {
    const { services, admin, visitor, post } = await openFeedback(await open());
    const id = await post();
    const tags = { tagIds: [] };
    const refusals = [
      services.inbox.bulkTriage(admin, [id, id], tags),
      services.inbox.bulkTriage(admin, [], tags),
      services.inbox.bulkTriage(
        admin,
        Array.from({ length: 101 }, () => typeId('post')),
        tags,
      ),
      services.inbox.bulkTriage(admin, [id, typeId('board')], tags),
      services.inbox.bulkTriage(admin, [id], {}),
      services.inbox.bulkTriage(admin, [id], { statusId: id }),
      services.inbox.bulkTriage(admin, [id], { ownerMemberId: 'x' }),
    ];
    for (const refusal of refusals) expect((await refusalOf(refusal)).code).toBe('invalid');
    expect((await refusalOf(services.inbox.bulkTriage(visitor, [id], tags))).code).toBe('forbidden');
    expect((await services.activity.list(admin, id, { limit: 9 })).total).toBe(1);
  });

  it('ends with a fault of ours instead of calling it a refusal', async () => {
    const { services, admin, post } = await openFeedback(await open());
    const id = await post();
    const broken = { ...admin, onChange: () => Promise.reject(new TypeError('broken')) };
    const work = services.inbox.bulkTriage(broken, [id], { ownerMemberId: null });
    await expect(work).rejects.not.toBeInstanceOf(ToolError);
  });
});

/** What is asked, and the titles that come, in order. */
const ALIKE: readonly [title: string, expected: readonly string[]][] = [
  ['Dark mode for the mobile app', ['Dark mode on mobile', 'Mobile app crashes', 'Dark theme', 'Modes']],
  ['a theme that is DARK!', ['Dark theme', 'Dark mode on mobile']],
  ['Crashing apps', ['Mobile app crashes']],
  ['export', ['Exporting to CSV', 'Calendar']],
  ['the and of', []],
  ['"; drop table -- * OR ()', []],
  ['Öxport', []],
  ['', []],
];

onBothEngines('similar posts', (open) => {
  it('share telling words: the most of them first, then votes', async () => {
    const store = await open();
    const { services, admin, visitor, member, board } = await openFeedback(store);
    const neighbour = await openFeedback(store, { slug: 'neighbour' });
    await neighbour.post({ title: 'Dark mode on mobile app' });
    const boardId = await board();
    const make = async (title: string, content = '', on = boardId) =>
      (await services.posts.create(admin, { boardId: on, title, content })).id;
    await make('Modes');
    const theme = await make('Dark theme');
    await make('Mobile app crashes');
    await make('Dark mode on mobile');
    await make('Calendar', 'with an export');
    const csv = await make('Exporting to CSV');
    for (const actor of [admin, member]) await services.votes.set(actor, theme, true);
    await services.votes.set(admin, csv, true);
    const gone = await make('Dark mode for the mobile app');
    await services.posts.delete(admin, gone);
    await services.moderation.set(admin, await make('Dark mobile app mode'), 'spam');
    for (const [title, expected] of ALIKE) {
      const found = await services.inbox.similar(member, { title, limit: 10 });
      expect([title, found.map((item) => item.title)]).toEqual([title, expected]);
    }
    const ask = async (query: { title: string; content?: string; boardId?: string; limit: number }) =>
      (await services.inbox.similar(member, query)).map(({ title }) => title);
    expect(await ask({ title: 'Theme', content: 'for my calendar', limit: 10 })).toEqual([
      'Dark theme',
      'Calendar',
    ]);
    expect(await ask({ title: 'Dark', limit: 1 })).toEqual(['Dark theme']);
    expect(await ask({ title: 'Dark', boardId: await board(), limit: 5 })).toEqual([]);
    expect(
      (await refusalOf(services.inbox.similar(member, { title: 'x', boardId: 'x', limit: 5 }))).code,
    ).toBe('invalid');

    const secret = await services.boards.create(admin, { name: 'Internal', isPublic: false });
    await make('Dark secrets', '', secret.id);
    expect(await ask({ title: 'secrets', limit: 5 })).toEqual(['Dark secrets']);
    expect(await services.inbox.similar(visitor, { title: 'secrets', limit: 5 })).toEqual([]);
    expect(await services.inbox.similar(visitor, { title: 'theme', limit: 5 })).toMatchObject([
      { id: theme },
    ]);
    await services.boards.update(admin, boardId, { isPublic: false });
    expect(await services.inbox.similar(visitor, { title: 'theme', limit: 5 })).toEqual([]);
  });
});

onBothEngines('following', (open) => {
  it('is for everybody who sees the post, and safe to repeat', async () => {
    const { services, admin, visitor, store, board, post } = await openFeedback(await open());
    const boardId = await board();
    const id = await post({ boardId, by: admin });
    const follow = (isOn: boolean, actor = visitor) => services.following.follow(actor, id, isOn);
    const reasons = async () => {
      const { rows } = await store
        .db<{ feedback_subscriptions: { post_id: string; reason: string } }>()
        .selectFrom('feedback_subscriptions')
        .select('reason')
        .where('post_id', '=', id)
        .orderBy('reason')
        .execute()
        .then((found) => ({ rows: found.map(({ reason }) => reason) }));
      return rows;
    };
    expect(await follow(true)).toEqual({ isFollowing: true });
    expect(await follow(true)).toEqual({ isFollowing: true });
    expect(await follow(true, admin)).toEqual({ isFollowing: true });
    expect(await reasons()).toEqual(['author', 'manual']);
    expect(await follow(false)).toEqual({ isFollowing: false });
    expect(await follow(false)).toEqual({ isFollowing: false });
    expect(await reasons()).toEqual(['author']);
    const unknown = await refusalOf(services.following.follow(visitor, typeId('post'), true));
    expect(unknown).toEqual({ code: 'not_found', message: 'Post not found' });
    await services.boards.update(admin, boardId, { isPublic: false });
    for (const isOn of [true, false]) expect(await refusalOf(follow(isOn))).toEqual(unknown);
    await services.posts.delete(admin, id);
    expect((await refusalOf(follow(true, admin))).code).toBe('conflict');
    expect(await follow(false, admin)).toEqual({ isFollowing: false });
  });
});
