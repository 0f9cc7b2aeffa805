/** Pages, feed and JSON as documents: escaped, small, cacheable, and in order. */
import { scratchStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import type { TestFeedback } from '../testing/fixture.ts';
import { openFeedback } from '../testing/fixture.ts';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import { onBothEngines } from '../testing/engines.ts';

const HOSTILE = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>&amp;`;

async function openSite(feedback: TestFeedback) {
  await feedback.services.settings.update(feedback.admin, { isPublished: true });
  return servePages(feedback.services, { visitorsPerHour: 50, writesPerMinute: 200 });
}

/** Throws when a page has a tag or an attribute that only hostile text could have brought. */
function expectHarmless(text: string, where: string): void {
  const bare = text.replaceAll(/<script src="\/feedback\/app\.js[^"]*" defer><\/script>/g, '');
  expect(bare, where).not.toMatch(/<script|<img|<\/script|<b>/i);
  for (const [tag] of bare.matchAll(/<[a-z][^>]*>/gi))
    expect(tag.replaceAll(/"[^"]*"/g, ''), where).not.toMatch(/\son[a-z]+=|\sstyle=/i);
}

describe('escaping', () => {
  test('HTML in any field is text on every page', async () => {
    await using store = await scratchStore();
    const feedback = await openFeedback(store, { name: HOSTILE });
    const { services, admin, member } = feedback;
    await using site = await openSite(feedback);
    const board = await services.boards.create(admin, { name: HOSTILE, slug: 'x', description: HOSTILE });
    const status = await services.statuses.create(admin, {
      name: '<b>"status',
      color: '#123456',
      showOnRoadmap: true,
    });
    const tag = await services.tags.create(admin, { name: '<b>"tag', color: '#123456' });
    const person = await feedback.join('user', '<b>"person');
    const post = await services.posts.create(person.actor, {
      boardId: board.id,
      title: HOSTILE,
      content: HOSTILE,
    });
    await services.posts.update(admin, post.id, {
      statusId: status.id,
      tagIds: [tag.id],
      officialResponse: HOSTILE,
    });
    const comment = await services.comments.create(member, post.id, { content: HOSTILE });
    await services.comments.pin(member, post.id, comment.id);
    const roadmap = await services.roadmaps.create(admin, {
      name: HOSTILE.slice(0, 90),
      slug: 'r',
      description: HOSTILE,
    });
    await services.roadmaps.create(admin, { name: HOSTILE.slice(0, 80), slug: 's' });
    await services.roadmaps.addPost(member, roadmap.id, post.id);
    const entry = await services.changelog.create(admin, {
      title: HOSTILE,
      content: `${HOSTILE}\n\n[${HOSTILE.slice(0, 8)}](javascript:alert(1))`,
      publishedAt: new Date(services.now()).toISOString(),
      linkedPostIds: [post.id],
    });
    const browser = openBrowser(site);
    await browser.post('/feedback/sign-in', { name: '<b>"visitor' });
    const query = encodeURIComponent(HOSTILE);
    for (const path of [
      '/feedback',
      '/feedback/boards/x',
      `/feedback/boards/x?q=${query}&sort=${query}&status=${query}`,
      `/feedback/boards/x?after=${query}`,
      '/feedback/boards/x/new',
      `/feedback/posts/${post.id}`,
      `/feedback/posts/${post.id}?reply=${comment.id}&page=${query}`,
      '/feedback/roadmap',
      '/feedback/roadmap?roadmap=s',
      `/feedback/roadmap?status=${query}`,
      '/feedback/changelog',
      `/feedback/changelog/${entry.id}`,
      `/feedback/${query}`,
      `/feedback/posts/${query}`,
      `/feedback/sign-in?next=${query}`,
    ]) {
      const { status: code, text, headers } = await browser.get(path);
      expect(code, path).toBeLessThan(500);
      expectHarmless(text, path);
      expect(headers.get('content-security-policy'), path).toMatch(
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
    }
    const again = await browser.post(`/feedback/boards/x/new`, {
      title: ' ',
      content: `</textarea>${HOSTILE}`,
    });
    expectHarmless(again.text, 'refilled form');
    const stranger = await openBrowser(site).post(`/feedback/posts/${post.id}/comments`, {
      content: HOSTILE,
      [HOSTILE]: HOSTILE,
    });
    expectHarmless(stranger.text, 'carried fields');
    const feedText = (await browser.get('/changelog.xml')).text;
    expect(feedText).not.toMatch(/<script|<img|<p>/);
  });

  test('posts, responses and comments are shown as Markdown, below the headings of the page', async () => {
    await using store = await scratchStore();
    const feedback = await openFeedback(store);
    const { services, admin, member } = feedback;
    await using site = await openSite(feedback);
    const text = (name: string) => `# ${name}\nfirst\nsecond\n\n- **one**\n\n[site](https://a.example)`;
    const post = await feedback.post();
    await services.posts.update(admin, post, { content: text('post') });
    await services.posts.update(admin, post, { officialResponse: text('response') });
    const { id } = await services.comments.create(member, post, { content: text('comment') });
    await services.comments.pin(member, post, id);
    const page = (await openBrowser(site).get(`/feedback/posts/${post}`)).text;
    const shown = (name: string, tag: string) =>
      `<${tag}>${name}</${tag}>\n<p>first<br />\nsecond</p>\n<ul>\n<li><strong>one</strong></li>\n</ul>\n` +
      '<p><a href="https://a.example" rel="nofollow ugc noopener">site</a></p>';
    expect(page).toContain(shown('post', 'h2'));
    expect(page).toContain(shown('response', 'h3'));
    expect(page.split(shown('comment', 'h3'))).toHaveLength(3);
    const { content } = await services.posts.get(admin, post);
    expect(content).toBe(text('post'));
  });

  test('what was typed comes back as it was, on lines of its own', async () => {
    await using store = await scratchStore();
    const feedback = await openFeedback(store);
    await using site = await openSite(feedback);
    await feedback.services.boards.create(feedback.admin, { name: 'X' });
    const content = '\n  indented\n\n\n   more';
    const { text } = await openBrowser(site).post('/feedback/boards/x/new', {
      title: '',
      content,
      name: 'V',
    });
    expect(text).toContain(`${content.trim()}</textarea`);
  });
});

