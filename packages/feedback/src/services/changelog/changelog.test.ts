import { typeId } from '@parley/kit';
import type { TaskEngine } from '@parley/tasks';
import { expect, it } from 'vitest';
import { encodeCursor } from '../../cursor.ts';
import { Stale } from '../../faults.ts';
import { ChangelogEntry } from '../../shapes/nouns.ts';
import type { TestFeedback } from '../../testing/fixture.ts';
import { openFeedback, refusalOf } from '../../testing/fixture.ts';
import { onBothEngines } from '../../testing/engines.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 60 * 60 * 1000;
const iso = (ms: number) => new Date(ms).toISOString();

/** A clock that the test turns. */
function clock(start = START) {
  let at = start;
  return {
    now: () => at,
    turn: (byMs: number) => {
      at += byMs;
    },
    set: (ms: number) => {
      at = ms;
    },
  };
}

async function announced({ published }: TestFeedback): Promise<unknown[]> {
  return (await published())
    .filter(({ type }) => type === 'changelog.published')
    .map(({ subject }) => subject);
}

/** Runs tasks to the end of the block, before the store is closed. */
function running(tasks: TaskEngine): AsyncDisposable {
  tasks.start();
  return { [Symbol.asyncDispose]: () => tasks.stop() };
}

/** Looks often, so that a turned clock is noticed soon. */
const EAGER = { taskLimits: { takeoverMs: 20 } };

/** Waits until every publication that is due has been looked at. */
async function untilIdle({ store }: TestFeedback, now: number): Promise<void> {
  await expect
    .poll(async () => {
      const { open } = await store
        .db<{ tasks: { state: string; due_at: number; kind: string } }>()
        .selectFrom('tasks')
        .select(({ fn }) => fn.countAll<number>().as('open'))
        .where('kind', '=', 'feedback.publish-changelog')
        .where('state', '<>', 'final')
        .where('due_at', '<=', now)
        .executeTakeFirstOrThrow();
      return open;
    })
    .toBe(0);
}

