import { typeId } from '@parley/kit';
import { onBothEngines } from '../../testing/engines.ts';
import { expect, it } from 'vitest';
import type { Store } from '@parley/store';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';

async function openModerated(store: Store) {
  let now = Date.UTC(2026, 0, 1);
  const feedback = await openFeedback(store, { now: () => (now += 1000) });
  const { services, admin, visitor } = feedback;
  const board = await services.boards.create(admin, { name: 'Careful', settings: { moderation: true } });
  const submit = async (title: string) =>
    (await services.visitors.submit(visitor, { boardId: board.id, title })).id;
  const types = async () => (await feedback.published()).map(({ type }) => type);
  return { ...feedback, boardId: board.id, submit, types };
}

onBothEngines('moderation', (open) => {
  it('holds a post back until the team publishes it, and announces it then, once', async () => {
    const { services, member, boardId, submit, types, published } = await openModerated(await open());
    const id = await submit('Waiting');
    expect(await types()).toEqual([]);
    expect(await services.posts.list(member, { limit: 20 })).toMatchObject({ items: [], total: 0 });
    const queue = await services.moderation.queue(member, { limit: 20 });
    expect(queue).toMatchObject({ items: [{ id, title: 'Waiting', boardId }], total: 1, hasMore: false });

    expect(await services.moderation.set(member, id, 'published')).toMatchObject({ id, title: 'Waiting' });
    expect(await published()).toMatchObject([
      { type: 'post.created', subject: id, data: { post: { id, title: 'Waiting' } } },
    ]);
    expect(JSON.stringify(await published())).not.toContain('@');
    expect(await services.moderation.queue(member, { limit: 20 })).toMatchObject({ items: [], total: 0 });
    expect(await services.posts.list(member, { limit: 20 })).toMatchObject({ items: [{ id }], total: 1 });

    for (const state of ['archived', 'published', 'pending', 'published', 'published'] as const)
      await services.moderation.set(member, id, state);
    expect(await types()).toEqual(['post.created']);
    const { items } = await services.activity.list(member, id, { limit: 20 });
    expect(items.map(({ action, from, to }) => `${action} ${from} ${to}`)).toEqual([
      'moderation_changed pending published',
      'moderation_changed published pending',
      'moderation_changed archived published',
      'moderation_changed published archived',
      'moderation_changed pending published',
      'created null null',
    ]);
  });

  it('announces what was taken for spam when it is published after all, and nothing before', async () => {
    const { services, admin, submit, types, boardId } = await openModerated(await open());
    const id = await submit('Cheap watches');
    const other = await services.posts.create(admin, { boardId, title: 'Other' });
    await services.moderation.set(admin, id, 'spam');
    expect((await services.moderation.queue(admin, { state: 'spam', limit: 5 })).items).toMatchObject([
      { id },
    ]);
    await services.posts.update(admin, id, { title: 'Watches', statusId: other.statusId ?? '' });
    await services.comments.create(admin, id, { content: 'Really?' });
    await services.votes.set(admin, id, true);
    const twin = await submit('Twin');
    await services.merges.merge(admin, { duplicatePostId: twin, canonicalPostId: id });
    await services.merges.unmerge(admin, twin);
    await services.posts.delete(admin, twin);
    expect(await types()).toEqual(['post.created']);
    await services.moderation.set(admin, id, 'published');
    await services.moderation.set(admin, id, 'spam');
    await services.posts.delete(admin, id);
    expect(await types()).toEqual(['post.created', 'post.created', 'post.deleted']);
  });

  it('says nothing of votes for a post that waits, and tells of the threshold later', async () => {
    const { services, admin, join, submit, types } = await openModerated(await open());
    const id = await submit('Popular');
    for (let index = 0; index < 10; index += 1) {
      const { memberId } = await join('user', `Fan ${index}`);
      await services.votes.proxy(admin, id, { memberId, voted: true });
    }
    expect(await types()).toEqual([]);
    await services.moderation.set(admin, id, 'published');
    await services.votes.set(admin, id, true);
    expect(await types()).toEqual(['post.created', 'post.vote_threshold']);
  });

  it('queues the newest first, page by page, per state and board', async () => {
    const { services, admin, boardId, submit, board } = await openModerated(await open());
    const ids = [await submit('One'), await submit('Two'), await submit('Three')];
    await services.moderation.set(admin, await submit('Spam'), 'spam');
    await services.posts.delete(admin, await submit('Gone'));
    const first = await services.moderation.queue(admin, { limit: 2, boardId });
    expect([first.items.map(({ id }) => id), first.total]).toEqual([[ids[2], ids[1]], 3]);
    const cursor = first.cursor ?? '';
    const second = await services.moderation.queue(admin, { limit: 2, boardId, cursor });
    expect([second.items.map(({ id }) => id), second.hasMore]).toEqual([[ids[0]], false]);
    const elsewhere = { limit: 2, state: 'spam', boardId, cursor } as const;
    expect((await refusalOf(services.moderation.queue(admin, elsewhere))).code).toBe('invalid');
    expect((await services.moderation.queue(admin, { limit: 2, boardId: await board() })).total).toBe(0);
  });

  it('is for the team, and knows what is deleted, merged, foreign or unknown', async () => {
    const store = await open();
    const { services, admin, visitor, submit, boardId } = await openModerated(store);
    const neighbour = await openFeedback(store, { slug: 'neighbour' });
    const id = await submit('Mine');
    expect((await refusalOf(services.moderation.queue(visitor, { limit: 5 }))).code).toBe('forbidden');
    expect((await refusalOf(services.moderation.set(visitor, id, 'published'))).code).toBe('forbidden');
    expect((await neighbour.services.moderation.queue(neighbour.admin, { limit: 5 })).total).toBe(0);
    const unknown = await refusalOf(services.moderation.set(admin, typeId('post'), 'spam'));
    expect(unknown).toEqual({ code: 'not_found', message: 'Post not found' });
    expect(await refusalOf(neighbour.services.moderation.set(neighbour.admin, id, 'spam'))).toEqual(unknown);
    const canonical = await services.posts.create(admin, { boardId, title: 'Canonical' });
    await services.merges.merge(admin, { duplicatePostId: id, canonicalPostId: canonical.id });
    expect((await refusalOf(services.moderation.set(admin, id, 'spam'))).message).toContain('Unmerge');
    expect((await services.moderation.queue(admin, { limit: 5 })).total).toBe(0);
    await services.posts.delete(admin, canonical.id);
    const gone = await refusalOf(services.moderation.set(admin, canonical.id, 'spam'));
    expect(gone).toEqual({ code: 'conflict', message: 'This post is deleted. Restore it first.' });
  });
});

