/** Threads: what can be said where and by whom, what is seen, and what stays when something is deleted. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { CommentNode } from '../../shapes/posts.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const unknownId = typeId('comment', 0);

/** A clock that moves with every look, so that nothing happens at the same time. */
function ticking(): () => number {
  let nowMs = Date.UTC(2026, 0, 1);
  return () => (nowMs += 1);
}

interface Thread {
  readonly size: number;
  readonly parentOf: (index: number) => number | null;
  readonly isStub?: (index: number) => boolean;
}

/** Many comments at little cost, copied from one that the service made; returns their ids in order. */
async function insertThread(place: TestFeedback, postId: string, thread: Thread): Promise<string[]> {
  const { services, member, store, organizationId } = place;
  const { size, parentOf, isStub = () => false } = thread;
  const first = await services.comments.create(member, postId, { content: 'n0' });
  const db = store.db<FeedbackTables>();
  const row = await db
    .selectFrom('feedback_comments')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('id', '=', first.id)
    .executeTakeFirstOrThrow();
  const ids = [first.id, ...Array.from({ length: size - 1 }, () => typeId('comment'))];
  const rows = ids.map((id, index) => {
    const parent = parentOf(index);
    return {
      ...row,
      id,
      content: `n${index}`,
      parent_id: parent === null ? null : ids[parent]!,
      created_at: row.created_at + index,
      deleted_at: isStub(index) ? row.created_at : null,
    };
  });
  for (let at = 1; at < size; at += 500) {
    await db
      .insertInto('feedback_comments')
      .values(rows.slice(at, at + 500))
      .execute();
  }
  await db
    .updateTable('feedback_posts')
    .set({ comment_count: rows.filter(({ deleted_at }) => deleted_at === null).length })
    .where('organization_id', '=', organizationId)
    .where('id', '=', postId)
    .execute();
  return ids;
}