onBothEngines('the changelog', (open) => {
  it('has drafts, scheduled and published entries', async () => {
    const { now, turn } = clock();
    const { services, admin, member } = await openFeedback(await open(), { now, ...EAGER });
    const make = (publishedAt?: string | null) =>
      services.changelog.create(admin, { title: 'News', content: '# Hello', publishedAt });
    const draft = await make();
    expect(ChangelogEntry.parse(draft)).toEqual(draft);
    expect(draft).toMatchObject({
      title: 'News',
      content: '# Hello',
      state: 'draft',
      publishedAt: null,
      linkedPostIds: [],
      authorName: 'Ada Admin',
    });
    expect(await make(null)).toMatchObject({ state: 'draft' });
    expect(await make(iso(START))).toMatchObject({ state: 'published', publishedAt: iso(START) });
    expect(await make('2020-01-01T01:00:00+01:00')).toMatchObject({
      state: 'published',
      publishedAt: '2020-01-01T00:00:00.000Z',
    });
    const later = await make(iso(START + HOUR_MS));
    expect(later).toMatchObject({ state: 'scheduled' });
    turn(HOUR_MS - 1);
    expect(await services.changelog.get(member, later.id)).toMatchObject({ state: 'scheduled' });
    turn(1);
    expect(await services.changelog.get(member, later.id)).toMatchObject({ state: 'published' });
  });

  it('announces what is published, in the change that publishes it', async () => {
    const feedback = await openFeedback(await open(), { now: clock().now });
    const { services, admin, published } = feedback;
    const draft = await services.changelog.create(admin, { title: 'Draft', content: 'x'.repeat(50_000) });
    expect(await announced(feedback)).toEqual([]);
    const entry = await services.changelog.update(admin, draft.id, { publishedAt: iso(START) });
    expect(entry.state).toBe('published');
    await services.changelog.update(admin, draft.id, { title: 'Corrected' });
    await services.changelog.update(admin, draft.id, { publishedAt: '2020-01-01T00:00:00Z' });
    expect(await published()).toEqual([
      {
        type: 'changelog.published',
        subject: draft.id,
        data: { changelog: { ...entry, content: 'x'.repeat(10_000) } },
      },
    ]);
  });

  it('announces any content, however long it is as JSON', async () => {
    const feedback = await openFeedback(await open());
    const content = '\u0001'.repeat(50_000);
    const entry = await feedback.services.changelog.create(feedback.admin, {
      title: 'Odd',
      content,
      publishedAt: '2020-01-01T00:00:00Z',
    });
    expect(entry.content).toBe(content);
    expect(await announced(feedback)).toEqual([entry.id]);
  });

  it('announces a scheduled entry once, when its time has come', async () => {
    const { now, turn } = clock();
    const feedback = await openFeedback(await open(), { now, ...EAGER });
    const { services, admin, tasks } = feedback;
    const { id } = await services.changelog.create(admin, {
      title: 'Soon',
      content: 'x',
      publishedAt: iso(START + HOUR_MS),
    });
    await services.changelog.update(admin, id, { title: 'Very soon' });
    await using _tasks = running(tasks);
    await untilIdle(feedback, now());
    expect(await announced(feedback)).toEqual([]);
    turn(HOUR_MS);
    await expect.poll(() => announced(feedback)).toEqual([id]);
    await services.changelog.update(admin, id, { title: 'Here' });
    turn(HOUR_MS);
    await untilIdle(feedback, now());
    expect(await announced(feedback)).toEqual([id]);
  });

  it('announces it by the real clock, not before its time', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, tasks } = feedback;
    await using _tasks = running(tasks);
    const at = Date.now() + 400;
    const { id } = await services.changelog.create(admin, {
      title: 'Now',
      content: 'x',
      publishedAt: iso(at),
    });
    await expect.poll(() => announced(feedback)).toEqual([id]);
    expect(Date.now()).toBeGreaterThanOrEqual(at);
  });

  it('follows the time as it is moved', async () => {
    const { now, turn } = clock();
    const feedback = await openFeedback(await open(), { now, ...EAGER });
    const { services, admin, tasks } = feedback;
    const { id } = await services.changelog.create(admin, {
      title: 'Soon',
      content: 'x',
      publishedAt: iso(START + HOUR_MS),
    });
    const set = (publishedAt: string | null) => services.changelog.update(admin, id, { publishedAt });
    await set(iso(START + 3 * HOUR_MS));
    await set(null);
    await set(iso(START + 2 * HOUR_MS));
    await using _tasks = running(tasks);
    turn(HOUR_MS);
    await untilIdle(feedback, now());
    expect(await announced(feedback)).toEqual([]);
    turn(HOUR_MS);
    await expect.poll(() => announced(feedback)).toEqual([id]);
    turn(HOUR_MS);
    await untilIdle(feedback, now());
    expect(await announced(feedback)).toEqual([id]);
  });

  it('does not announce what was taken back or deleted before its time', async () => {
    const { now, turn } = clock();
    const feedback = await openFeedback(await open(), { now, ...EAGER });
    const { services, admin, tasks } = feedback;
    const make = () =>
      services.changelog.create(admin, { title: 'Soon', content: 'x', publishedAt: iso(START + HOUR_MS) });
    const [draft, deleted] = [await make(), await make()];
    expect(await services.changelog.update(admin, draft.id, { publishedAt: null })).toMatchObject({
      state: 'draft',
      publishedAt: null,
    });
    await services.changelog.delete(admin, deleted.id);
    turn(2 * HOUR_MS);
    await using _tasks = running(tasks);
    await untilIdle(feedback, now());
    expect(await announced(feedback)).toEqual([]);
  });

  it('announces again what was taken back and is published again', async () => {
    const { now, turn } = clock();
    const feedback = await openFeedback(await open(), { now, ...EAGER });
    const { services, admin, tasks } = feedback;
    const { id } = await services.changelog.create(admin, {
      title: 'News',
      content: 'x',
      publishedAt: iso(START),
    });
    await services.changelog.update(admin, id, { publishedAt: iso(START + HOUR_MS) });
    expect(await services.changelog.get(admin, id)).toMatchObject({ state: 'scheduled' });
    expect(await announced(feedback)).toEqual([id]);
    await using _tasks = running(tasks);
    turn(HOUR_MS);
    await expect.poll(() => announced(feedback)).toEqual([id, id]);
  });

  it('announces once when the task and a change meet', async () => {
    const { now, turn } = clock();
    const feedback = await openFeedback(await open(), { now, ...EAGER });
    const { services, admin, tasks } = feedback;
    const ids = [];
    for (let count = 0; count < 5; count += 1) {
      const publishedAt = iso(START + HOUR_MS);
      ids.push((await services.changelog.create(admin, { title: 'News', content: 'x', publishedAt })).id);
    }
    turn(HOUR_MS);
    await using _tasks = running(tasks);
    await Promise.all(ids.map((id) => services.changelog.update(admin, id, { title: 'Changed' })));
    await untilIdle(feedback, now());
    expect((await announced(feedback)).map(String).toSorted()).toEqual(ids.toSorted());
  });

  it('announces what was due, even if the clock was set back meanwhile', async () => {
    const engineClock = clock();
    const { now } = clock();
    const store = await open();
    const feedback = await openFeedback(store, { now });
    const other = await openFeedback(store, { now: engineClock.now, slug: 'other', ...EAGER });
    const { id } = await feedback.services.changelog.create(feedback.admin, {
      title: 'Soon',
      content: 'x',
      publishedAt: iso(START + HOUR_MS),
    });
    engineClock.turn(HOUR_MS);
    await using _tasks = running(other.tasks);
    await expect.poll(() => announced(feedback)).toEqual([id]);
  });

  it('keeps the order of its posts, each once, and refuses unknown ones', async () => {
    const { services, admin, member, post } = await openFeedback(await open());
    const posts = [await post(), await post(), await post()].toReversed();
    const entry = await services.changelog.create(admin, {
      title: 'News',
      content: 'x',
      linkedPostIds: [...posts, posts[0] ?? ''],
    });
    expect(entry.linkedPostIds).toEqual(posts);
    expect((await services.changelog.list(member, { limit: 20 })).items).toEqual([entry]);
    const saying = async (search: string) =>
      (await services.changelog.list(member, { search, limit: 20 })).items.length;
    expect(await saying(entry.title.slice(1, 6).toUpperCase())).toBe(1);
    expect(await saying(entry.content.slice(0, 5))).toBe(1);
    expect(await saying('%')).toBe(0);
    const absent = { code: 'not_found', message: 'Post not found' };
    const link = (...linkedPostIds: string[]) =>
      services.changelog.update(admin, entry.id, { title: 'X', linkedPostIds });
    expect(await refusalOf(link(posts[0] ?? '', typeId('post')))).toEqual(absent);
    expect(await refusalOf(link('post_x'))).toMatchObject({ code: 'invalid' });
    await services.posts.delete(member, posts[1] ?? '');
    expect(await refusalOf(link(posts[1] ?? ''))).toEqual(absent);
    expect(await services.changelog.get(member, entry.id)).toEqual(entry);
    expect((await services.changelog.update(admin, entry.id, { title: 'Y' })).linkedPostIds).toEqual(posts);
    expect((await link(posts[2] ?? '', posts[0] ?? '')).linkedPostIds).toEqual([posts[2], posts[0]]);
    expect((await link()).linkedPostIds).toEqual([]);
  });

  it('is listed from the newest, in pages, published or not', async () => {
    const { now, turn } = clock();
    const { services, admin, member } = await openFeedback(await open(), { now, ...EAGER });
    const ids: Record<'published' | 'others', string[]> = { published: [], others: [] };
    for (const publishedAt of [null, START, START + HOUR_MS, START - HOUR_MS, null, START + 1]) {
      turn(1);
      const at = publishedAt === null ? null : iso(publishedAt);
      const { id, state } = await services.changelog.create(admin, {
        title: 'News',
        content: 'x',
        publishedAt: at,
      });
      ids[state === 'published' ? 'published' : 'others'].unshift(id);
    }
    const all = [...ids.published, ...ids.others].toSorted().toReversed();
    for (const [published, expected] of [
      [undefined, all],
      [true, ids.published],
      [false, ids.others],
    ] as const) {
      const seen = [];
      let cursor: string | undefined;
      do {
        const page = await services.changelog.list(member, { published, limit: 2, cursor });
        expect(page.total).toBe(expected.length);
        seen.push(...page.items.map(({ id }) => id));
        cursor = page.cursor ?? undefined;
      } while (cursor !== undefined);
      expect({ published, seen }).toEqual({ published, seen: expected });
    }
    const { cursor } = await services.changelog.list(member, { limit: 1 });
    const other = { published: true, limit: 1, cursor: cursor ?? '' };
    expect(await refusalOf(services.changelog.list(member, other))).toMatchObject({ code: 'invalid' });
    const made = encodeCursor({ entity: 'changelog', sort: 'newest', filter: {} }, { key: 'x', id: 'y' });
    const odd = services.changelog.list(member, { limit: 1, cursor: made });
    expect(await refusalOf(odd)).toMatchObject({ code: 'invalid' });
  });

  it('is not changed when the caller holds an older entry, and forgets deleted ones', async () => {
    const { services, admin } = await openFeedback(await open());
    const entry = await services.changelog.create(admin, { title: 'News', content: 'x' });
    const refused = services.changelog.update(admin, entry.id, { title: 'X' }, (current) => {
      expect(current).toEqual(entry);
      throw new Stale();
    });
    await expect(refused).rejects.toThrow(Stale);
    const changed = await services.changelog.update(admin, entry.id, { title: 'Y', content: 'z' });
    expect(changed).toEqual({ ...entry, title: 'Y', content: 'z', updatedAt: changed.updatedAt });
    expect(Date.parse(changed.updatedAt)).toBeGreaterThan(Date.parse(entry.updatedAt));
    await services.changelog.delete(admin, entry.id);
    const gone = { code: 'not_found', message: 'Changelog entry not found' };
    expect(await refusalOf(services.changelog.get(admin, entry.id))).toEqual(gone);
    expect(await refusalOf(services.changelog.delete(admin, entry.id))).toEqual(gone);
    expect(await refusalOf(services.changelog.update(admin, entry.id, { title: 'X' }))).toEqual(gone);
    expect(await services.changelog.list(admin, { limit: 1 })).toMatchObject({ items: [], total: 0 });
  });
});