onBothEngines('documents', (open) => {
  test('pages, JSON and the feed answer 304 to whoever has them, and change with what is in them', async () => {
    const feedback = await openFeedback(await open());
    await using site = await openSite(feedback);
    const post = await feedback.post();
    const browser = openBrowser(site);
    for (const path of [
      '/feedback',
      `/feedback/posts/${post}`,
      '/feedback/changelog',
      '/changelog.xml',
      '/api/public/posts',
    ]) {
      const first = await browser.get(path);
      const etag = first.headers.get('etag') ?? '';
      expect([path, first.status, etag.length > 10]).toEqual([path, 200, true]);
      expect(first.headers.get('cache-control')).toMatch(/^public, (no-cache|max-age=\d+)$/);
      const second = await browser.get(path, { 'if-none-match': etag });
      expect([second.status, second.text]).toEqual([304, '']);
    }
    const { headers } = await browser.get(`/feedback/posts/${post}`);
    await feedback.services.votes.set(feedback.visitor, post, true);
    const changed = await browser.get(`/feedback/posts/${post}`, {
      'if-none-match': headers.get('etag') ?? '',
    });
    expect(changed.status).toBe(200);
    await browser.post('/feedback/sign-in', { name: 'Vera' });
    const own = await browser.get(`/feedback/posts/${post}`, {
      'if-none-match': changed.headers.get('etag') ?? '',
    });
    expect([own.status, own.headers.get('cache-control'), own.headers.get('vary')]).toEqual([
      200,
      'private, no-cache',
      'cookie',
    ]);
  });

  test('search, sorts, statuses and pages of a board, the same as JSON', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin } = feedback;
    await using site = await openSite(feedback);
    const board = await services.boards.create(admin, { name: 'Ideas' });
    const ids: string[] = [];
    for (let index = 0; index < 32; index += 1)
      ids.push(
        (
          await services.posts.create(admin, {
            boardId: board.id,
            title: `Idea ${index}`,
            content: index % 2 ? 'odd fish' : 'even bird',
          })
        ).id,
      );
    const [first = ''] = ids;
    await services.votes.set(admin, first, true);
    const planned = (await services.statuses.list(admin)).find(({ slug }) => slug === 'planned');
    await services.posts.update(admin, first, { statusId: planned?.id });
    const browser = openBrowser(site);
    const titles = async (path: string) => {
      const { text } = await browser.get(path);
      return {
        text,
        shown: [...text.matchAll(/<h2 dir="auto">\s*<a href="\/feedback\/posts\/(post_\w+)"/g)].map(
          ([, id]) => id ?? '',
        ),
      };
    };
    const walk = async (path: string) => {
      const seen: string[] = [];
      for (let next: string | undefined = path; next !== undefined;) {
        const { text, shown } = await titles(next);
        seen.push(...shown);
        next = /rel="next" href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
      }
      return seen;
    };
    expect((await titles('/feedback/boards/ideas')).shown[0]).toBe(first);
    expect(new Set(await walk('/feedback/boards/ideas'))).toEqual(new Set(ids));
    expect(await walk('/feedback/boards/ideas?sort=oldest')).toEqual(ids);
    expect(await walk('/feedback/boards/ideas?sort=newest')).toEqual(ids.toReversed());
    expect(await walk('/feedback/boards/ideas?q=fish&sort=oldest')).toEqual(
      ids.filter((_, index) => index % 2 === 1),
    );
    expect(await walk('/feedback/boards/ideas?status=planned')).toEqual([first]);
    expect((await titles('/feedback/boards/ideas?status=no_such')).text).toContain('No post fits.');
    expect((await titles('/feedback/boards/ideas?q=nothing')).text).toContain('No post fits.');
    expect((await browser.get('/feedback/boards/ideas?after=damaged')).status).toBe(400);

    const json = async (query: string) =>
      JSON.parse((await browser.get(`/api/public/posts?${query}`)).text) as {
        data: { id: string }[];
        meta: { pagination: { cursor: string | null; total: number } };
      };
    const page = await json('sort=oldest&limit=20&board=ideas');
    const rest = await json(`sort=oldest&limit=20&board=ideas&cursor=${page.meta.pagination.cursor}`);
    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual(ids);
    expect(page.meta.pagination.total).toBe(32);
    expect((await json('search=fish&limit=1')).meta.pagination.total).toBe(16);
    for (const bad of ['limit=x', 'sort=best', 'cursor=damaged', 'unknown=1', 'status=no_such'])
      expect([bad, (await browser.get(`/api/public/posts?${bad}`)).status]).toEqual([bad, 400]);
    expect((await browser.get('/api/public/posts?board=none')).status).toBe(404);
    expect((await browser.get('/api/public/posts/board_x')).status).toBe(400);
  });

  test('the roadmap has a column per status that wants one, each with pages of its own', async () => {
    const feedback = await openFeedback(await open());
    const { services, admin, member } = feedback;
    await using site = await openSite(feedback);
    const board = await services.boards.create(admin, { name: 'Ideas' });
    const planned = (await services.statuses.list(admin)).find(({ slug }) => slug === 'planned');
    const ids: string[] = [];
    for (let index = 0; index < 45; index += 1)
      ids.push(
        (
          await services.posts.create(admin, {
            boardId: board.id,
            title: `Idea ${index}`,
            statusId: planned?.id,
          })
        ).id,
      );
    const browser = openBrowser(site);
    const shown = (text: string) =>
      [...text.matchAll(/<h3 dir="auto">\s*<a href="\/feedback\/posts\/(post_\w+)"/g)].map(
        ([, id]) => id ?? '',
      );
    const walk = async () => {
      const front = (await browser.get('/feedback/roadmap')).text;
      expect([...front.matchAll(/id="column-(\w+)"/g)].map(([, slug]) => slug)).toEqual([
        'planned',
        'in_progress',
        'complete',
      ]);
      const seen = shown(front);
      for (let next = nextOf(front); next !== undefined;) {
        const { text } = await browser.get(next);
        seen.push(...shown(text));
        next = nextOf(text);
      }
      return { front, seen };
    };
    const nextOf = (text: string) => /rel="next"\s+href="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&');
    const all = await walk();
    expect(all.front).toMatch(/class="number">45</);
    expect(all.seen.toSorted()).toEqual(ids.toSorted());
    const roadmap = await services.roadmaps.create(admin, { name: 'This year' });
    const later = await services.roadmaps.create(admin, { name: 'Later', position: 0 });
    // Roadmaps that nobody has filled yet hide nothing.
    expect((await walk()).seen).toEqual(all.seen);
    const empty = await browser.get(`/feedback/roadmap?roadmap=${later.slug}`);
    expect([empty.status, shown(empty.text)]).toEqual([200, []]);
    for (const id of ids.slice(0, 25)) await services.roadmaps.addPost(member, roadmap.id, id);
    const chosen = await walk();
    expect(chosen.front).toMatch(/class="number">25</);
    expect(chosen.seen).toEqual(ids.slice(0, 25));
  });

  test('a huge conversation is bounded for programs without a key, and whole on its pages', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    await using site = await openSite(feedback);
    const post = await feedback.post();
    for (let index = 0; index < 110; index += 1)
      await services.comments.create(member, post, { content: `${index} ${'x'.repeat(4900)}` });
    const browser = openBrowser(site);
    const { data } = JSON.parse((await browser.get(`/api/public/posts/${post}/comments`)).text) as {
      data: { content: string }[];
    };
    expect(data[0]?.content).toMatch(/^0 x/);
    expect(data.length).toBeGreaterThan(90);
    expect(data.length).toBeLessThan(103);
    expect((await browser.get(`/feedback/posts/${post}?page=99`)).text).toContain('109 xxx');
  });

  test('a long conversation comes in pages and in the order of its threads', async () => {
    const feedback = await openFeedback(await open());
    const { services, member } = feedback;
    await using site = await openSite(feedback);
    const post = await feedback.post();
    let parentId: string | null = null;
    for (let index = 0; index < 50; index += 1)
      parentId = (await services.comments.create(member, post, { content: `Deep ${index}.`, parentId })).id;
    await services.comments.create(member, post, { content: 'Last root.' });
    const browser = openBrowser(site);
    const pages = await Promise.all(
      [1, 2, 3, 99].map(async (page) => (await browser.get(`/feedback/posts/${post}?page=${page}`)).text),
    );
    const said = pages
      .slice(0, 3)
      .flatMap((text) => [...text.matchAll(/<p>(Deep \d+|Last root)\.<\/p>/g)].map(([, words]) => words));
    expect(said).toEqual([...Array.from({ length: 50 }, (_, index) => `Deep ${index}`), 'Last root']);
    expect(pages[3]).toContain('Page 3 of 3');
    for (const text of pages) expect(Buffer.byteLength(text)).toBeLessThan(20_000);
    const visitor = openBrowser(site);
    await visitor.post('/feedback/sign-in', { name: 'Vera' });
    const own = (await visitor.get(`/feedback/posts/${post}`)).text;
    expect(Buffer.byteLength(own)).toBeLessThan(20_000);
    interface Node {
      replies: Node[];
    }
    let { data: nodes } = JSON.parse((await browser.get(`/api/public/posts/${post}/comments`)).text) as {
      data: Node[];
    };
    let depth = 0;
    for (; nodes.length > 0; depth += 1) nodes = nodes[0]?.replies ?? [];
    expect(depth).toBe(50);
  });

  test('the feed is RSS 2.0 with ids that stay', async () => {
    let nowMs = Date.UTC(2026, 6, 1, 12);
    const feedback = await openFeedback(await open(), { now: () => nowMs });
    const { services, admin } = feedback;
    await using site = await openSite(feedback);
    const publishedAt = new Date(nowMs).toISOString();
    const entry = await services.changelog.create(admin, {
      title: 'News & more',
      content: '**Bold** \u0007move',
      publishedAt,
    });
    const read = async () => (await openBrowser(site).get('/changelog.xml')).text;
    const text = await read();
    expect(text).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?>\n<rss version="2.0"/);
    expect(text).toContain('<title>News &amp; more</title>');
    expect(text).toContain(`<guid isPermaLink="false">${entry.id}</guid>`);
    expect(text).toContain('<pubDate>Wed, 01 Jul 2026 12:00:00 GMT</pubDate>');
    expect(text).toContain('&lt;strong&gt;Bold&lt;/strong&gt; move');
    expect(text).toContain(`<link>${site.url}/feedback/changelog/${entry.id}</link>`);
    nowMs += 60_000;
    expect(await read()).toBe(text);
    await services.changelog.update(admin, entry.id, { title: 'Other news' });
    expect(await read()).toContain(`<guid isPermaLink="false">${entry.id}</guid>`);
  });
});

