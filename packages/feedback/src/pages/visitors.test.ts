/** Visitors without scripts: they come in, post, vote, comment and react; what is foreign or too much is refused. */
import { typeId } from '@parley/kit';
import type { OpenStore } from '@parley/store/testing';
import { scratchStore } from '@parley/store/testing';
import { describe, expect, test } from 'vitest';
import type { FeedbackTables } from '../schema.ts';
import type { TestFeedbackOptions } from '../testing/fixture.ts';
import { openFeedback } from '../testing/fixture.ts';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import type { PageOptions } from './routes.ts';
import { onBothEngines } from '../testing/engines.ts';

async function openSite(open: OpenStore, options: Partial<PageOptions> & TestFeedbackOptions = {}) {
  const feedback = await openFeedback(await open(), options);
  await feedback.services.settings.update(feedback.admin, { isPublished: true });
  const site = await servePages(feedback.services, { visitorsPerHour: 50, writesPerMinute: 200, ...options });
  const board = await feedback.services.boards.create(feedback.admin, { name: 'Ideas' });
  const post = await feedback.post({ title: 'Dark mode', boardId: board.id });
  return { feedback, site, board, post, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

onBothEngines('visitors', (open) => {
  test('somebody without a name votes, is asked for it once, and then needs no other', async () => {
    await using scene = await openSite(open);
    const { site, post, feedback } = scene;
    const browser = openBrowser(site);
    const path = `/feedback/posts/${post}`;
    expect((await browser.get(path)).text).toContain('aria-pressed="false"');
    const asked = await browser.post(`${path}/vote`, { voted: 'yes', next: path });
    expect(asked.status).toBe(200);
    expect(asked.text).toContain('Who are you?');
    expect(asked.text).toContain('name="voted" value="yes"');
    const done = await browser.post(`${path}/vote`, { voted: 'yes', next: path, name: '  Vera \u202E ' });
    expect([done.status, done.headers.get('location')]).toEqual([303, path]);
    const seen = await browser.get(path);
    expect(seen.text).toContain('aria-pressed="true"');
    expect(seen.text).toContain('Take back your vote for Dark mode, 1 vote');
    expect(seen.text).toContain('>Vera<');
    await browser.post(`${path}/vote`, { voted: 'yes' });
    expect((await browser.get(path)).text).toContain('1 vote"');
    await browser.post(`${path}/vote`, {});
    expect((await browser.get(path)).text).toContain('0 votes"');
    const members = await feedback.identity.listMembers(feedback.organizationId);
    expect(members.filter(({ name }) => name === 'Vera')).toMatchObject([{ rank: 'user', email: null }]);
  });

  test('a visitor posts, comments, replies, edits, reacts and takes back what nobody has touched', async () => {
    await using scene = await openSite(open);
    const { site, board, feedback } = scene;
    const browser = openBrowser(site);
    const made = await browser.post(`/feedback/boards/${board.slug}/new`, {
      title: ' Shortcuts ',
      content: 'One\r\nTwo',
      name: 'Vera',
    });
    expect(made.status).toBe(303);
    const path = made.headers.get('location') ?? '';
    expect((await browser.get(path)).text).toContain('<p>One<br />\nTwo</p>');
    expect((await browser.get(`/feedback/boards/${board.slug}`)).text).toContain('Shortcuts');

    const said = await browser.post(`${path}/comments`, { content: 'First' });
    const commentId = `comment_${/#c-(.+)$/.exec(said.headers.get('location') ?? '')?.[1]}`;
    await browser.post(`${path}/comments`, { content: 'Second', parent: commentId });
    expect((await browser.get(`${path}?edit=${commentId}`)).text).toContain('First</textarea>');
    await browser.post(`/feedback/comments/${commentId}/edit`, { content: 'Changed', next: path });
    await browser.post('/feedback/reactions', { set: `on ${commentId} 🎉`, next: path });
    const page = await browser.get(path);
    expect(page.text).toContain('Changed');
    expect(page.text).toContain('(edited)');
    expect(page.text).toMatch(/aria-pressed="true"\s*>\s*🎉 1\s*</);
    expect(page.text).not.toContain('Delete this post');
    const refused = await browser.post(`${path}/delete`, {});
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('Others have already dealt with this post.');
    await browser.post(`/feedback/comments/${commentId}/delete`, { next: path });
    expect((await browser.get(path)).text).toContain('This comment was deleted.');

    const second = await browser.post(`/feedback/boards/${board.slug}/new`, { title: 'Never mind' });
    const other = second.headers.get('location') ?? '';
    expect((await browser.get(other)).text).toContain('Delete this post');
    expect((await browser.post(`${other}/delete`, {})).headers.get('location')).toBe(
      `/feedback/boards/${board.slug}`,
    );
    expect((await browser.get(other)).status).toBe(404);

    const stranger = openBrowser(site);
    await stranger.post('/feedback/sign-in', { name: 'Sid', next: path });
    await stranger.get(path);
    expect((await stranger.post(`${path}/delete`, {})).status).toBe(404);
    const own = await feedback.services.comments.create(feedback.member, path.slice(-31), {
      content: 'Team',
    });
    expect((await stranger.post(`/feedback/comments/${own.id}/edit`, { content: 'x' })).status).toBe(403);
  });

  test('a moderated board shows a post only after the team has looked', async () => {
    await using scene = await openSite(open);
    const { site, feedback } = scene;
    const { services, admin } = feedback;
    const board = await services.boards.create(admin, { name: 'Careful', settings: { moderation: true } });
    const browser = openBrowser(site);
    const made = await browser.post('/feedback/boards/careful/new', { title: 'Waiting', name: 'Vera' });
    expect(made.headers.get('location')).toBe('/feedback/boards/careful?sent=pending');
    const page = await browser.get('/feedback/boards/careful?sent=pending');
    expect(page.text).toContain('The team looks at your post');
    expect(page.text).not.toContain('Waiting');
    const row = await feedback.store
      .db<FeedbackTables>()
      .selectFrom('feedback_posts')
      .select(['moderation', 'id'])
      .where('board_id', '=', board.id)
      .executeTakeFirstOrThrow();
    expect(row.moderation).toBe('pending');
    expect((await browser.get(`/feedback/posts/${row.id}`)).status).toBe(404);
    expect((await browser.post(`/feedback/posts/${row.id}/vote`, {})).status).toBe(404);
    expect((await browser.post(`/feedback/posts/${row.id}/comments`, { content: 'x' })).status).toBe(404);
    await services.moderation.set(admin, row.id, 'published');
    expect((await browser.get('/feedback/boards/careful')).text).toContain('Waiting');
    const edited = await browser.post(`/feedback/posts/${row.id}/edit`, { title: 'Something else' });
    expect(edited.headers.get('location')).toBe('/feedback/boards/careful?sent=pending');
    expect((await browser.get(`/feedback/posts/${row.id}`)).status).toBe(404);
  });

  test('a visitor follows a post and stops, as a form of the page says', async () => {
    await using scene = await openSite(open);
    const { site, post, feedback } = scene;
    const path = `/feedback/posts/${post}`;
    const browser = openBrowser(site);
    expect((await browser.get(path)).text).not.toContain('Follow this post');
    const asked = await browser.post(`${path}/follow`, { follow: 'yes', next: path });
    expect(asked.headers.get('location')).toBe(`/feedback/sign-in?next=${encodeURIComponent(path)}`);
    await browser.post('/feedback/sign-in', { name: 'Vera', next: path });
    expect((await browser.get(path)).text).toContain('Follow this post');
    expect((await browser.post(`${path}/follow`, { follow: 'yes', csrf: 'x' })).status).toBe(403);
    const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await browser.post(`${path}/follow`, { follow: 'yes' }, foreign)).status).toBe(403);
    expect((await browser.get(path)).text).toContain('Follow this post');
    const done = await browser.post(`${path}/follow`, { follow: 'yes', next: path });
    expect([done.status, done.headers.get('location')]).toEqual([303, path]);
    expect((await browser.get(path)).text).toContain('Stop following');
    await browser.post(`${path}/follow`, { follow: 'no', next: path });
    expect((await browser.get(path)).text).toContain('Follow this post');
    await feedback.services.moderation.set(feedback.admin, post, 'archived');
    expect((await browser.post(`${path}/follow`, { follow: 'yes' })).status).toBe(404);
  });

  test('a visitor edits an own post until somebody else deals with it', async () => {
    await using scene = await openSite(open);
    const { site, board, post, feedback } = scene;
    const { services, admin } = feedback;
    const browser = openBrowser(site);
    const made = await browser.post(`/feedback/boards/${board.slug}/new`, {
      title: 'Shortcut',
      name: 'Vera',
    });
    const path = made.headers.get('location') ?? '';
    expect((await browser.get(path)).text).toContain(`href="${path}/edit"`);
    const form = await browser.get(`${path}/edit`);
    expect([form.status, form.text.includes('value="Shortcut"')]).toEqual([200, true]);
    expect((await browser.post(`${path}/edit`, { title: 'Evil', csrf: 'x' })).status).toBe(403);
    const bad = await browser.post(`${path}/edit`, { title: ' ', content: '<b>kept' });
    expect([bad.status, bad.text.includes('&lt;b&gt;kept')]).toEqual([400, true]);
    const saved = await browser.post(`${path}/edit`, { title: 'Shortcuts', content: '<i>all</i>' });
    expect([saved.status, saved.headers.get('location')]).toEqual([303, path]);
    const shown = await browser.get(path);
    expect(shown.text).toContain('<h1 dir="auto">Shortcuts</h1>');
    expect(shown.text).toContain('&lt;i&gt;all&lt;/i&gt;');

    const other = await browser.get(`/feedback/posts/${post}/edit`);
    expect([other.status, other.headers.get('location')]).toEqual([302, `/feedback/posts/${post}`]);
    expect((await browser.get(`/feedback/posts/${post}`)).text).not.toContain('Edit this post');
    expect((await browser.post(`/feedback/posts/${post}/edit`, { title: 'Mine' })).status).toBe(404);
    const stranger = openBrowser(site);
    expect((await stranger.get(`${path}/edit`)).status).toBe(302);
    expect((await stranger.post(`${path}/edit`, { title: 'Mine' })).headers.get('location')).toMatch(
      /sign-in/,
    );

    await services.votes.set(admin, path.slice(-31), true);
    const touched = await browser.get(path);
    expect(touched.text).not.toMatch(/Edit this post|Delete this post/);
    expect((await browser.get(`${path}/edit`)).status).toBe(302);
    expect((await browser.post(`${path}/edit`, { title: 'Late' })).status).toBe(403);
    expect((await browser.get(path)).text).toContain('<h1 dir="auto">Shortcuts</h1>');
  });

  test('nothing reaches a board or a comment that is not public', async () => {
    await using scene = await openSite(open);
    const { site, feedback, post } = scene;
    const { services, admin, member } = feedback;
    const closed = await services.boards.create(admin, { name: 'Closed', isPublic: false });
    const hidden = await feedback.post({ boardId: closed.id });
    const secret = await services.comments.create(member, post, { content: 'Secret', isPrivate: true });
    const browser = openBrowser(site);
    await browser.post('/feedback/sign-in', { name: 'Vera' });
    await browser.get('/feedback');
    const tries: [string, Record<string, string>][] = [
      ['/feedback/boards/closed/new', { title: 'x' }],
      [`/feedback/posts/${hidden}/vote`, {}],
      [`/feedback/posts/${hidden}/comments`, { content: 'x' }],
      ['/feedback/reactions', { set: `on ${secret.id} 👍` }],
      [`/feedback/comments/${secret.id}/edit`, { content: 'x' }],
      [`/feedback/comments/${secret.id}/delete`, {}],
    ];
    for (const [path, fields] of tries)
      expect([path, (await browser.post(path, fields)).status]).toEqual([path, 404]);
    const reply = await browser.post(`/feedback/posts/${post}/comments`, { content: 'x', parent: secret.id });
    expect([400, 404]).toContain(reply.status);
    expect(reply.text).not.toContain('Secret');
  });
});

