/** What the public never sees, on every page, in the JSON and in the feed. */
import type { OpenStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import type { FeedbackTables } from '../schema.ts';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback } from '../testing/fixture.ts';
import type { ServedPages } from '../../test/serve-pages.ts';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import { onBothEngines } from '../testing/engines.ts';

const MINUTE_MS = 60_000;

async function openSite(open: OpenStore) {
  let nowMs = Date.UTC(2026, 6, 1);
  const feedback = await openFeedback(await open(), { now: () => nowMs });
  const pass = (ms: number) => {
    nowMs += ms;
  };
  await feedback.services.settings.update(feedback.admin, { isPublished: true });
  const site = await servePages(feedback.services);
  return { feedback, site, pass, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

/** Everything that the site says to somebody who follows every link. */
async function crawl({ url }: ServedPages, seeds: readonly string[] = []): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const open = [
    '/feedback',
    '/feedback/roadmap',
    '/feedback/changelog',
    '/changelog.xml',
    '/api/public/boards',
    '/api/public/posts',
    ...seeds,
  ];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (found.has(path)) continue;
    const answer = await fetch(url + path);
    const text = await answer.text();
    expect(answer.status, path).toBeLessThan(500);
    found.set(path, `${answer.status} ${text}`);
    for (const [, to = ''] of text.matchAll(/(?:href|action)="(\/feedback[^"#]*)/g))
      if (!to.includes('?reply=')) open.push(to.replaceAll('&amp;', '&'));
    for (const [, id] of text.matchAll(/"id":"(post_[a-z0-9]+)"/g))
      open.push(`/api/public/posts/${id}`, `/api/public/posts/${id}/comments`);
  }
  return found;
}

function expectNowhere(pages: ReadonlyMap<string, string>, secret: string): void {
  const where = [...pages].filter(([, text]) => text.includes(secret)).map(([path]) => path);
  expect(where, secret).toEqual([]);
}

async function setPost(feedback: TestFeedback, id: string, values: object): Promise<void> {
  await feedback.store
    .db<FeedbackTables>()
    .updateTable('feedback_posts')
    .set(values)
    .where('id', '=', id)
    .execute();
}

onBothEngines('what stays private', (open) => {
  test('private boards, hidden posts, private comments, e-mails and ids of members appear nowhere', async () => {
    await using scene = await openSite(open);
    const { feedback, site } = scene;
    const { services, admin, member, visitor } = feedback;
    const board = await services.boards.create(admin, { name: 'Open board' });
    const closed = await services.boards.create(admin, { name: 'Closed board', isPublic: false });
    const post = (title: string, boardId = board.id) =>
      services.posts.create(visitor, { boardId, title, content: 'zebra' });
    const seen = await post('Seen by all');
    const hidden = {
      closed: await post('SECRET closed', closed.id),
      pending: await post('SECRET pending'),
      spam: await post('SECRET spam'),
      archived: await post('SECRET archived'),
      deleted: await post('SECRET deleted'),
      merged: await post('SECRET merged'),
      elsewhere: await post('SECRET elsewhere', closed.id),
    };
    await services.changelog.create(admin, {
      title: 'About posts',
      content: 'News',
      publishedAt: new Date(services.now()).toISOString(),
      linkedPostIds: [seen.id, hidden.closed.id, hidden.pending.id, hidden.deleted.id],
    });
    for (const kind of ['pending', 'spam', 'archived'] as const)
      await setPost(feedback, hidden[kind].id, { moderation: kind });
    await services.posts.delete(admin, hidden.deleted.id);
    await services.comments.create(member, hidden.elsewhere.id, {
      content: 'SECRET of the closed duplicate',
    });
    for (const kind of ['merged', 'elsewhere'] as const)
      await services.merges.merge(member, { duplicatePostId: hidden[kind].id, canonicalPostId: seen.id });
    const root = await services.comments.create(visitor, seen.id, { content: 'A public word' });
    const secret = await services.comments.create(member, seen.id, {
      content: 'SECRET note',
      isPrivate: true,
    });
    await services.comments.create(member, seen.id, {
      content: 'SECRET reply',
      parentId: root.id,
      isPrivate: true,
    });
    await services.comments.create(member, seen.id, { content: 'SECRET below', parentId: secret.id });
    const gone = await services.comments.create(visitor, seen.id, { content: 'SECRET taken back' });
    await services.comments.create(member, seen.id, { content: 'still here', parentId: gone.id });
    await services.comments.delete(visitor, gone.id);
    // Refused; the row below says the same behind the service's back.
    await services.comments.pin(member, seen.id, secret.id).catch(() => undefined);
    await setPost(feedback, seen.id, { pinned_comment_id: secret.id });
    const roadmap = await services.roadmaps.create(admin, { name: 'SECRET roadmap', isPublic: false });
    await services.roadmaps.addPost(member, roadmap.id, seen.id);

    const ids = Object.values(hidden).map(({ id }) => id);
    const pages = await crawl(site, [
      '/feedback/boards/closed-board',
      '/feedback/boards/closed-board/new',
      '/feedback/boards/open-board?q=zebra',
      '/api/public/posts?search=zebra',
      `/api/public/posts?boardId=${closed.id}`,
      `/feedback/roadmap?roadmap=${roadmap.slug}`,
      ...ids.flatMap((id) => [
        `/feedback/posts/${id}`,
        `/api/public/posts/${id}`,
        `/api/public/posts/${id}/comments`,
      ]),
    ]);
    expect(pages.get(`/feedback/posts/${seen.id}`)).toContain('A public word');
    expect(pages.get(`/feedback/posts/${seen.id}`)).toContain('This comment was deleted.');
    expect(pages.get(`/api/public/posts/${seen.id}/comments`)).toContain('still here');
    expect(pages.get('/feedback/boards/open-board?q=zebra')).toContain('1 post for');
    expectNowhere(pages, 'SECRET');
    expectNowhere(pages, 'Closed board');
    for (const { id } of [
      closed,
      hidden.pending,
      hidden.spam,
      hidden.archived,
      hidden.deleted,
      hidden.closed,
    ]) {
      const elsewhere = new Map([...pages].filter(([path]) => !path.includes(id)));
      expectNowhere(elsewhere, id);
      const [status] = (pages.get(`/feedback/posts/${id}`) ?? '404 ').split(' ');
      expect(status).toBe('404');
    }
    for (const { email } of await feedback.identity.listMembers(feedback.organizationId))
      if (email !== null) expectNowhere(pages, email);
    expectNowhere(pages, 'member_');
    expectNowhere(pages, 'mem_');
    expectNowhere(pages, 'user_');
  });

  test('a link to a duplicate leads to where it went, unless that is not public', async () => {
    await using scene = await openSite(open);
    const { feedback, site } = scene;
    const { services, admin, member } = feedback;
    const closed = await services.boards.create(admin, { name: 'Closed', isPublic: false });
    const [first, second, third] = [
      await feedback.post(),
      await feedback.post(),
      await feedback.post({ boardId: closed.id }),
    ];
    const duplicate = await feedback.post();
    await services.merges.merge(member, { duplicatePostId: first, canonicalPostId: second });
    await services.merges.merge(member, { duplicatePostId: duplicate, canonicalPostId: third });
    const browser = openBrowser(site);
    const answer = await browser.get(`/feedback/posts/${first}`);
    expect([answer.status, answer.headers.get('location'), answer.text]).toEqual([
      302,
      `/feedback/posts/${second}`,
      '',
    ]);
    expect((await browser.get(`/feedback/posts/${duplicate}`)).status).toBe(404);
    expect((await browser.get(`/api/public/posts/${first}`)).status).toBe(404);
  });

  test('drafts never show, scheduled entries not before their time, and unpublished ones no longer', async () => {
    await using scene = await openSite(open);
    const { feedback, site, pass } = scene;
    const { services, admin } = feedback;
    const soon = new Date(services.now() + MINUTE_MS).toISOString();
    await services.changelog.create(admin, { title: 'A draft', content: 'DRAFT' });
    const entry = await services.changelog.create(admin, {
      title: 'Later',
      content: 'LATER',
      publishedAt: soon,
    });
    const places = ['/feedback/changelog', '/changelog.xml', `/feedback/changelog/${entry.id}`];
    const shown = async () => {
      const texts = await Promise.all(places.map(async (path) => (await fetch(site.url + path)).text()));
      expect(texts.join('')).not.toMatch(/draft/i);
      return texts.map((text) => text.includes('LATER'));
    };
    pass(MINUTE_MS - 1);
    expect(await shown()).toEqual([false, false, false]);
    pass(1);
    expect(await shown()).toEqual([true, true, true]);
    await services.changelog.update(admin, entry.id, { publishedAt: null });
    expect(await shown()).toEqual([false, false, false]);
  });

  test('another organization on the same database is not part of the site', async () => {
    const store = await open();
    const feedback = await openFeedback(store);
    const other = await openFeedback(store, { slug: 'other' });
    const board = await other.services.boards.create(other.admin, { name: 'Foreign board' });
    const foreign = await other.post({ title: 'Foreign post', boardId: board.id });
    await other.services.settings.update(other.admin, { isPublished: true });
    await feedback.services.settings.update(feedback.admin, { isPublished: true });
    await using site = await servePages(feedback.services);
    expectNowhere(
      await crawl(site, [`/feedback/posts/${foreign}`, `/feedback/boards/${board.slug}`]),
      'Foreign',
    );
  });
});

describe('publication', () => {
  onBothEngines('the switch', (open) => {
    test('until the owner switches it on, and after it is off again, everything is 404', async () => {
      const feedback = await openFeedback(await open());
      const post = await feedback.post({ title: 'Not yet' });
      await using site = await servePages(feedback.services);
      const browser = openBrowser(site);
      const reads = [
        '/feedback',
        '/feedback/roadmap',
        '/feedback/changelog',
        '/feedback/sign-in',
        `/feedback/posts/${post}`,
        '/feedback/nothing',
        '/changelog.xml',
        '/api/public/boards',
        '/api/public/posts',
        `/api/public/posts/${post}`,
        `/api/public/posts/${post}/comments`,
      ];
      const all404 = async () => {
        for (const path of reads) {
          const { status, text } = await browser.get(path);
          expect([path, status]).toEqual([path, 404]);
          expect(text).not.toContain('Not yet');
        }
        const { status } = await browser.post(`/feedback/posts/${post}/vote`, { name: 'Vera' });
        expect(status).toBe(404);
      };
      await all404();
      await feedback.services.settings.update(feedback.admin, { isPublished: true });
      expect((await browser.get(`/feedback/posts/${post}`)).text).toContain('Not yet');
      await feedback.services.settings.update(feedback.admin, { isPublished: false });
      await all404();
      expect(await feedback.identity.listMembers(feedback.organizationId)).toHaveLength(3);
    });
  });
});
