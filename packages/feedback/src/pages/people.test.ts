/** What pages do for people: similar posts in time, names that are not the team's, marks, directions, second thoughts. */
import type { OpenStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import { openRest } from '../../test/rest-api.ts';
import { openBrowser, servePages } from '../../test/serve-pages.ts';
import { onBothEngines } from '../testing/engines.ts';
import { openFeedback } from '../testing/fixture.ts';

async function openSite(open: OpenStore) {
  const feedback = await openFeedback(await open());
  await feedback.services.settings.update(feedback.admin, { isPublished: true });
  const site = await servePages(feedback.services, { writesPerMinute: 200 });
  const board = await feedback.services.boards.create(feedback.admin, { name: 'Ideas' });
  const post = await feedback.post({ title: 'Dark mode', boardId: board.id });
  return { feedback, site, board, post, [Symbol.asyncDispose]: () => site[Symbol.asyncDispose]() };
}

onBothEngines('pages for people', (open) => {
  test('an idea that is there already is shown once before it is posted again', async () => {
    await using scene = await openSite(open);
    const { site, board, post, feedback } = scene;
    const { services, admin } = feedback;
    const internal = await services.boards.create(admin, { name: 'In', isPublic: false });
    await feedback.post({ title: 'Dark secret mode', boardId: internal.id });
    const browser = openBrowser(site);
    const path = `/feedback/boards/${board.slug}`;
    const posts = async () => (await services.posts.list(admin, { boardId: board.id, limit: 9 })).total;
    for (const title of ['Dark mode', 'dark MODES', 'A mode that is dark']) {
      const back = await browser.post(`${path}/new`, { title, content: 'At <night>', name: 'Vera' });
      expect([title, back.status]).toEqual([title, 200]);
      expect(back.text).toContain('Vote for it instead');
      expect(back.text).toContain('Post anyway');
      expect(back.text).toContain(`formaction="/feedback/posts/${post}/vote"`);
      expect(back.text).toContain('At &lt;night&gt;');
      expect(back.text).not.toContain('secret');
    }
    expect(await posts()).toBe(1);
    const changed = await browser.post(`${path}/new`, { title: 'Darkest mode', seen: 'Dark', name: 'Vera' });
    expect(changed.text).toContain('Post anyway');
    const anyway = await browser.post(`${path}/new`, { title: 'Dark mode', seen: 'Dark mode', name: 'Vera' });
    expect(anyway.status).toBe(303);
    await browser.get(path);
    const unlike = await browser.post(`${path}/new`, { title: 'Cheese for dark times' });
    expect(unlike.status).toBe(303);
    expect(await posts()).toBe(3);
    const voted = await browser.post(`/feedback/posts/${post}/vote`, { voted: 'yes', title: 'Dark mode' });
    expect(voted.headers.get('location')).toBe(`/feedback/posts/${post}`);
    expect((await services.posts.get(admin, post)).voteCount).toBe(1);
  });

  test('what is alike comes as a piece of a page while a title is typed', async () => {
    await using scene = await openSite(open);
    const { site, board, post } = scene;
    const browser = openBrowser(site);
    const ask = (title: string) =>
      browser.get(`/feedback/boards/${board.slug}/similar?${new URLSearchParams({ title })}`);
    const found = await ask('"dark" <b> mode');
    expect(found.status).toBe(200);
    expect(found.text).toContain(`href="/feedback/posts/${post}"`);
    expect(found.text).toContain('name="seen" value="&quot;dark&quot; &lt;b&gt; mode"');
    for (const title of ['', 'the', 'Cheese', '\ud800', 'x'.repeat(5000)]) {
      const none = await ask(title);
      expect([title, none.status, none.text]).toEqual([title, 200, '']);
    }
    expect((await browser.get('/feedback/boards/none/similar?title=x')).status).toBe(404);
    expect((await browser.get(`/feedback/boards/${board.slug}/new`)).text).toContain(
      `data-from="/feedback/boards/${board.slug}/similar"`,
    );
  });

  test('a visitor cannot take a name that looks like the team', async () => {
    await using scene = await openSite(open);
    const { site, post, feedback } = scene;
    const path = `/feedback/posts/${post}/vote`;
    const refused = [
      'Ada Admin',
      'ada  admin',
      'ＡＤＡ ＡＤＭＩＮ',
      'Adа Аdmin',
      'Mia.Member',
      'Owner',
      'Owner 2',
      'ᴏᴡɴᴇʀ',
      'Owпer',
      'Owner (team)',
      'Feedback',
      'Feedback Team',
      'O w n e r',
      'ADMIN',
      'the team',
      'Acme',
      'Owner 1',
      'Adm\u0131n',
      'Adm1n',
      'Ada\u3164Admin',
      'Mia Member\uFFA0',
      'Mla Mernber',
      '\u115F0wner\u1160 (tearn)',
    ];
    for (const name of refused) {
      const asked = await openBrowser(site).post(path, { voted: 'yes', name });
      expect([name, asked.status, asked.headers.get('set-cookie')]).toEqual([name, 400, null]);
      expect(asked.text).toContain('That name looks like one of the team.');
    }
    for (const name of ['Ada', 'Adam Inker', 'Teamster', '管理者'])
      expect([name, (await openBrowser(site).post(path, { voted: 'yes', name })).status]).toEqual([
        name,
        303,
      ]);
    const blank = await openBrowser(site).post(path, { voted: 'yes', name: '\u3164\u2800' });
    expect([blank.status, blank.headers.get('set-cookie')]).toEqual([400, null]);
    const members = await feedback.identity.listMembers(feedback.organizationId);
    expect(members.filter(({ rank }) => rank === 'user')).toHaveLength(5);
  });

  test('what the team writes is marked, and what visitors write is not', async () => {
    await using scene = await openSite(open);
    const { site, board, post, feedback } = scene;
    const { services, admin, visitor } = feedback;
    const other = await feedback.post({ title: 'Export', boardId: board.id, by: visitor });
    await services.posts.update(admin, other, { officialResponse: 'Soon.' });
    const browser = openBrowser(site);
    const marks = async (path: string) =>
      (await browser.get(path)).text.split('<span class="team">Team</span>').length - 1;
    expect(await marks(`/feedback/posts/${post}`)).toBe(1);
    expect(await marks(`/feedback/posts/${other}`)).toBe(1);
    expect(await marks('/feedback/boards/ideas')).toBe(1);
    await services.posts.update(admin, other, { officialResponse: null });
    expect(await marks(`/feedback/posts/${other}`)).toBe(0);
    const { data } = JSON.parse((await browser.get('/api/public/posts?sort=oldest')).text) as {
      data: { isTeamMember: boolean }[];
    };
    expect(data.map(({ isTeamMember }) => isTeamMember)).toEqual([true, false]);
  });

  test('texts of people carry their own direction, and none can turn the rest of a page around', async () => {
    const api = await openRest(await open());
    await api.services.settings.update(api.admin, { isPublished: true });
    await using site = await servePages(api.services);
    const ask = async (method: string, path: string, body: unknown) =>
      (await api.call(method, path, { as: api.keys.admin, body })).json.data;
    await ask('POST', '/boards', { name: 'רעיונות\u202E', slug: 'hebrew' });
    const tag = await ask('POST', '/tags', { name: '\u2067وسم' });
    const made = await ask('POST', '/posts', {
      boardId: 'hebrew',
      title: '\u202Eالوضع الداكن.',
      content: 'من فضلك.',
      tagIds: [tag.id],
    });
    await ask('POST', `/posts/${made.id}/comments`, { content: 'شكرا.' });
    await ask('PATCH', `/posts/${made.id}`, { officialResponse: 'قريبا.' });
    const browser = openBrowser(site);
    const direction = /[\u202A-\u202E\u2066-\u2069]/;
    for (const [path, texts] of [
      ['/feedback', ['רעיונות']],
      ['/feedback/boards/hebrew', ['רעיונות', 'الوضع الداكن.', 'من فضلك.', 'وسم']],
      [`/feedback/posts/${made.id}`, ['الوضع الداكن.', 'من فضلك.', 'شكرا.', 'قريبا.']],
    ] as const) {
      const main = (await browser.get(path)).text.split('<main')[1] ?? '';
      expect(direction.test(main)).toBe(false);
      for (const text of texts) {
        const before = main.slice(0, main.indexOf(`>${text}<`) + 1);
        expect(before, text).not.toBe('');
        // The nearest block or inline element around the text says its direction.
        expect([text, /(?:dir="auto"[^<]*>|<bdi>)(?:\s*<(?:a|p)[^>]*>)*$/.test(before)]).toEqual([
          text,
          true,
        ]);
      }
    }
  });

  test('a comment is deleted only after a second thought', async () => {
    await using scene = await openSite(open);
    const { site, post } = scene;
    const browser = openBrowser(site);
    const said = await browser.post(`/feedback/posts/${post}/comments`, { content: 'Mine', name: 'Vera' });
    const id = `comment_${/#c-(.+)$/.exec(said.headers.get('location') ?? '')?.[1]}`;
    const form = (await browser.get(`/feedback/posts/${post}?edit=${id}`)).text;
    expect(form).toMatch(/<details class="delete">\s*<summary>Delete this comment<\/summary>[^]*Delete it/);
    expect(form.indexOf('<details')).toBeLessThan(form.indexOf(`/feedback/comments/${id}/delete`));
  });

  test('problems are told in words for people', async () => {
    await using scene = await openSite(open);
    const { site, board } = scene;
    const browser = openBrowser(site);
    const path = `/feedback/boards/${board.slug}/new`;
    for (const [fields, text] of [
      [{ title: ' ' }, 'Give your post a title.'],
      [{ title: 'x'.repeat(201) }, 'This title is too long. Keep it to 200 characters.'],
      [{ title: 'x', content: 'y'.repeat(10_001) }, 'This text is too long. Keep it to 10,000 characters.'],
    ] as const) {
      const back = await browser.post(path, fields);
      expect([back.status, back.text.includes(text)]).toEqual([400, true]);
      expect(back.text).not.toMatch(/must have|characters \(got/);
    }
    const lost = await browser.get('/feedback/nowhere');
    expect(lost.status).toBe(404);
    expect(lost.text).toContain('There is no page at this address.');
  });
});