const onSqlite: OpenStore = () => scratchStore();

describe('forms', () => {
  test('a foreign origin, a foreign site and no word about either are refused', async () => {
    await using scene = await openSite(onSqlite);
    const { site, post, feedback } = scene;
    const path = `/feedback/posts/${post}/vote`;
    const browser = openBrowser(site);
    await browser.post('/feedback/sign-in', { name: 'Vera' });
    await browser.get('/feedback');
    const before = (await feedback.identity.listMembers(feedback.organizationId)).length;
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
    ])
      expect([headers, (await browser.post(path, {}, headers)).status]).toEqual([headers, 403]);
    const bare = await fetch(site.url + path, {
      method: 'POST',
      body: new URLSearchParams({ name: 'Nobody' }),
      headers: { cookie: browser.cookie ?? '', 'sec-fetch-site': '' },
    });
    expect(bare.status).toBe(403);
    expect((await browser.get('/feedback/boards/ideas')).text).toContain('0 votes"');
    expect(await feedback.identity.listMembers(feedback.organizationId)).toHaveLength(before);
  });

  test('behind a proxy the public address is the own one, and cookies are for https', async () => {
    const publicUrl = 'https://feedback.example.com';
    await using scene = await openSite(onSqlite, { publicUrl });
    const browser = openBrowser(scene.site);
    const done = await browser.post('/feedback/sign-in', { name: 'Vera' }, { origin: publicUrl });
    expect([done.status, done.headers.get('set-cookie')?.startsWith('__Host-')]).toEqual([303, true]);
    const { text } = await browser.get('/feedback');
    expect(text).toContain(`<link rel="canonical" href="${publicUrl}/feedback" />`);
    const foreign = await browser.post('/feedback/sign-out', {}, { origin: 'https://other.example.com' });
    expect(foreign.status).toBe(403);
  });

  test('without the token of the session nothing happens', async () => {
    await using scene = await openSite(onSqlite);
    const { site, post } = scene;
    const browser = openBrowser(site);
    await browser.post('/feedback/sign-in', { name: 'Vera' });
    await browser.get('/feedback');
    const other = openBrowser(site);
    await other.post('/feedback/sign-in', { name: 'Other' });
    const foreign = /name="csrf" value="([^"]+)"/.exec((await other.get('/feedback')).text)?.[1] ?? '';
    for (const csrf of ['', 'x', foreign])
      for (const path of [`/feedback/posts/${post}/vote`, '/feedback/sign-out', '/feedback/boards/ideas/new'])
        expect((await browser.post(path, { csrf, title: 'x' })).status).toBe(403);
    expect((await browser.get('/feedback/boards/ideas')).text).toContain('0 votes"');
    expect((await browser.get('/feedback')).text).toContain('>Vera<');
  });

  test('the cookie is closed to scripts and foreign sites, and on https to plain http too', async () => {
    await using scene = await openSite(onSqlite);
    const { url } = scene.site;
    const rules = ['HttpOnly', 'Max-Age=604800', 'Path=/', 'SameSite=Lax'];
    // Their order means nothing to a browser.
    const rulesOf = ({ headers }: { headers: Headers }) => headers.get('set-cookie')?.split('; ').toSorted();
    const browser = openBrowser(scene.site);
    const plain = await browser.post('/feedback/sign-in', { name: 'Vera' });
    expect(rulesOf(plain)).toEqual([...rules, expect.stringMatching(/^parley_session_\d+=\S+$/)]);
    const secure = await openBrowser(scene.site).post(
      '/feedback/sign-in',
      { name: 'Vera' },
      { origin: url.replace('http:', 'https:') },
    );
    expect(rulesOf(secure)).toEqual([
      ...rules,
      'Secure',
      expect.stringMatching(/^__Host-parley_session=\S+$/),
    ]);
    await browser.get('/feedback');
    const left = await browser.post('/feedback/sign-out', {});
    expect(rulesOf(left)).toEqual([
      'HttpOnly',
      'Max-Age=0',
      'Path=/',
      'SameSite=Lax',
      expect.stringMatching(/^parley_session_\d+=$/),
    ]);
    expect(
      await scene.feedback.identity.sessions.find(plain.headers.get('set-cookie')?.split(/[=;]/)[1] ?? ''),
    ).toBeUndefined();
  });

  test('after a form the browser is led to places of this site only', async () => {
    await using scene = await openSite(onSqlite);
    const led = async (next: string) =>
      (await openBrowser(scene.site).post('/feedback/sign-in', { name: 'V', next })).headers.get('location');
    for (const next of [
      'https://evil.example',
      '//evil.example',
      '/feedback.evil.example',
      String.raw`/feedback/\evil`,
      '/feedback/\r\nx: y',
      '/mcp',
      '',
    ])
      expect(await led(next)).toBe('/feedback');
    const next = "/feedback/boards/ideas?q=it's+(so)&sort=newest";
    expect(await led(next)).toBe(next);
  });

  test('names and texts keep to their limits, and nothing that was typed is lost', async () => {
    await using scene = await openSite(onSqlite);
    const { site, post, feedback } = scene;
    const browser = openBrowser(site);
    const count = async () => (await feedback.identity.listMembers(feedback.organizationId)).length;
    const before = await count();
    for (const name of ['', ' ', '\u200B', 'x'.repeat(61)]) {
      const { status, text } = await browser.post(`/feedback/posts/${post}/comments`, {
        content: 'Kept <words>',
        name,
      });
      expect([status, text.includes('value="Kept &lt;words&gt;"')]).toEqual([400, true]);
    }
    const blank = await browser.post('/feedback/boards/ideas/new', {
      title: ' ',
      content: 'Kept',
      name: 'Vera',
    });
    expect(blank.status).toBe(400);
    expect(blank.text).toContain('Kept</textarea>');
    expect(
      (await browser.post('/feedback/boards/ideas/new', { title: 'x'.repeat(201), name: 'Vera' })).status,
    ).toBe(400);
    expect(
      (await browser.post(`/feedback/posts/${post}/comments`, { content: ' ', name: 'Vera' })).status,
    ).toBe(400);
    expect(
      (await browser.post(`/feedback/posts/${post}/comments`, { content: 'x'.repeat(300_000) })).status,
    ).toBe(413);
    expect(
      (await browser.post(`/feedback/posts/${post}/vote`, {}, { 'content-type': 'application/json' })).status,
    ).toBe(415);
    expect((await browser.post('/feedback/posts/post_x/vote', { name: 'Vera' })).status).toBe(400);
    expect((await browser.post(`/feedback/posts/${typeId('post')}/vote`, { name: 'Vera' })).status).toBe(404);
    const late = await browser.post('/feedback/comments/comment_x/edit', {
      content: 'x',
      name: 'Vera',
      next: '/feedback/roadmap',
    });
    expect(late.headers.get('location')).toBe('/feedback/sign-in?next=%2Ffeedback%2Froadmap');
    expect(await count()).toBe(before);
  });

  test('too many requests from one address are told to wait, on pages and as data; files and other addresses are not', async () => {
    let nowMs = Date.UTC(2026, 6, 1);
    await using scene = await openSite(onSqlite, {
      now: () => nowMs,
      readsPerMinute: 6,
      trustedProxies: ['127.0.0.1', '::1'],
    });
    const browser = openBrowser(scene.site);
    const ask = (path: string, from = '192.0.2.1') => browser.get(path, { 'x-forwarded-for': from });
    const paths = ['/feedback', '/api/public/boards', '/changelog.xml', '/feedback/roadmap', '/feedback/no'];
    for (const path of paths) expect((await ask(path)).status).toBeLessThan(405);
    expect((await browser.post('/feedback/sign-in', {}, { 'x-forwarded-for': '192.0.2.1' })).status).not.toBe(
      429,
    );
    for (const path of paths) {
      const late = await ask(path);
      expect([path, late.status, Number(late.headers.get('retry-after'))]).toEqual([path, 429, 61]);
      expect(late.text).toContain('Too many requests. Try again in 61 seconds.');
    }
    expect((await browser.post('/feedback/sign-in', {}, { 'x-forwarded-for': '192.0.2.1' })).status).toBe(
      429,
    );
    expect((await ask('/feedback/style.css')).status).toBe(200);
    // A client cannot write itself another address before the one that the proxy saw.
    expect((await ask('/feedback', '198.51.100.7, 192.0.2.1')).status).toBe(429);
    expect((await ask('/feedback', '192.0.2.2')).status).toBe(200);
    nowMs += 61_000;
    expect((await ask('/feedback')).status).toBe(200);
  });

  test('too many forms and too many new visitors are told to wait', async () => {
    let nowMs = Date.UTC(2026, 6, 1);
    await using scene = await openSite(onSqlite, {
      now: () => nowMs,
      writesPerMinute: 20,
      visitorsPerHour: 5,
    });
    const { site, post } = scene;
    const join = () => openBrowser(site).post('/feedback/sign-in', { name: 'V' });
    for (let index = 0; index < 5; index += 1) expect((await join()).status).toBe(303);
    const sixth = await join();
    expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, '3600']);
    nowMs += 60_000;
    const vote = () =>
      openBrowser(site).post(
        `/feedback/posts/${post}/vote`,
        {},
        { 'x-forwarded-for': `10.0.0.${nowMs % 200}` },
      );
    for (let index = 0; index < 20; index += 1) expect((await vote()).status).toBe(200);
    const late = await vote();
    expect([late.status, late.headers.get('retry-after')]).toEqual([429, '60']);
    expect(late.text).toContain('Try again in 60 seconds.');
    nowMs += 60_001;
    expect((await vote()).status).toBe(200);
    nowMs += 3_600_000;
    expect((await join()).status).toBe(303);
  });
});
