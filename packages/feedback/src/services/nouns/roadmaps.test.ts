import { typeId } from '@parley/kit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeCursor } from '../../cursor.ts';
import { Stale } from '../../faults.ts';
import { Roadmap, RoadmapPost } from '../../shapes/nouns.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

/** A roadmap with posts on it, in order. */
async function planned(feedback: TestFeedback, count: number) {
  const { services, admin, member, post } = feedback;
  const { id } = await services.roadmaps.create(admin, { name: 'Next' });
  const posts = [];
  for (let index = 0; index < count; index += 1) {
    posts.push(await post({ title: `Post ${index}` }));
    await services.roadmaps.addPost(member, id, posts.at(-1) ?? '');
  }
  const order = async () =>
    (await services.roadmaps.posts(member, id, { limit: 100 })).items.map((each) => each.id);
  return { id, posts, order };
}

onBothEngines('roadmaps', (open, engine) => {
  it('are made by administrators and listed by position', async () => {
    const { services, admin, member } = await openFeedback(await open());
    const [first, second] = [
      await services.roadmaps.create(admin, { name: 'This Year' }),
      await services.roadmaps.create(admin, { name: 'This Year', description: 'More', isPublic: false }),
    ];
    expect(Roadmap.parse(first)).toEqual(first);
    expect(first).toMatchObject({ slug: 'this-year', description: null, isPublic: true, position: 0 });
    expect(second).toMatchObject({ slug: 'this-year-2', description: 'More', isPublic: false, position: 1 });
    expect(await services.roadmaps.get(member, second.id)).toEqual(second);
    const moved = await services.roadmaps.update(admin, first.id, { position: 5, name: 'Later' });
    expect(moved).toEqual({ ...first, position: 5, name: 'Later', updatedAt: moved.updatedAt });
    expect((await services.roadmaps.list(member)).map(({ id }) => id)).toEqual([second.id, first.id]);
  });

  it('have slugs of their own', async () => {
    const { services, admin } = await openFeedback(await open());
    await services.roadmaps.create(admin, { name: 'Next' });
    const other = await services.roadmaps.create(admin, { name: 'Other' });
    const taken = { code: 'conflict', message: 'A roadmap with the slug "next" exists already' };
    expect(await refusalOf(services.roadmaps.create(admin, { name: 'X', slug: 'next' }))).toEqual(taken);
    expect(await refusalOf(services.roadmaps.update(admin, other.id, { slug: 'next' }))).toEqual(taken);
    const refused = services.roadmaps.update(admin, other.id, { name: 'X' }, () => {
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    expect(await services.roadmaps.get(admin, other.id)).toEqual(other);
  });

  it('take posts at the end, each once, and say so in the activity', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    const { id, posts, order } = await planned(feedback, 2);
    const added = await services.roadmaps.addPost(member, id, await feedback.post({ title: 'Last' }));
    expect(RoadmapPost.parse(added)).toEqual(added);
    expect(added).toMatchObject({ title: 'Last', voteCount: 0, board: { name: 'Ideas' }, position: 2 });
    expect(await order()).toEqual([...posts, added.id]);
    expect(await refusalOf(services.roadmaps.addPost(member, id, added.id))).toEqual({
      code: 'conflict',
      message: 'This post is on the roadmap already',
    });
    expect(await services.posts.get(member, added.id)).toMatchObject({ roadmapIds: [id] });
    await services.roadmaps.removePost(member, id, added.id);
    const { items } = await services.activity.list(member, added.id, { limit: 20 });
    expect(
      items
        .filter(({ action }) => action.startsWith('roadmap'))
        .map(({ action, from, to }) => ({ action, from, to })),
    ).toEqual(
      expect.arrayContaining([
        { action: 'roadmap_removed', from: id, to: null },
        { action: 'roadmap_added', from: null, to: id },
      ]),
    );
    expect(await order()).toEqual(posts);
  });

  it('take each post once when several add at the same time', async () => {
    const feedback = await openFeedback(await open());
    const { services, member, post } = feedback;
    const { id } = await planned(feedback, 0);
    const posts = [];
    for (let count = 0; count < 4; count += 1) posts.push(await post());
    const added = await Promise.allSettled(
      [...posts, ...posts].map((postId) => services.roadmaps.addPost(member, id, postId)),
    );
    expect(added.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    const { items } = await services.roadmaps.posts(member, id, { limit: 100 });
    expect(items.map(({ position }) => position)).toEqual([0, 1, 2, 3]);
  });

  it('move a post as in a list, whatever is moved and removed', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    const { id, posts, order } = await planned(feedback, 6);
    const model = [...posts];
    const move = fc.record({ from: fc.nat(5), to: fc.nat(5) });
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 5 }), async (moves) => {
        for (const { from, to } of moves) {
          const postId = model[from] ?? '';
          model.splice(from, 1);
          model.splice(to, 0, postId);
          expect(await services.roadmaps.movePost(member, id, postId, to)).toMatchObject({ position: to });
        }
        expect(await order()).toEqual(model);
      }),
      { numRuns: engine === 'sqlite' ? 25 : 10 },
    );
    expect(await services.roadmaps.movePost(member, id, model[0] ?? '', 1_000_000)).toMatchObject({
      position: 5,
    });
    model.push(model.shift() ?? '');
    await services.roadmaps.removePost(member, id, model[2] ?? '');
    model.splice(2, 1);
    await services.roadmaps.movePost(member, id, model[4] ?? '', 0);
    model.unshift(model.pop() ?? '');
    expect(await order()).toEqual(model);
  });

  it('keep their positions apart when several move at the same time', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    const { id, posts } = await planned(feedback, 5);
    await Promise.all(
      posts.map((postId, index) => services.roadmaps.movePost(member, id, postId, 4 - index)),
    );
    const { items } = await services.roadmaps.posts(member, id, { limit: 100 });
    expect(items.map(({ position }) => position)).toEqual([0, 1, 2, 3, 4]);
  });

  it('are paged, by column when a status is asked for', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    const { id, posts } = await planned(feedback, 5);
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await services.roadmaps.posts(member, id, { limit: 2, cursor });
      expect(page.total).toBe(5);
      seen.push(...page.items.map((each) => each.id));
      cursor = page.cursor ?? undefined;
      expect(page.hasMore).toBe(cursor !== undefined);
    } while (cursor !== undefined);
    expect(seen).toEqual(posts);
    const done = (await services.statuses.list(member)).find(({ slug }) => slug === 'complete')?.id ?? '';
    await services.posts.update(member, posts[3] ?? '', { statusId: done });
    const column = await services.roadmaps.posts(member, id, { statusId: done, limit: 20 });
    expect(column).toMatchObject({ items: [{ id: posts[3], statusId: done, position: 3 }], total: 1 });
    const byName = await services.roadmaps.posts(member, 'next', { statusId: 'Complete', limit: 20 });
    expect(byName.items).toEqual(column.items);
    const none = services.roadmaps.posts(member, id, { statusId: typeId('status'), limit: 20 });
    expect((await refusalOf(none)).message).toMatch(
      /^statusId: there is no status "status_\w+". Use one of: open, /,
    );
  });

  it('refuse cursors of other queries, and made-up ones without a fault', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member } = feedback;
    const { id } = await planned(feedback, 3);
    const other = await services.roadmaps.create(admin, { name: 'Other' });
    const { cursor } = await services.roadmaps.posts(member, id, { limit: 1 });
    const ask = (roadmapId: string, text: string) =>
      refusalOf(services.roadmaps.posts(member, roadmapId, { limit: 1, cursor: text }));
    for (const [on, text] of [
      [other.id, cursor ?? ''],
      [id, 'x'],
      [id, `${cursor}x`],
    ] as const)
      expect(await ask(on, text)).toMatchObject({ code: 'invalid' });
    const scope = { entity: 'roadmap_posts', sort: 'position', filter: { roadmapId: id } };
    for (const position of [
      { key: 'a', id: 'b' },
      { key: 1.5, id: 'b' },
      { key: 1, id: '\0' },
    ])
      expect(await ask(id, encodeCursor(scope, position))).toMatchObject({ code: 'invalid' });
    const far = encodeCursor(scope, { key: 2 ** 50, id: 'b' });
    expect((await services.roadmaps.posts(member, id, { limit: 1, cursor: far })).items).toEqual([]);
  });

  it('show and take listed posts only', async () => {
    const feedback = await openFeedback(await open());
    const { services, member, post } = feedback;
    const { id, posts, order } = await planned(feedback, 3);
    const [kept = '', merged = '', deleted = ''] = posts;
    await services.merges.merge(member, { duplicatePostId: merged, canonicalPostId: kept });
    await services.posts.delete(member, deleted);
    expect(await order()).toEqual([kept]);
    expect(await refusalOf(services.roadmaps.movePost(member, id, deleted, 0))).toEqual({
      code: 'not_found',
      message: 'Roadmap entry not found',
    });
    await services.roadmaps.removePost(member, id, merged);
    expect(await refusalOf(services.roadmaps.addPost(member, id, merged))).toEqual({
      code: 'conflict',
      message: `This post is merged into ${kept}. Add that one instead.`,
    });
    const gone = await post();
    await services.posts.delete(member, gone);
    expect(await refusalOf(services.roadmaps.addPost(member, id, gone))).toMatchObject({ code: 'conflict' });
    await services.posts.restore(member, deleted);
    expect(await order()).toEqual([kept, deleted]);
  });

  it('say what is not there', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member, post } = feedback;
    const { id } = await planned(feedback, 1);
    const postId = await post();
    const entry = { code: 'not_found', message: 'Roadmap entry not found' };
    expect(await refusalOf(services.roadmaps.movePost(member, id, postId, 0))).toEqual(entry);
    expect(await refusalOf(services.roadmaps.removePost(member, id, postId))).toEqual(entry);
    expect(await refusalOf(services.roadmaps.addPost(member, id, typeId('post')))).toEqual({
      code: 'not_found',
      message: 'Post not found',
    });
    const absent = typeId('roadmap');
    const gone = { code: 'not_found', message: 'Roadmap not found' };
    for (const work of [
      () => services.roadmaps.get(admin, absent),
      () => services.roadmaps.update(admin, absent, { name: 'X' }),
      () => services.roadmaps.delete(admin, absent),
      () => services.roadmaps.posts(member, absent, { limit: 1 }),
      () => services.roadmaps.addPost(member, absent, postId),
      () => services.roadmaps.movePost(member, absent, postId, 0),
      () => services.roadmaps.removePost(member, absent, postId),
    ])
      expect(await refusalOf(work())).toEqual(gone);
  });

  it('that are deleted leave their posts where they are', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member } = feedback;
    const { id, posts } = await planned(feedback, 1);
    await services.roadmaps.delete(admin, id);
    expect(await services.roadmaps.list(admin)).toEqual([]);
    expect(await services.posts.get(member, posts[0] ?? '')).toMatchObject({ roadmapIds: [] });
  });
});
