/** What is unread and what is unanswered: for each reader by themselves, and only in their own organization. */
import { expect, test } from 'vitest';
import type { Actor } from '../../actor.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';
import type { InboxView } from '../../shapes/inbox.ts';

const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;

onBothEngines('the inbox of a reader', (open) => {
  test('has what others posted and said since they looked', async () => {
    let at = START;
    const later = () => (at += MINUTE_MS);
    const { services, admin, member, visitor, board } = await openFeedback(await open(), { now: () => at });
    const boardId = await board();
    const view = async (by: Actor, name: InboxView) => {
      const page = await services.inbox.posts(by, { view: name, limit: 20 });
      expect(page.total).toBe(page.items.length);
      return page.items.map(({ title }) => title);
    };
    const post = async (by: Actor, title: string) => {
      later();
      return (await services.posts.create(by, { boardId, title })).id;
    };
    const [one, two] = [await post(visitor, 'One'), await post(visitor, 'Two')];
    await post(admin, 'Own');
    expect(await view(admin, 'unread')).toEqual(['Two', 'One']);
    expect(await view(member, 'unread')).toEqual(['Own', 'Two', 'One']);

    later();
    expect(await services.reading.set(admin, one, true)).toEqual({ isRead: true });
    expect(await view(admin, 'unread')).toEqual(['Two']);
    expect(await view(member, 'unread')).toEqual(['Own', 'Two', 'One']);
    const marks = (await services.inbox.posts(admin, { limit: 20 })).items;
    expect(marks.map(({ title, isUnread }) => [title, isUnread])).toEqual([
      ['Own', false],
      ['Two', true],
      ['One', false],
    ]);

    later();
    await services.comments.create(visitor, one, { content: 'Please' });
    expect(await view(admin, 'unread')).toEqual(['Two', 'One']);
    later();
    await services.reading.set(admin, one, true);
    await services.comments.create(admin, one, { content: 'Soon' });
    expect(await view(admin, 'unread')).toEqual(['Two']);

    later();
    const { readBefore } = await services.reading.setBefore(admin, new Date(at + 1e9).toISOString());
    expect(readBefore).toBe(new Date(at).toISOString());
    expect(await view(admin, 'unread')).toEqual([]);
    expect((await services.inbox.counts(admin, {})).unread).toBe(0);
    // A mark never goes back, and what is marked as not seen is there again whatever its age.
    await services.reading.setBefore(admin, '2020-01-01T00:00:00Z');
    expect(await view(admin, 'unread')).toEqual([]);
    await services.reading.set(admin, two, false);
    expect(await view(admin, 'unread')).toEqual(['Two']);
    later();
    await services.comments.create(visitor, one, { content: 'When?' });
    expect(await view(admin, 'unread')).toEqual(['Two', 'One']);
    expect((await services.inbox.counts(admin, {})).unread).toBe(2);
  });

  test('counts a post as answered by an official response or a public word of the team', async () => {
    const { services, admin, member, visitor, post } = await openFeedback(await open());
    const unanswered = async () =>
      (await services.inbox.posts(member, { view: 'unanswered', sort: 'oldest', limit: 20 })).items.map(
        ({ title }) => title,
      );
    const [a, b] = [await post({ title: 'A' }), await post({ title: 'B' })];
    await services.comments.create(visitor, a, { content: 'Me too' });
    await services.comments.create(member, a, { content: 'Hm', isPrivate: true });
    expect(await unanswered()).toEqual(['A', 'B']);
    const { id } = await services.comments.create(member, a, { content: 'We look into it' });
    await services.posts.update(admin, b, { officialResponse: 'Planned' });
    expect(await unanswered()).toEqual([]);
    await services.comments.delete(member, id);
    await services.posts.update(admin, b, { officialResponse: null });
    expect(await unanswered()).toEqual(['A', 'B']);
    expect((await services.inbox.counts(member, {})).unanswered).toBe(2);
  });

  test('shows what is held back, and nothing to visitors or other organizations', async () => {
    const store = await open();
    const { services, admin, member, visitor, post } = await openFeedback(store);
    const other = await openFeedback(store, { slug: 'other' });
    const board = await services.boards.create(admin, { name: 'Careful', settings: { moderation: true } });
    const { id } = await services.visitors.submit(visitor, { boardId: board.id, title: 'Wait' });
    const pending = async (by: Actor) =>
      (await services.inbox.posts(by, { view: 'pending', limit: 20 })).items.map(
        ({ title, moderation, isUnread }) => [title, moderation, isUnread],
      );
    expect(await pending(member)).toEqual([['Wait', 'pending', true]]);
    expect((await services.posts.get(member, id)).moderation).toBe('pending');
    await services.reading.set(member, id, true);
    expect(await pending(member)).toEqual([['Wait', 'pending', false]]);
    expect((await other.services.inbox.posts(other.member, { view: 'pending', limit: 20 })).items).toEqual(
      [],
    );
    expect((await refusalOf(services.inbox.posts(visitor, { limit: 20 }))).code).toBe('forbidden');
    const foreign = await other.post();
    expect(await refusalOf(services.reading.set(member, foreign, true))).toMatchObject({
      code: 'not_found',
      message: 'Post not found',
    });
    await post();
    const page = await services.inbox.posts(member, { view: 'unread', limit: 1 });
    const mixed = services.inbox.posts(member, { view: 'unanswered', limit: 1, cursor: page.cursor ?? 'x' });
    expect((await refusalOf(mixed)).message).toMatch(/^Invalid cursor/);
  });
});