describe('requests', () => {
  test('methods, hosts and addresses that are not ours are refused', async () => {
    await using store = await scratchStore();
    const feedback = await openFeedback(store);
    await using site = await openSite(feedback);
    const status = async (method: string, path: string) =>
      (await fetch(site.url + path, { method, headers: { origin: site.url } })).status;
    expect(await status('PUT', '/feedback')).toBe(405);
    expect(await status('DELETE', '/api/public/posts')).toBe(405);
    expect(await status('POST', '/changelog.xml')).toBe(405);
    expect(await status('POST', '/feedback/roadmap')).toBe(404);
    expect(await status('HEAD', '/feedback')).toBe(200);
    for (const path of [
      '/feedback/x',
      '/feedback/posts',
      '/feedback/posts/post_x',
      '/feedback/boards/a/b/c',
      '/feedback/',
      '/changelog.xml/x',
      '/api/public',
      '/api/public/members',
      '/feedback/__proto__',
      '/feedback/constructor',
    ])
      expect([path, await status('GET', path)]).toEqual([path, path === '/feedback/' ? 200 : 404]);
    const { default: http } = await import('node:http');
    const foreign = await new Promise<number | undefined>((resolve) => {
      http.get(`${site.url}/feedback`, { headers: { host: 'evil.example' } }, (res) =>
        resolve(res.resume().statusCode),
      );
    });
    expect(foreign).toBe(403);
  });

  test('style and script are kept for a year under the address that pages name', async () => {
    await using store = await scratchStore();
    const feedback = await openFeedback(store);
    await using site = await openSite(feedback);
    const browser = openBrowser(site);
    const { text } = await browser.get('/feedback');
    const files = [...text.matchAll(/"(\/feedback\/(?:style\.css|app\.js)\?v=[\w-]+)"/g)].map(
      ([, path]) => path ?? '',
    );
    expect(files).toHaveLength(2);
    for (const path of files) {
      expect((await browser.get(path)).headers.get('cache-control')).toBe(
        'public, max-age=31536000, immutable',
      );
      expect((await browser.get(path.split('?')[0] ?? '')).headers.get('cache-control')).toBe('no-cache');
    }
  });
});
