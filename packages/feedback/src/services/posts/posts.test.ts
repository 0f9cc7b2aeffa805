import { typeId } from '@parley/kit';
import { expect, it } from 'vitest';
import { fromIdentityId } from '../../ids.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

onBothEngines('posts', (open) => {
  it('are made with what is given, and belong to whoever makes them', async () => {
    const { services, member, board, published } = await openFeedback(await open());
    const boardId = await board();
    const tag = await services.tags.create(member, { name: 'Urgent' });
    const made = await services.posts.create(member, {
      boardId,
      title: 'Dark mode',
      content: '<b>please</b>',
      tagIds: [tag.id, tag.id],
    });
    expect(made).toMatchObject({
      title: 'Dark mode',
      content: '<b>please</b>',
      boardId,
      authorName: 'Mia Member',
      voteCount: 0,
      tags: [{ id: tag.id, name: 'Urgent', color: '#6b7280' }],
      mergedIntoId: null,
      deletedAt: null,
    });
    expect(made).not.toHaveProperty('authorEmail');
    expect(await services.posts.get(member, made.id)).toEqual(made);
    expect((await published()).map(({ type }) => type)).toEqual(['post.created']);
    const { items } = await services.activity.list(member, made.id, { limit: 20 });
    expect(items.map(({ action }) => action)).toEqual(['created']);
  });

  it('of an agent show its name and whom it acts for', async () => {
    const { services, member, board } = await openFeedback(await open());
    const post = await services.posts.create(
      { ...member, agentName: 'Triage bot' },
      { boardId: await board(), title: 'Found in the logs' },
    );
    expect(post.authorName).toBe('Triage bot for Mia Member');
  });

  it('show the e-mail of their author to administrators only', async () => {
    const { services, admin, member, post } = await openFeedback(await open());
    const id = await post();
    expect(await services.posts.get(admin, id)).toHaveProperty('authorEmail', 'mia.member@acme.example');
    expect(JSON.stringify(await services.posts.get(member, id))).not.toContain('@');
  });

  it('take the default status, also after the flag has moved', async () => {
    const { services, admin, board } = await openFeedback(await open());
    const boardId = await board();
    const statuses = await services.statuses.list(admin);
    const planned = statuses.find(({ slug }) => slug === 'planned')?.id ?? '';
    const before = await services.posts.create(admin, { boardId, title: 'Before' });
    expect(before.statusId).toBe(statuses.find(({ isDefault }) => isDefault)?.id);
    await services.statuses.update(admin, planned, { isDefault: true });
    expect(await services.posts.create(admin, { boardId, title: 'After' })).toHaveProperty(
      'statusId',
      planned,
    );
  });

  it('refuse ids that name nothing, and change nothing then', async () => {
    const { services, admin, visitor, post, board, published } = await openFeedback(await open());
    const id = await post({ title: 'As it was' });
    const boardId = await board();
    const before = await services.posts.get(admin, id);
    const sofar = (await published()).length;
    const person = fromIdentityId('member', visitor.memberId);
    const cases = [
      [
        { title: 'x', boardId: typeId('board') },
        { code: 'not_found', message: /^Board not found. Use one of: / },
      ],
      [
        { title: 'x', statusId: typeId('status') },
        { code: 'not_found', message: /^Status not found. Use one of: open, / },
      ],
      [
        { title: 'x', tagIds: [typeId('tag')] },
        { code: 'not_found', message: 'Tag not found. There are no tags yet.' },
      ],
      [
        { title: 'x', ownerMemberId: typeId('member') },
        { code: 'not_found', message: 'Member not found' },
      ],
      [{ title: 'x', ownerMemberId: person }, { code: 'invalid' }],
      [
        { title: 'x', boardId: id },
        { code: 'invalid', message: /that is a post ID/ },
      ],
    ] as const;
    for (const [patch, refusal] of cases) {
      // The table is constant; the input type wants lists that can change.
      const input = structuredClone(patch) as Parameters<typeof services.posts.update>[2];
      expect(await refusalOf(services.posts.update(admin, id, input))).toMatchObject(refusal);
    }
    expect(
      await refusalOf(services.posts.create(admin, { boardId: typeId('board'), title: 'x' })),
    ).toMatchObject({
      code: 'not_found',
    });
    expect(await refusalOf(services.posts.get(admin, typeId('post')))).toMatchObject({
      message: 'Post not found',
    });
    expect(await refusalOf(services.posts.get(admin, boardId))).toMatchObject({ code: 'invalid' });
    expect(await services.posts.get(admin, id)).toEqual(before);
    expect(await published()).toHaveLength(sofar);
  });

  it('change only what is given', async () => {
    const { services, admin, post } = await openFeedback(await open());
    const id = await post();
    const tag = await services.tags.create(admin, { name: 'One' });
    const owner = fromIdentityId('member', admin.memberId);
    const planned = (await services.statuses.list(admin)).find(({ slug }) => slug === 'planned')?.id ?? '';
    const all = await services.posts.update(admin, id, {
      statusId: planned,
      tagIds: [tag.id],
      ownerMemberId: owner,
      officialResponse: 'We are on it.',
    });
    expect(all).toMatchObject({
      title: 'Dark mode',
      statusId: planned,
      ownerMemberId: owner,
      ownerId: owner,
      officialResponse: 'We are on it.',
      officialResponseAuthorName: 'Ada Admin',
    });
    expect(all.officialResponseAt).not.toBeNull();
    const same = await services.posts.update(admin, id, { statusId: planned, tagIds: [tag.id] });
    expect(same).toMatchObject({ tags: [{ id: tag.id }], officialResponse: 'We are on it.' });
    const cleared = await services.posts.update(admin, id, {
      tagIds: [],
      ownerMemberId: null,
      officialResponse: null,
    });
    expect(cleared).toMatchObject({
      tags: [],
      ownerMemberId: null,
      officialResponse: null,
      officialResponseAuthorName: null,
      officialResponseAt: null,
      statusId: planned,
    });
  });

  it('announce a change of status once, and nothing when nothing changed', async () => {
    const { services, admin, post, published } = await openFeedback(await open());
    const id = await post();
    const planned = (await services.statuses.list(admin)).find(({ slug }) => slug === 'planned')?.id ?? '';
    const before = await services.posts.update(admin, id, { statusId: planned });
    expect(await services.posts.update(admin, id, {})).toEqual(before);
    expect((await published()).map(({ type }) => type)).toEqual([
      'post.created',
      'post.updated',
      'post.status_changed',
    ]);
    expect(JSON.stringify(await published())).not.toContain('@acme.example');
  });

  it('can be restored for 30 days', async () => {
    let now = Date.UTC(2026, 0, 1);
    const { services, admin, post } = await openFeedback(await open(), { now: () => now });
    const [first, second] = [await post({ title: 'First' }), await post({ title: 'Second' })];
    await services.posts.delete(admin, first);
    await services.posts.delete(admin, second);
    expect(await refusalOf(services.posts.delete(admin, first))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(services.posts.update(admin, first, { title: 'x' }))).toMatchObject({
      code: 'conflict',
    });
    expect((await services.posts.list(admin, { limit: 20 })).total).toBe(0);
    now += 29 * DAY_MS;
    expect(await services.posts.restore(admin, first)).toMatchObject({ deletedAt: null });
    now += 2 * DAY_MS;
    expect(await refusalOf(services.posts.restore(admin, second))).toMatchObject({ code: 'conflict' });
    expect((await services.posts.list(admin, { limit: 20 })).items.map(({ title }) => title)).toEqual([
      'First',
    ]);
  });

  it('of a visitor can be deleted by them only while nobody has dealt with them', async () => {
    const { services, admin, member, visitor, post } = await openFeedback(await open());
    const mine = () => post({ by: visitor });
    await services.posts.delete(visitor, await mine());
    const voted = await mine();
    await services.votes.set(visitor, voted, true);
    await services.votes.set(member, voted, true);
    const commented = await mine();
    await services.comments.create(visitor, commented, { content: 'Any news?' });
    const answered = await mine();
    await services.posts.update(admin, answered, { officialResponse: 'Soon' });
    for (const id of [voted, commented, answered]) {
      expect(await refusalOf(services.posts.delete(visitor, id))).toMatchObject({ code: 'forbidden' });
    }
    expect(await refusalOf(services.posts.delete(visitor, await post()))).toMatchObject({
      code: 'not_found',
    });
  });

  it('are for the team to list, read and change', async () => {
    const { services, member, visitor, post } = await openFeedback(await open());
    const id = await post();
    const refused = [
      services.posts.list(visitor, { limit: 20 }),
      services.posts.get(visitor, id),
      services.posts.update(visitor, id, { title: 'x' }),
      services.posts.restore(visitor, id),
      services.posts.list(member, { limit: 20, showDeleted: true }),
    ].map((work) => refusalOf(work));
    for (const refusal of await Promise.all(refused)) expect(refusal).toMatchObject({ code: 'forbidden' });
  });

  it('of another organization look unknown', async () => {
    const store = await open();
    const ours = await openFeedback(store);
    const theirs = await openFeedback(store, { slug: 'globex' });
    const foreign = await theirs.post();
    const unknown = typeId('post');
    for (const work of [
      (id: string) => ours.services.posts.get(ours.admin, id),
      (id: string) => ours.services.posts.update(ours.admin, id, { title: 'x' }),
      (id: string) => ours.services.posts.delete(ours.admin, id),
      (id: string) => ours.services.posts.restore(ours.admin, id),
    ]) {
      expect(await refusalOf(work(foreign))).toEqual(await refusalOf(work(unknown)));
    }
    expect((await ours.services.posts.list(ours.admin, { limit: 20 })).total).toBe(0);
    expect((await ours.services.posts.list(ours.admin, { limit: 20, search: 'dark' })).total).toBe(0);
  });
});