onBothEngines('own posts', (open) => {
  it('can be edited by their author while nobody else has dealt with them', async () => {
    const { services, admin, visitor, join, board, types } = await openModerated(await open());
    const stranger = (await join('user', 'Sid Stranger')).actor;
    const boardId = await board();
    const { id } = await services.visitors.submit(visitor, { boardId, title: 'Dark', content: 'Please' });
    expect(await services.visitors.edit(visitor, id, { title: 'Dark mode' })).toEqual({
      id,
      isPending: false,
    });
    expect(await services.posts.get(admin, id)).toMatchObject({ title: 'Dark mode', content: 'Please' });
    expect((await services.posts.list(admin, { search: 'mode', limit: 5 })).total).toBe(1);
    await services.visitors.edit(visitor, id, { title: 'Dark mode', content: 'Please' });
    expect(await types()).toEqual(['post.created', 'post.updated']);

    const foreign = await refusalOf(services.visitors.edit(stranger, id, { title: 'Mine' }));
    expect(foreign).toEqual({ code: 'not_found', message: 'Post not found' });
    await services.votes.set(visitor, id, true);
    await services.visitors.edit(visitor, id, { content: '' });
    await services.votes.set(stranger, id, true);
    const touched = await refusalOf(services.visitors.edit(visitor, id, { title: 'Light mode' }));
    expect(touched).toEqual({
      code: 'forbidden',
      message: 'Others have already dealt with this post. Ask the team to change it.',
    });
    expect((await refusalOf(services.posts.delete(visitor, id))).message).toContain('to delete it');
    expect(await services.posts.get(admin, id)).toMatchObject({ title: 'Dark mode', content: '' });
  });

  it('wait for the team again when they are edited on a moderated board', async () => {
    const { services, admin, visitor, submit, types } = await openModerated(await open());
    const id = await submit('Nice idea');
    await services.visitors.edit(visitor, id, { title: 'Nicer idea' });
    await services.moderation.set(admin, id, 'published');
    expect(await services.visitors.edit(visitor, id, { title: 'Cheap watches' })).toEqual({
      id,
      isPending: true,
    });
    expect((await services.posts.list(admin, { limit: 5 })).total).toBe(0);
    expect((await services.moderation.queue(admin, { limit: 5 })).items).toMatchObject([
      { id, title: 'Cheap watches' },
    ]);
    expect(await types()).toEqual(['post.created']);
    await services.moderation.set(admin, id, 'spam');
    expect((await refusalOf(services.visitors.edit(visitor, id, { title: 'Again' }))).code).toBe('forbidden');
  });

  it('are out of reach on a board that is not public any more', async () => {
    const { services, admin, visitor, submit, boardId } = await openModerated(await open());
    const id = await submit('Mine');
    await services.boards.update(admin, boardId, { isPublic: false });
    expect((await refusalOf(services.visitors.edit(visitor, id, { title: 'x' }))).code).toBe('not_found');
  });
});