onBothEngines('comments', (open) => {
  test('a comment belongs to its author, trimmed, and the author is subscribed', async () => {
    const { services, member, organizationId, post, store, published } = await openFeedback(await open());
    const postId = await post({ title: 'Dark mode' });
    const made = await services.comments.create(member, postId, { content: '  Yes please \n' });
    expect(made).toEqual({
      id: expect.stringMatching(/^comment_/),
      postId,
      parentId: null,
      content: 'Yes please',
      authorName: 'Mia Member',
      memberId: fromIdentityId('member', member.memberId),
      isTeamMember: true,
      isPrivate: false,
      createdAt: expect.any(String),
      editedAt: null,
      deletedAt: null,
      reactions: [],
      replies: [],
    });
    const { replies: _replies, ...comment } = made;
    expect(await services.comments.get(member, made.id)).toEqual(comment);
    expect(await services.comments.tree(member, postId)).toEqual([made]);
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: 1 });
    const subscribed = await store
      .db<FeedbackTables>()
      .selectFrom('feedback_subscriptions')
      .select(['post_id', 'member_id'])
      .where('organization_id', '=', organizationId)
      .execute();
    expect(subscribed).toEqual([{ post_id: postId, member_id: member.memberId }]);
    expect((await published()).at(-1)).toMatchObject({
      type: 'comment.created',
      subject: postId,
      data: { comment: { id: made.id, content: 'Yes please' }, post: { id: postId, title: 'Dark mode' } },
    });
  });

  test('an agent is named together with whom it acts for', async () => {
    const { services, member, post } = await openFeedback(await open());
    const bot = { ...member, agentName: 'Triage bot' };
    const { authorName } = await services.comments.create(bot, await post(), { content: 'Seen' });
    expect(authorName).toBe('Triage bot for Mia Member');
  });

  test('what breaks a rule is refused and leaves nothing behind', async () => {
    const { services, member, visitor, post, published } = await openFeedback(await open());
    const [postId, other] = [await post(), await post({ title: 'Other' })];
    const elsewhere = await services.comments.create(member, other, { content: 'Elsewhere' });
    const before = (await published()).length;
    const say = (input: object, by = member) =>
      refusalOf(services.comments.create(by, postId, { content: 'Hi', ...input }));
    expect(await say({ content: ' \n ' })).toMatchObject({ code: 'invalid' });
    expect(await say({ content: 'a'.repeat(5001) })).toMatchObject({ code: 'invalid' });
    expect(await say({ content: 'a\0b' })).toMatchObject({ code: 'invalid' });
    expect(await say({ parentId: elsewhere.id })).toEqual({
      code: 'invalid',
      message: 'The parent comment belongs to another post',
    });
    expect(await say({ parentId: unknownId })).toEqual({
      code: 'invalid',
      message: 'Parent comment not found (INVALID_PARENT)',
    });
    expect((await say({ parentId: postId })).message).toContain('(that is a post ID)');
    expect(await say({ isPrivate: true }, visitor)).toMatchObject({ code: 'forbidden' });
    const nowhere = services.comments.create(member, typeId('post', 0), { content: 'Hi' });
    expect(await refusalOf(nowhere)).toEqual({ code: 'not_found', message: 'Post not found' });
    expect(await services.comments.tree(member, postId)).toEqual([]);
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: 0 });
    expect(await published()).toHaveLength(before);
    await services.comments.create(member, postId, { content: 'a'.repeat(5000) });
  });

  test('a deleted post takes no comments', async () => {
    const { services, member, visitor, post } = await openFeedback(await open());
    const postId = await post();
    await services.posts.delete(member, postId);
    const say = (by = member) => refusalOf(services.comments.create(by, postId, { content: 'Hi' }));
    expect(await say()).toMatchObject({ code: 'conflict' });
    expect(await say(visitor)).toEqual({ code: 'not_found', message: 'Post not found' });
  });

  test('a foreign comment answers like an unknown one', async () => {
    const store = await open();
    const here = await openFeedback(store);
    const there = await openFeedback(store, { slug: 'other' });
    const foreign = await there.services.comments.create(there.member, await there.post(), {
      content: 'Ours',
    });
    const { comments } = here.services;
    const postId = await here.post();
    for (const id of [foreign.id, unknownId]) {
      const missing = { code: 'not_found', message: 'Comment not found' };
      expect(await refusalOf(comments.get(here.admin, id))).toEqual(missing);
      expect(await refusalOf(comments.update(here.admin, id, { content: 'Mine' }))).toEqual(missing);
      expect(await refusalOf(comments.delete(here.admin, id))).toEqual(missing);
      expect(await refusalOf(comments.react(here.admin, id, '👍', true))).toEqual(missing);
      expect(await refusalOf(comments.pin(here.admin, postId, id))).toEqual(missing);
      const reply = comments.create(here.admin, postId, { content: 'Hi', parentId: id });
      expect((await refusalOf(reply)).message).toContain('INVALID_PARENT');
    }
    expect(await refusalOf(comments.tree(here.admin, foreign.postId))).toMatchObject({ code: 'not_found' });
    expect(await there.services.comments.get(there.member, foreign.id)).toMatchObject({ content: 'Ours' });
  });

  test('a private comment and what follows it exist for the team alone', async () => {
    const { services, admin, member, visitor, post, published } = await openFeedback(await open());
    const { comments } = services;
    const postId = await post();
    const question = await comments.create(visitor, postId, { content: 'Public' });
    const secret = await comments.create(member, postId, {
      content: 'Secret',
      parentId: question.id,
      isPrivate: true,
    });
    const reply = await comments.create(admin, postId, { content: 'Also secret', parentId: secret.id });
    expect([secret.isPrivate, reply.isPrivate, question.isTeamMember]).toEqual([true, true, false]);
    expect(JSON.stringify(await comments.tree(member, postId))).toContain('Also secret');
    expect(JSON.stringify(await comments.tree(visitor, postId))).not.toMatch(/secret/i);
    expect(JSON.stringify(await published())).not.toMatch(/secret/i);
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: 1 });
    const missing = { code: 'not_found', message: 'Comment not found' };
    expect(await refusalOf(comments.get(visitor, secret.id))).toEqual(missing);
    expect(await refusalOf(comments.react(visitor, secret.id, '👍', true))).toEqual(missing);
    const answer = comments.create(visitor, postId, { content: 'What?', parentId: secret.id });
    expect((await refusalOf(answer)).message).toBe('Parent comment not found (INVALID_PARENT)');
    expect(await refusalOf(comments.pin(member, postId, secret.id))).toMatchObject({ code: 'invalid' });
    // Its stub would tell visitors that there is something below it.
    await comments.delete(visitor, question.id);
    expect(await comments.tree(visitor, postId)).toEqual([]);
    expect(await comments.tree(member, postId)).toMatchObject([{ id: question.id, content: '[deleted]' }]);
  });

  test('visitors neither see nor touch what is said on a board that is not public', async () => {
    const { services, member, visitor, post, board, store, organizationId } = await openFeedback(
      await open(),
    );
    const boardId = await board();
    const postId = await post({ boardId });
    const said = await services.comments.create(member, postId, { content: 'Inside' });
    await store
      .db<FeedbackTables>()
      .updateTable('feedback_boards')
      .set({ is_public: 0 })
      .where('organization_id', '=', organizationId)
      .where('id', '=', boardId)
      .execute();
    for (const attempt of [
      () => services.comments.tree(visitor, postId),
      () => services.comments.get(visitor, said.id),
      () => services.comments.react(visitor, said.id, '👍', true),
      () => services.comments.create(visitor, postId, { content: 'Hi' }),
      () => services.votes.set(visitor, postId, true),
    ]) {
      expect(await refusalOf(attempt())).toMatchObject({ code: 'not_found' });
    }
  });

  test('the author and the team may change and delete, nobody else', async () => {
    const { services, member, visitor, join, post } = await openFeedback(await open());
    const { comments } = services;
    const postId = await post();
    const stranger = (await join('user', 'Another Visitor')).actor;
    const { id } = await comments.create(visitor, postId, { content: 'Frist' });
    expect(await refusalOf(comments.update(stranger, id, { content: 'x' }))).toMatchObject({
      code: 'forbidden',
    });
    expect(await refusalOf(comments.delete(stranger, id))).toMatchObject({ code: 'forbidden' });
    const changed = await comments.update(visitor, id, { content: ' First ' });
    expect(changed).toMatchObject({
      content: 'First',
      editedAt: expect.any(String),
      authorName: 'Vic Visitor',
    });
    expect(await comments.get(member, id)).toEqual(changed);
    expect(await refusalOf(comments.update(member, id, { content: ' ' }))).toMatchObject({ code: 'invalid' });
    const stale = comments.update(member, id, { content: 'Later' }, (current) => {
      expect(current).toEqual(changed);
      throw new Error('stale');
    });
    await expect(stale).rejects.toThrow('stale');
    expect(await comments.get(member, id)).toEqual(changed);
    await comments.update(member, id, { content: 'First!' });
    await comments.delete(member, id);
    expect(await comments.tree(member, postId)).toEqual([]);
  });

  test('a comment with replies leaves a stub, and the stub goes with its last reply', async () => {
    const { services, member, post } = await openFeedback(await open(), { now: ticking() });
    const { comments } = services;
    const postId = await post();
    const root = await comments.create(member, postId, { content: 'Root' });
    const middle = await comments.create(member, postId, { content: 'Middle', parentId: root.id });
    const leaf = await comments.create(member, postId, { content: 'Leaf', parentId: middle.id });
    await comments.react(member, root.id, '🎉', true);
    await comments.pin(member, postId, root.id);
    await comments.delete(member, root.id);
    await comments.delete(member, middle.id);
    const stub = {
      content: '[deleted]',
      authorName: null,
      memberId: null,
      isTeamMember: false,
      reactions: [],
      deletedAt: expect.any(String),
    };
    const [shown] = await comments.tree(member, postId);
    expect(shown).toMatchObject({ ...stub, id: root.id, replies: [{ ...stub, id: middle.id }] });
    expect(shown?.replies[0]?.replies).toMatchObject([{ id: leaf.id, content: 'Leaf' }]);
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: 1, pinnedComment: null });
    const missing = { code: 'not_found', message: 'Comment not found' };
    expect(await refusalOf(comments.get(member, root.id))).toEqual(missing);
    expect(await refusalOf(comments.delete(member, root.id))).toEqual(missing);
    const reply = comments.create(member, postId, { content: 'Hello?', parentId: root.id });
    expect((await refusalOf(reply)).message).toContain('INVALID_PARENT');
    await comments.delete(member, leaf.id);
    expect(await comments.tree(member, postId)).toEqual([]);
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: 0 });
  });

  test('reactions count once per person and emoji', async () => {
    const { services, member, visitor, post } = await openFeedback(await open());
    const { comments } = services;
    const { id } = await comments.create(member, await post(), { content: 'Done' });
    await comments.react(visitor, id, '👀', true);
    await comments.react(visitor, id, '❤', true);
    await comments.react(visitor, id, '❤️', true);
    const both = [
      { emoji: '❤️', count: 2, hasReacted: true },
      { emoji: '👀', count: 1, hasReacted: false },
    ];
    expect(await comments.react(member, id, '❤️', true)).toEqual(both);
    expect(await comments.get(member, id)).toMatchObject({ reactions: both });
    expect(await comments.react(visitor, id, '❤️', false)).toEqual([
      { emoji: '❤️', count: 1, hasReacted: false },
      { emoji: '👀', count: 1, hasReacted: true },
    ]);
    expect(await comments.react(visitor, id, '🎉', false)).toHaveLength(2);
    expect(await refusalOf(comments.react(visitor, id, '💩', true))).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('👍'),
    });
  });

  test('only the team pins, and only an own comment of the post by the team', async () => {
    const { services, member, visitor, post } = await openFeedback(await open());
    const { comments } = services;
    const [postId, other] = [await post(), await post({ title: 'Other' })];
    const mine = await comments.create(member, postId, { content: 'Read this' });
    const theirs = await comments.create(visitor, postId, { content: 'No, this' });
    expect(await refusalOf(comments.pin(visitor, postId, mine.id))).toMatchObject({ code: 'forbidden' });
    expect(await refusalOf(comments.pin(member, postId, theirs.id))).toMatchObject({ code: 'invalid' });
    expect(await refusalOf(comments.pin(member, other, mine.id))).toMatchObject({ code: 'invalid' });
    const { replies: _replies, ...pinned } = mine;
    expect(await comments.pin(member, postId, mine.id)).toMatchObject({ id: postId, pinnedComment: pinned });
    expect(await comments.pin(member, postId, null)).toMatchObject({ pinnedComment: null });
    const { items } = await services.activity.list(member, postId, { limit: 2 });
    expect(items.map(({ action }) => action).toSorted()).toEqual(['comment_pinned', 'comment_unpinned']);
  });

  test('a thread of 1,000 comments and depth 50 keeps its order', async () => {
    const place = await openFeedback(await open(), { now: ticking() });
    const { services, member, post } = place;
    const postId = await post();
    // Each run of 50 goes one deeper every time; the next run begins at the root again.
    await insertThread(place, postId, {
      size: 1000,
      parentOf: (index) => (index % 50 === 0 ? null : index - 1),
    });
    const tree = await services.comments.tree(member, postId);
    const walked: string[] = [];
    for (let node: CommentNode | undefined, stack = tree.toReversed(); (node = stack.pop());) {
      walked.push(node.content);
      stack.push(...node.replies.toReversed());
    }
    expect(walked).toEqual(Array.from({ length: 1000 }, (_, index) => `n${index}`));
    expect(tree).toHaveLength(20);
  });

  test('a thread of depth 2,000 is read and deleted without trouble', async () => {
    const place = await openFeedback(await open(), { now: ticking() });
    const { services, member, post } = place;
    const postId = await post();
    const ids = await insertThread(place, postId, {
      size: 2000,
      parentOf: (index) => (index === 0 ? null : index - 1),
      isStub: (index) => index > 0 && index < 1999,
    });
    const walked: string[] = [];
    let depth = 0;
    for (let level = await services.comments.tree(member, postId); level.length > 0; depth += 1) {
      walked.push(...level.map(({ id }) => id));
      level = level.flatMap(({ replies }) => replies);
    }
    // What stands below the last level is shown on it, in its order.
    expect(depth).toBe(100);
    expect(walked).toEqual(ids);
    await services.comments.delete(member, ids.at(-1)!);
    expect(await services.comments.tree(member, postId)).toMatchObject([{ id: ids[0], replies: [] }]);
  });

  test('replies and deletions at the same time leave no comment without its parent', async () => {
    const { services, member, post, store } = await openFeedback(await open());
    const { comments } = services;
    const postId = await post();
    for (let round = 0; round < 10; round += 1) {
      const parent = await comments.create(member, postId, { content: 'Parent' });
      await Promise.allSettled([
        comments.create(member, postId, { content: 'Reply', parentId: parent.id }),
        comments.delete(member, parent.id),
        comments.create(member, postId, { content: 'Reply', parentId: parent.id }),
      ]);
    }
    const rows = await store.db<FeedbackTables>().selectFrom('feedback_comments').selectAll().execute();
    const ids = new Set(rows.map(({ id }) => id));
    expect(rows.filter(({ parent_id }) => parent_id !== null && !ids.has(parent_id))).toEqual([]);
    const visible = rows.filter(({ deleted_at }) => deleted_at === null).length;
    expect(await services.posts.get(member, postId)).toMatchObject({ commentCount: visible });
  });
});
