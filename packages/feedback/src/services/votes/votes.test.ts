/** Votes: exact under load, the same by every way of voting, and only where voting makes sense. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

/** Many voters at little cost: the services ask for no more than a member's id. */
function crowd({ visitor }: TestFeedback, size: number) {
  return Array.from({ length: size }, () => ({ ...visitor, memberId: typeId('mem') }));
}

async function votesOf({ store }: TestFeedback, postId: string): Promise<string[]> {
  const rows = await store
    .db<FeedbackTables>()
    .selectFrom('feedback_votes')
    .select('member_id')
    .where('post_id', '=', postId)
    .execute();
  return rows.map(({ member_id }) => member_id);
}

onBothEngines('votes', (open) => {
  test('200 parallel votes by 100 members count each member once', async () => {
    const place = await openFeedback(await open());
    const { services, member } = place;
    const [postId, toggled] = [await place.post(), await place.post({ title: 'Toggled' })];
    const people = crowd(place, 100);
    await Promise.all([...people, ...people].map((actor) => services.votes.set(actor, postId, true)));
    expect(await votesOf(place, postId)).toHaveLength(100);
    expect(await services.posts.get(member, postId)).toMatchObject({ voteCount: 100 });
    await Promise.all([...people, ...people].map((actor) => services.votes.toggle(actor, toggled)));
    expect(await votesOf(place, toggled)).toEqual([]);
    expect(await services.posts.get(member, toggled)).toMatchObject({ voteCount: 0 });
  });

  test('a mix of voting and withdrawing at the same time stays exact', async () => {
    const place = await openFeedback(await open());
    const postId = await place.post();
    const people = crowd(place, 20);
    const { votes, posts } = place.services;
    const attempts = people.flatMap((actor) => [
      votes.set(actor, postId, true),
      votes.set(actor, postId, false),
      votes.toggle(actor, postId),
      votes.toggle(actor, postId),
      votes.set(actor, postId, false),
    ]);
    await Promise.all(attempts);
    const left = await votesOf(place, postId);
    expect(await posts.get(place.member, postId)).toMatchObject({ voteCount: left.length });
  });

  test('toggle, set and proxy agree', async () => {
    const { services, member, visitor, post } = await openFeedback(await open());
    const postId = await post();
    const { votes } = services;
    const memberId = fromIdentityId('member', visitor.memberId);
    expect(await votes.toggle(visitor, postId)).toEqual({ voted: true, voteCount: 1 });
    expect(await votes.set(visitor, postId, true)).toEqual({ voted: true, voteCount: 1 });
    expect(await votes.proxy(member, postId, { memberId, voted: true })).toEqual({
      voted: true,
      voteCount: 1,
    });
    expect(await votes.toggle(visitor, postId)).toEqual({ voted: false, voteCount: 0 });
    expect(await votes.set(visitor, postId, false)).toEqual({ voted: false, voteCount: 0 });
    expect(await votes.proxy(member, postId, { memberId, voted: true })).toEqual({
      voted: true,
      voteCount: 1,
    });
    expect(await votes.set(visitor, postId, false)).toEqual({ voted: false, voteCount: 0 });
    expect(await votes.proxy(member, postId, { memberId, voted: false })).toEqual({
      voted: false,
      voteCount: 0,
    });
  });

  test('votes on behalf of somebody are for the team and for members', async () => {
    const store = await open();
    const { services, admin, member, visitor, join, post } = await openFeedback(store);
    const foreigner = await (await openFeedback(store, { slug: 'other' })).join('user', 'Foreigner');
    const postId = await post();
    const { votes } = services;
    const { memberId } = await join('user', 'Cara Customer');
    const forbidden = votes.proxy(visitor, postId, { memberId, voted: true });
    expect(await refusalOf(forbidden)).toMatchObject({ code: 'forbidden' });
    for (const id of [foreigner.memberId, typeId('member', 0)]) {
      const unknown = votes.proxy(member, postId, { memberId: id, voted: true });
      expect(await refusalOf(unknown)).toEqual({ code: 'not_found', message: 'Member not found' });
    }
    const long = votes.proxy(member, postId, { memberId, voted: true, source: 'a'.repeat(51) });
    expect(await refusalOf(long)).toMatchObject({ code: 'invalid' });
    const wrong = votes.proxy(member, postId, { memberId: postId, voted: true });
    expect((await refusalOf(wrong)).message).toContain('(that is a post ID)');
    await votes.proxy(member, postId, { memberId, voted: true, source: ' support call ' });
    expect(await votes.voters(admin, postId, { limit: 20 })).toEqual({
      items: [
        {
          memberId,
          name: 'Cara Customer',
          email: 'cara.customer@acme.example',
          source: 'support call',
          proxyMemberId: fromIdentityId('member', member.memberId),
          createdAt: expect.any(String),
        },
      ],
      cursor: null,
      hasMore: false,
      total: 1,
    });
    const { items } = await services.activity.list(member, postId, { limit: 1 });
    expect(items).toMatchObject([{ action: 'proxy_vote_added', to: memberId, actorName: 'Mia Member' }]);
  });

  test('voters come newest first, every one on exactly one page', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const place = await openFeedback(await open(), { now: () => nowMs });
    const postId = await place.post();
    const people = crowd(place, 25);
    for (const [index, actor] of people.entries()) {
      // Several at the same moment, so that ties matter.
      if (index % 4 === 0) nowMs += 1;
      await place.services.votes.set(actor, postId, true);
    }
    const seen: string[] = [];
    const times: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await place.services.votes.voters(place.member, postId, { limit: 7, cursor });
      expect(page.total).toBe(25);
      seen.push(...page.items.map(({ memberId }) => memberId));
      times.push(...page.items.map(({ createdAt }) => createdAt));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    const all = people.map(({ memberId }) => fromIdentityId('member', memberId));
    expect(seen.toSorted()).toEqual(all.toSorted());
    expect(times).toEqual(times.toSorted().toReversed());
    const { visitor, member, services } = place;
    expect(await refusalOf(services.votes.voters(visitor, postId, { limit: 7 }))).toMatchObject({
      code: 'forbidden',
    });
    const first = await services.votes.voters(member, postId, { limit: 7 });
    const other = services.votes.voters(member, await place.post(), { limit: 7, cursor: first.cursor! });
    expect((await refusalOf(other)).message).toMatch(/^Invalid cursor/);
  });

  test('a round number is announced the first time only', async () => {
    const place = await openFeedback(await open());
    const { votes } = place.services;
    const postId = await place.post();
    const people = crowd(place, 25);
    for (const actor of people.slice(0, 10)) await votes.set(actor, postId, true);
    await votes.toggle(people[0]!, postId);
    await votes.toggle(people[0]!, postId);
    for (const actor of people.slice(10)) await votes.set(actor, postId, true);
    const announced = (await place.published()).filter(({ type }) => type === 'post.vote_threshold');
    expect(announced).toMatchObject([
      { subject: postId, data: { threshold: 10, voteCount: 10, post: { id: postId, voteCount: 10 } } },
      { subject: postId, data: { threshold: 25, voteCount: 25 } },
    ]);
    expect(JSON.stringify(announced)).not.toContain('@');
  });

  test('deleted, merged, unknown and foreign posts take no votes', async () => {
    const store = await open();
    const { services, member, visitor, post } = await openFeedback(store);
    const foreign = await (await openFeedback(store, { slug: 'other' })).post();
    const { votes } = services;
    const [gone, merged, canonical] = [await post(), await post(), await post()];
    await services.posts.delete(member, gone);
    await services.merges.merge(member, { duplicatePostId: merged, canonicalPostId: canonical });
    expect(await refusalOf(votes.toggle(member, gone))).toMatchObject({ code: 'conflict' });
    expect(await refusalOf(votes.toggle(visitor, gone))).toMatchObject({ code: 'not_found' });
    expect(await refusalOf(votes.set(member, merged, true))).toEqual({
      code: 'conflict',
      message: `This post is merged into ${canonical}. Use that one instead.`,
    });
    expect((await refusalOf(votes.set(visitor, merged, true))).message).not.toContain(canonical);
    for (const id of [foreign, typeId('post', 0)]) {
      expect(await refusalOf(votes.set(member, id, false))).toEqual({
        code: 'not_found',
        message: 'Post not found',
      });
      expect(await refusalOf(votes.voters(member, id, { limit: 1 }))).toMatchObject({ code: 'not_found' });
    }
  });
});
