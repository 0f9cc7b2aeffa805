import { typeId } from '@parley/kit';
import { expect, it } from 'vitest';
import { Stale } from '../../faults.ts';
import { Board } from '../../shapes/nouns.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('boards', (open) => {
  it('are made with a slug of their name, and have what the model says', async () => {
    const { services, admin, member } = await openFeedback(await open());
    const made = await services.boards.create(admin, { name: 'Feature Requests' });
    expect(Board.parse(made)).toEqual(made);
    expect(made).toMatchObject({
      name: 'Feature Requests',
      slug: 'feature-requests',
      description: null,
      isPublic: true,
      settings: {},
      postCount: 0,
    });
    expect(await services.boards.get(member, made.id)).toEqual(made);
    expect(await services.boards.list(member)).toEqual([made]);
  });

  it('get a numbered slug when it is made from the name, and a refusal when it was given', async () => {
    const { services, admin } = await openFeedback(await open());
    const slugs = [];
    for (let count = 0; count < 3; count += 1)
      slugs.push((await services.boards.create(admin, { name: 'Ideas' })).slug);
    expect(slugs).toEqual(['ideas', 'ideas-2', 'ideas-3']);
    expect(await refusalOf(services.boards.create(admin, { name: 'More', slug: 'ideas' }))).toEqual({
      code: 'conflict',
      message: 'A board with the slug "ideas" exists already',
    });
    expect(await services.boards.list(admin)).toHaveLength(3);
  });

  it('of the same name made at the same time all get a slug of their own', async () => {
    const { services, admin } = await openFeedback(await open());
    const made = await Promise.all(
      Array.from({ length: 8 }, () => services.boards.create(admin, { name: 'Ideas' })),
    );
    expect(new Set(made.map(({ slug }) => slug)).size).toBe(8);
  });

  it('change only in what is given', async () => {
    const { services, admin } = await openFeedback(await open());
    const before = await services.boards.create(admin, {
      name: 'Ideas',
      description: 'Anything',
      isPublic: false,
      settings: { moderation: true },
    });
    const after = await services.boards.update(admin, before.id, { name: 'Bugs', description: null });
    expect(after).toEqual({ ...before, name: 'Bugs', description: null, updatedAt: after.updatedAt });
    expect(Date.parse(after.updatedAt)).toBeGreaterThan(Date.parse(before.updatedAt));
    expect(await services.boards.update(admin, before.id, { isPublic: true, settings: {} })).toMatchObject({
      slug: 'ideas',
      isPublic: true,
      settings: {},
    });
  });

  it('cannot take the slug of another board, and keep everything when they try', async () => {
    const { services, admin } = await openFeedback(await open());
    await services.boards.create(admin, { name: 'Ideas' });
    const bugs = await services.boards.create(admin, { name: 'Bugs' });
    const refusal = await refusalOf(services.boards.update(admin, bugs.id, { name: 'X', slug: 'ideas' }));
    expect(refusal).toEqual({ code: 'conflict', message: 'A board with the slug "ideas" exists already' });
    expect(await services.boards.get(admin, bugs.id)).toEqual(bugs);
  });

  it('are not changed when the caller holds an older one', async () => {
    const { services, admin } = await openFeedback(await open());
    const before = await services.boards.create(admin, { name: 'Ideas' });
    const check = (current: Board) => {
      expect(current).toEqual(before);
      throw new Stale();
    };
    await expect(services.boards.update(admin, before.id, { name: 'X' }, check)).rejects.toThrow(Stale);
    expect(await services.boards.get(admin, before.id)).toEqual(before);
  });

  it('let only one of two changes through that start from the same state', async () => {
    const { services, admin } = await openFeedback(await open());
    const before = await services.boards.create(admin, { name: 'Ideas' });
    const check = (current: Board) => {
      if (current.updatedAt !== before.updatedAt) throw new Stale();
    };
    const both = await Promise.allSettled([
      services.boards.update(admin, before.id, { name: 'One' }, check),
      services.boards.update(admin, before.id, { name: 'Two' }, check),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('count their listed posts', async () => {
    const { services, admin, member, post, board } = await openFeedback(await open());
    const boardId = await board();
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push(await post({ boardId }));
    await services.posts.delete(member, ids[0] ?? '');
    await services.merges.merge(member, { duplicatePostId: ids[1] ?? '', canonicalPostId: ids[2] ?? '' });
    expect(await services.boards.get(admin, boardId)).toMatchObject({ postCount: 2 });
    const listed = (await services.boards.list(admin)).find(({ id }) => id === boardId);
    expect(listed).toMatchObject({ postCount: 2 });
  });

  it('go when they are empty, and give their slug back', async () => {
    const { services, admin } = await openFeedback(await open());
    const { id } = await services.boards.create(admin, { name: 'Ideas' });
    await services.boards.delete(admin, id);
    const gone = { code: 'not_found', message: 'Board not found' };
    expect(await refusalOf(services.boards.get(admin, id))).toEqual(gone);
    expect(await refusalOf(services.boards.delete(admin, id))).toEqual(gone);
    expect(await refusalOf(services.boards.update(admin, id, { name: 'X' }))).toEqual(gone);
    expect(await services.boards.list(admin)).toEqual([]);
    expect((await services.boards.create(admin, { name: 'Ideas' })).slug).toBe('ideas');
  });

  it('with posts stay, unless the posts may go too', async () => {
    const { services, admin, member, post, board, published } = await openFeedback(await open());
    const boardId = await board();
    const other = await post();
    const ids = [await post({ boardId }), await post({ boardId })].toSorted();
    expect(await refusalOf(services.boards.delete(admin, boardId))).toEqual({
      code: 'conflict',
      message: 'This board has 2 posts. Move them to another board first, or delete it with cascade=true.',
    });
    expect(await services.boards.get(admin, boardId)).toMatchObject({ postCount: 2 });
    await services.boards.delete(admin, boardId, { cascade: true });
    for (const id of ids) {
      expect((await services.posts.get(member, id)).deletedAt).not.toBeNull();
      const { items } = await services.activity.list(member, id, { limit: 20 });
      expect(items.map(({ action }) => action)).toContain('deleted');
    }
    expect((await services.posts.list(member, { limit: 20 })).items.map(({ id }) => id)).toEqual([other]);
    const deleted = (await published()).filter(({ type }) => type === 'post.deleted');
    expect(deleted).toEqual(
      ids.map((postId) => ({ type: 'post.deleted', subject: postId, data: { postId, boardId } })),
    );
    expect(await refusalOf(services.posts.restore(member, ids[0] ?? ''))).toMatchObject({ code: 'conflict' });
  });

  it('whose posts are all deleted can go without asking', async () => {
    const { services, admin, member, post, board } = await openFeedback(await open());
    const boardId = await board();
    await services.posts.delete(member, await post({ boardId }));
    await services.boards.delete(admin, boardId);
    expect(await refusalOf(services.boards.get(admin, boardId))).toMatchObject({ code: 'not_found' });
  });

  it('tell readers when they change', async () => {
    const store = await open();
    const { services, admin, organizationId } = await openFeedback(store);
    const told: unknown[] = [];
    const stop = store.signal.subscribe('feedback.boards', ({ payload }) => told.push(payload));
    const { id } = await services.boards.create(admin, { name: 'Ideas' });
    await services.boards.update(admin, id, { name: 'Bugs' });
    await services.boards.delete(admin, id);
    await expect.poll(() => told).toEqual([organizationId, organizationId, organizationId]);
    stop();
  });

  it('say what is wrong with an id before they look', async () => {
    const { services, admin } = await openFeedback(await open());
    const postId = typeId('post');
    expect(await refusalOf(services.boards.get(admin, postId))).toEqual({
      code: 'invalid',
      message: `Invalid board ID format: expected board_ followed by 26 characters, got "${postId}" (that is a post ID)`,
    });
  });
});
