/** The demo: complete, in the past, told by the services themselves, and there once. */
import type { Events } from '@parley/events';
import type { IdentityTables } from '@parley/identity';
import type { Store } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FeedbackTables } from '../schema.ts';
import { createPublicReading } from '../services/public/public.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback } from '../testing/fixture.ts';
import { seedDemo } from './seed.ts';
import { onBothEngines } from '../testing/engines.ts';

// Most tests write a whole demo, which is work and not a wait: it takes as long as the machine lets it.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 });

const NOW = Date.parse('2026-07-28T12:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;

interface EventTables {
  events: { time: number };
}

type Tables = FeedbackTables & IdentityTables & EventTables;

async function countRows(store: Store, table: keyof Tables): Promise<number> {
  const { rows } = await store
    .db<Tables>()
    .selectFrom(table)
    .select(({ fn }) => fn.countAll<number | string>().as('rows'))
    .executeTakeFirstOrThrow();
  return Number(rows);
}

async function contentsOf(store: Store): Promise<Record<string, number>> {
  const tables = [
    'feedback_posts',
    'feedback_comments',
    'feedback_votes',
    'feedback_reactions',
    'feedback_activity',
    'feedback_roadmap_posts',
    'feedback_changelog',
    'feedback_boards',
    'users',
    'members',
    'events',
  ] as const;
  const counts = tables.map(async (table) => [table, await countRows(store, table)] as const);
  return Object.fromEntries(await Promise.all(counts));
}

const hostOf = ({ store, identity, events, tasks, services }: TestFeedback) => ({
  store,
  identity,
  events,
  tasks,
  onFault: services.onFault,
});

/** What a reader sees of the oldest posts, without ids. */
async function told({ services, admin }: TestFeedback) {
  const page = await services.posts.list(admin, { sort: 'oldest', limit: 100 });
  return page.items.map(({ title, voteCount, commentCount, authorName, createdAt, tags }) => ({
    title,
    voteCount,
    commentCount,
    authorName,
    createdAt,
    tags: tags.map(({ name }) => name),
  }));
}

/** A demo that fails half-way, then a whole one on the same store. */
async function seedAfterFailure() {
  const store = await scratchStore();
  const feedback = await openFeedback(store, { now: () => NOW });
  const before = await contentsOf(store);
  let left = 500;
  const events: Events = {
    ...feedback.events,
    publish(tx, event) {
      left -= 1;
      if (left === 0) throw new Error('The disk is full.');
      return feedback.events.publish(tx, event);
    },
  };
  const failure: unknown = await seedDemo({ ...hostOf(feedback), events }, NOW).catch(
    (error: unknown) => error,
  );
  const afterFailure = await contentsOf(store);
  const isMade = await seedDemo(hostOf(feedback), NOW);
  return { store, feedback, before, failure, afterFailure, isMade };
}

// One for all tests that only read it: a demo is seconds of work.
let shared: Awaited<ReturnType<typeof seedAfterFailure>>;
beforeAll(async () => {
  shared = await seedAfterFailure();
});
afterAll(() => shared.store[Symbol.asyncDispose]());

onBothEngines('the demo', (open, engine) => {
  const seeded = async () => {
    if (engine === 'sqlite') return shared;
    const store = await open();
    const feedback = await openFeedback(store, { now: () => NOW });
    return { store, feedback, isMade: await seedDemo(hostOf(feedback), NOW) };
  };

  test('fills an empty feedback like any other, publishes it, and leaves it alone the next time', async () => {
    const { store, feedback, isMade } = await seeded();
    const { services, admin } = feedback;
    expect(isMade).toBe(true);

    const contents = await contentsOf(store);
    expect(contents).toMatchObject({ feedback_posts: 204, feedback_changelog: 8, feedback_boards: 4 });
    expect(contents.feedback_comments).toBeGreaterThan(580);
    expect(contents.feedback_votes).toBeGreaterThan(4000);

    const reading = await createPublicReading({ store, identity: feedback.identity, now: () => NOW })();
    const boards = (await reading?.boards()) ?? [];
    expect(boards.map(({ name }) => name)).toEqual(['Feature requests', 'Bugs', 'Integrations']);
    expect((await reading?.changes({ limit: 20 }))?.total).toBe(6);
    expect(await services.inbox.counts(admin, {})).toMatchObject({ total: 195, pending: 3 });
    expect((await services.inbox.counts(admin, {})).unread).toBeGreaterThan(3);
    const entries = await services.changelog.list(admin, { limit: 20 });
    const states = entries.items.map(({ state }) => state);
    expect(states.filter((state) => state === 'published')).toHaveLength(6);
    expect(states).toEqual(expect.arrayContaining(['scheduled', 'draft']));
    for (const status of await services.statuses.list(admin))
      expect((await services.posts.list(admin, { status: status.slug, limit: 1 })).total).toBeGreaterThan(5);
    const columns = (await reading?.roadmapColumns({ limit: 5 })) ?? [];
    expect(columns.map(({ posts }) => posts.length > 0)).toEqual([true, true, true]);

    expect((await services.posts.list(admin, { search: 'lighthouse', limit: 5 })).items[0]?.title).toBe(
      'Dark mode',
    );
    expect(await seedDemo(hostOf(feedback), NOW)).toBe(false);
    expect(await contentsOf(store)).toEqual(contents);
    // Two demos are equal in all but their ids.
    expect(await told(feedback)).toEqual(await told(shared.feedback));
  });
});

test('counts are what the rows say, and nothing happened before its cause or after now', async () => {
  const db = shared.store.db<Tables>();
  const posts = await db.selectFrom('feedback_posts').selectAll().execute();
  const votes = await db.selectFrom('feedback_votes').selectAll().execute();
  const comments = await db.selectFrom('feedback_comments').selectAll().execute();
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  for (const post of posts) {
    const own = votes.filter(({ post_id }) => post_id === post.id);
    expect([post.title, post.vote_count]).toEqual([post.title, own.length]);
    expect(own.every(({ created_at }) => created_at >= post.created_at && created_at <= NOW)).toBe(true);
    expect(NOW - post.created_at).toBeLessThanOrEqual(541 * DAY_MS);
    expect(post.updated_at).toBeLessThanOrEqual(NOW);
    for (const comment of comments.filter(({ post_id }) => post_id === post.id)) {
      const cause = comment.parent_id === null ? post : byId.get(comment.parent_id);
      expect([comment.content, comment.created_at > (cause?.created_at ?? NOW)]).toEqual([
        comment.content,
        true,
      ]);
      expect(comment.created_at).toBeLessThan(NOW);
    }
  }
  const counts = posts.map(({ vote_count }) => vote_count).toSorted((left, right) => right - left);
  expect(counts[0]).toBeGreaterThan(100);
  expect(counts[100]).toBeLessThan(20);
  expect(posts.filter(({ merged_into_id }) => merged_into_id !== null)).toHaveLength(5);
  expect(comments.filter(({ is_private }) => is_private === 1)).toHaveLength(10);
  expect(posts.filter(({ pinned_comment_id }) => pinned_comment_id !== null)).toHaveLength(3);
  const firstDeeds = await db
    .selectFrom('feedback_votes as vote')
    .innerJoin('members as member', 'member.id', 'vote.member_id')
    .select(['vote.created_at as voted', 'member.created_at as joined'])
    .execute();
  expect(firstDeeds.every(({ voted, joined }) => joined <= voted)).toBe(true);
});

test('a demo that fails half-way leaves nothing behind', () => {
  expect(shared.failure).toEqual(new Error('The disk is full.'));
  expect(shared.afterFailure).toEqual(shared.before);
  expect(shared.isMade).toBe(true);
});

test('a feedback that is in use is not touched', async () => {
  await using store = await scratchStore();
  const feedback = await openFeedback(store, { now: () => NOW });
  await feedback.post({ title: 'Ours' });
  const before = await contentsOf(store);
  expect(await seedDemo(hostOf(feedback), NOW)).toBe(false);
  expect(await contentsOf(store)).toEqual(before);
  expect(await feedback.services.settings.get(feedback.organizationId)).toMatchObject({ isPublished: false });
});
