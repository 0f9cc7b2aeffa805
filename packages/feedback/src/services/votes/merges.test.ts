/** Merging: one idea with the votes and comments of all its posts, and a way back that loses nothing. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

async function postsOf({ post }: TestFeedback) {
  return [await post({ title: 'A' }), await post({ title: 'B' }), await post({ title: 'C' })] as const;
}

/** Everything ends well or with a conflict; above all, nothing ends because two waited for each other. */
async function allButConflicts(work: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(work);
  const refused = settled.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'conflict' });
}

onBothEngines('merges', (open) => {
  test('votes are united without doubles and comments are shown together', async () => {
    const place = await openFeedback(await open());
    const { services, admin, member, visitor } = place;
    const [duplicate, canonical] = await postsOf(place);
    for (const actor of [member, visitor]) await services.votes.set(actor, duplicate, true);
    for (const actor of [member, admin]) await services.votes.set(actor, canonical, true);
    const below = await services.comments.create(visitor, duplicate, { content: 'From below' });
    await services.comments.create(member, canonical, { content: 'From above' });
    const merged = await services.merges.merge(member, {
      duplicatePostId: duplicate,
      canonicalPostId: canonical,
    });
    expect(merged).toMatchObject({ id: canonical, voteCount: 3, commentCount: 2, mergedIntoId: null });
    expect(await services.posts.get(member, duplicate)).toMatchObject({
      mergedIntoId: canonical,
      voteCount: 2,
    });
    const tree = await services.comments.tree(member, canonical);
    expect(new Map(tree.map(({ postId, content }) => [postId, content]))).toEqual(
      new Map([
        [duplicate, 'From below'],
        [canonical, 'From above'],
      ]),
    );
    const voters = await services.votes.voters(member, canonical, { limit: 20 });
    expect(voters.items).toHaveLength(3);
    expect(new Set(voters.items.map(({ name }) => name))).toEqual(
      new Set(['Ada Admin', 'Mia Member', 'Vic Visitor']),
    );
    const listed = await services.posts.list(member, { limit: 20 });
    expect(listed.items.map(({ id }) => id)).not.toContain(duplicate);
    const reply = await services.comments.create(admin, canonical, { content: 'Seen', parentId: below.id });
    expect(reply.postId).toBe(duplicate);
    expect(await services.posts.get(member, canonical)).toMatchObject({ commentCount: 3 });
    expect(await services.posts.get(member, duplicate)).toMatchObject({ commentCount: 2 });
  });

  test('a merge is announced once and noted on both posts', async () => {
    const place = await openFeedback(await open());
    const { services, member } = place;
    const [duplicatePostId, canonicalPostId] = await postsOf(place);
    await services.merges.merge(member, { duplicatePostId, canonicalPostId });
    await services.merges.unmerge(member, duplicatePostId);
    const announced = (await place.published()).filter(({ type }) => type === 'post.merged');
    expect(announced).toMatchObject([
      { subject: duplicatePostId, data: { duplicatePostId, canonicalPostId, post: { id: duplicatePostId } } },
    ]);
    const linesOf = async (id: string) => {
      const { items } = await services.activity.list(member, id, { limit: 20 });
      return items.map(({ action, from, to }) => [action, from, to]);
    };
    expect(await linesOf(duplicatePostId)).toEqual(
      expect.arrayContaining([
        ['merged', null, canonicalPostId],
        ['unmerged', canonicalPostId, null],
      ]),
    );
    expect(await linesOf(canonicalPostId)).toEqual(
      expect.arrayContaining([
        ['duplicate_added', null, duplicatePostId],
        ['duplicate_removed', duplicatePostId, null],
      ]),
    );
  });

  test('what cannot be merged is refused and stays as it was', async () => {
    const store = await open();
    const place = await openFeedback(store);
    const foreign = await (await openFeedback(store, { slug: 'other' })).post();
    const { services, member, visitor } = place;
    const [a, b, c] = await postsOf(place);
    const gone = await place.post();
    await services.posts.delete(member, gone);
    const merge = (duplicatePostId: string, canonicalPostId: string, by = member) =>
      services.merges.merge(by, { duplicatePostId, canonicalPostId });
    await merge(a, b);
    const before = await services.posts.get(member, b);
    expect(await refusalOf(merge(c, c))).toMatchObject({ code: 'conflict' });
    expect((await refusalOf(merge(a, c))).message).toContain(`already merged into ${b}`);
    expect(await refusalOf(merge(c, a))).toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(b),
    });
    expect(await refusalOf(merge(b, a))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(merge(gone, c))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(merge(c, gone))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(merge(c, b, visitor))).toMatchObject({ code: 'forbidden' });
    expect(await refusalOf(services.merges.unmerge(visitor, a))).toMatchObject({ code: 'forbidden' });
    expect(await refusalOf(services.merges.unmerge(member, c))).toEqual({
      code: 'conflict',
      message: 'This post is not merged.',
    });
    for (const id of [foreign, typeId('post', 0)]) {
      const missing = { code: 'not_found', message: 'Post not found' };
      expect(await refusalOf(merge(id, c))).toEqual(missing);
      expect(await refusalOf(merge(c, id))).toEqual(missing);
      expect(await refusalOf(services.merges.unmerge(member, id))).toEqual(missing);
    }
    expect(await services.posts.get(member, b)).toEqual(before);
    expect(await services.posts.get(member, c)).toMatchObject({ mergedIntoId: null });
  });

  test('a canonical post can be merged itself, and freed with all that is below it', async () => {
    const place = await openFeedback(await open());
    const { services, member, visitor, admin } = place;
    const [low, middle, top] = await postsOf(place);
    await services.votes.set(visitor, low, true);
    await services.comments.create(visitor, low, { content: 'Low' });
    await services.votes.set(admin, middle, true);
    await services.merges.merge(member, { duplicatePostId: low, canonicalPostId: middle });
    const before = await services.posts.get(member, middle);
    const raised = await services.merges.merge(member, { duplicatePostId: middle, canonicalPostId: top });
    expect(raised).toMatchObject({ voteCount: 2, commentCount: 1 });
    const free = await services.merges.unmerge(member, low);
    expect(free).toMatchObject({ id: low, voteCount: 1, commentCount: 1, mergedIntoId: null });
    expect(await services.posts.get(member, middle)).toMatchObject({ voteCount: 1, commentCount: 0 });
    expect(await services.posts.get(member, top)).toMatchObject({ voteCount: 1, commentCount: 0 });
    await services.merges.unmerge(member, middle);
    await services.merges.merge(member, { duplicatePostId: low, canonicalPostId: middle });
    const after = await services.posts.get(member, middle);
    expect({ ...after, updatedAt: '' }).toEqual({ ...before, updatedAt: '' });
  });

  test('whoever withdraws from the canonical post withdraws from its duplicates', async () => {
    const place = await openFeedback(await open());
    const { services, member, visitor } = place;
    const [low, middle, top] = await postsOf(place);
    for (const id of [low, middle]) await services.votes.set(visitor, id, true);
    await services.merges.merge(member, { duplicatePostId: low, canonicalPostId: middle });
    await services.merges.merge(member, { duplicatePostId: middle, canonicalPostId: top });
    expect(await services.votes.set(visitor, top, true)).toEqual({ voted: true, voteCount: 1 });
    expect(await services.votes.toggle(visitor, top)).toEqual({ voted: false, voteCount: 0 });
    await services.merges.unmerge(member, middle);
    await services.merges.unmerge(member, low);
    for (const id of [low, middle, top]) {
      expect(await services.posts.get(member, id)).toMatchObject({ voteCount: 0 });
    }
  });

  test('a merge that reaches a round number announces it', async () => {
    const place = await openFeedback(await open());
    const { services, member, visitor } = place;
    const [a, b] = await postsOf(place);
    for (let index = 0; index < 12; index += 1) {
      const actor = { ...visitor, memberId: typeId('mem') };
      await services.votes.set(actor, index < 6 ? a : b, true);
    }
    await services.merges.merge(member, { duplicatePostId: a, canonicalPostId: b });
    const announced = (await place.published()).filter(({ type }) => type === 'post.vote_threshold');
    expect(announced).toMatchObject([{ subject: b, data: { threshold: 10, voteCount: 12 } }]);
  });

  test('comments from a board that is not public stay hidden from visitors of the canonical post', async () => {
    const place = await openFeedback(await open());
    const { services, member, visitor, admin } = place;
    const { id: boardId } = await services.boards.create(admin, { name: 'Inside', isPublic: false });
    const inside = await place.post({ boardId });
    const outside = await place.post();
    const said = await services.comments.create(member, inside, { content: 'Inside' });
    await services.merges.merge(member, { duplicatePostId: inside, canonicalPostId: outside });
    expect(await services.comments.tree(member, outside)).toMatchObject([{ id: said.id }]);
    expect(await services.comments.tree(visitor, outside)).toEqual([]);
    expect(await refusalOf(services.comments.get(visitor, said.id))).toMatchObject({ code: 'not_found' });
  });

  test('merges, votes and comments at the same time neither block nor miscount', async () => {
    const place = await openFeedback(await open());
    const { services, member, visitor } = place;
    const ids = await postsOf(place);
    const pairs = ids.flatMap((a) => ids.filter((b) => b !== a).map((b) => [a, b] as const));
    for (let round = 0; round < 4; round += 1) {
      await allButConflicts([
        ...pairs.map(([duplicatePostId, canonicalPostId]) =>
          services.merges.merge(member, { duplicatePostId, canonicalPostId }),
        ),
        ...ids.map((id) => services.comments.create(visitor, id, { content: 'Hi' })),
        ...ids.map((id) => services.votes.toggle(visitor, id)),
        ...ids.map((id) => services.votes.toggle(member, id)),
        ...ids.map((id) => services.merges.unmerge(member, id)),
      ]);
      const trees = await Promise.all(ids.map((id) => services.comments.tree(member, id)));
      const said = new Set(trees.flat().map(({ id }) => id));
      await allButConflicts([
        ...[...said].slice(0, 2).map((id) => services.comments.delete(member, id)),
        ...ids.map((id) => services.merges.unmerge(member, id)),
        ...ids.map((id) => services.votes.toggle(visitor, id)),
      ]);
    }
    for (const id of ids) {
      const { voteCount, commentCount } = await services.posts.get(member, id);
      const voters = await services.votes.voters(member, id, { limit: 100 });
      expect(voters.items).toHaveLength(voteCount);
      expect(await services.comments.tree(member, id)).toHaveLength(commentCount);
    }
  });
});
