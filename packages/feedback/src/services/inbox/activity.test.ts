/** What happened to a post: complete, newest first, and for the team alone. */
import { typeId } from '@parley/kit';
import { expect, test } from 'vitest';
import { fromIdentityId } from '../../ids.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

onBothEngines('activity', (open) => {
  test('comes newest first, every line on exactly one page', async () => {
    let nowMs = Date.UTC(2026, 0, 1);
    const { services, member, post } = await openFeedback(await open(), { now: () => nowMs });
    const postId = await post();
    const bot = { ...member, agentName: 'Triage bot' };
    for (let index = 0; index < 12; index += 1) {
      // Three at a time, so that ties matter.
      if (index % 3 === 0) nowMs += 1000;
      await services.comments.create(bot, postId, { content: `n${index}` });
    }
    const seen = [];
    let cursor: string | undefined;
    do {
      const page = await services.activity.list(member, postId, { limit: 5, cursor });
      expect(page.total).toBe(13);
      seen.push(...page.items);
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(13);
    const times = seen.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    expect(seen[0]).toEqual({
      id: expect.any(String),
      postId,
      action: 'comment_added',
      actorName: 'Triage bot for Mia Member',
      memberId: fromIdentityId('member', member.memberId),
      from: null,
      to: expect.stringMatching(/^comment_/),
      createdAt: expect.any(String),
    });
    expect(seen.at(-1)).toMatchObject({ action: 'created', actorName: 'Mia Member' });
  });

  test('is for the team, and of a foreign post like of an unknown one', async () => {
    const store = await open();
    const { services, member, visitor, post } = await openFeedback(store);
    const foreign = await (await openFeedback(store, { slug: 'other' })).post();
    const own = await post();
    const attempt = (id: string, by = member) => refusalOf(services.activity.list(by, id, { limit: 20 }));
    expect(await attempt(own, visitor)).toMatchObject({ code: 'forbidden' });
    for (const id of [foreign, typeId('post', 0)]) {
      expect(await attempt(id)).toEqual({ code: 'not_found', message: 'Post not found' });
    }
    expect(await attempt('nonsense')).toMatchObject({ code: 'invalid' });
    const { cursor } = await services.votes.voters(member, own, { limit: 1 });
    expect(cursor).toBeNull();
    const damaged = services.activity.list(member, own, { limit: 20, cursor: 'abc' });
    expect((await refusalOf(damaged)).message).toMatch(/^Invalid cursor/);
  });
});
