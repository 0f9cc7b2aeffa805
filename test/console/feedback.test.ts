/** Feedback in the console: triage by keyboard, boards, roadmap, changelog, the look of the pages, import and export. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Browser } from '../product/console-browser.ts';
import type { ConsoleBed, Tab } from './console-bed.ts';
import { lookAt, openConsole, settled } from './console-bed.ts';

/** Links whose words say, or only look like, where they lead; and the host that must stand beside each. */
const LINKS = [
  ['paypal.com', 'https://paypal.co', 'paypal.co'],
  ['paypal.com', 'https://paypal.com.evil.example/x', 'paypal.com.evil.example'],
  ['go to paypal.com', 'https://paypal.com/', 'paypal.com'],
  ['paypal.com@evil.example', 'https://evil.example', 'evil.example'],
  ['https://paypal.com/?evil.example', 'https://evil.example/', 'evil.example'],
  ['paypal.com:8080', 'https://paypal.com', 'paypal.com'],
  ['p\u0430ypal.com', 'https://paypal.com', 'paypal.com'],
  ['PayPal.com/help', 'https://paypal.com/help', ''],
  ['paypal.com', 'https://paypal.com/help', ''],
] as const;
/** What must stay text, wherever somebody may write it. */
const HOSTILE = '<img src=x onerror="window.hit=1"> \u202Ethe end';
const GIF = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64');
const CSV = `Title,Details,Board,Status,Tags,Vote Count,Created,ETA
Dark theme for the widget,White is hard at night,Feature requests,planned,"widget, theme",42,2025-03-01 10:00,soon
,no title,Feature requests,open,,1,2025-03-02,
Works on a watch,x,Wearables,open,,3,2025-03-03,
`;

describeInBrowser('feedback in the console', () => {
  let bed: ConsoleBed;
  let tab: Tab;
  /** Looks at the server from outside, as another tab of the owner. */
  let other: Browser;

  beforeAll(async () => {
    bed = await openConsole(['--demo']);
    [other, tab] = await Promise.all([bed.server.signedIn(), bed.open()]);
  });
  afterAll(async () => {
    await bed[Symbol.asyncDispose]();
  });

  const press = async (...keys: string[]) => {
    for (const key of keys) await tab.page.keyboard.press(key);
  };
  /** As a person types: once there is a caret. */
  const type = async (text: string) => {
    await tab.page.waitForFunction(() => document.activeElement?.matches('input, textarea') === true);
    await tab.page.keyboard.type(text);
  };
  /** Chooses what the words lead to, once it is offered. */
  const choose = async (text: string, name: RegExp) => {
    await type(text);
    await tab.page.getByRole('option', { name }).first().waitFor();
    await press('Enter');
  };
  const openId = async () => (await tab.page.evaluate(() => location.pathname)).split('/')[4] ?? '';
  const opened = () => tab.page.locator('.detail .post-place').waitFor();
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  const ask = async (route: string, body?: unknown): Promise<any> => {
    const [method = '', path = ''] = route.split(' ');
    const answer = await other.ask(`${method} /api/v1${path}`, { body });
    if (answer.status >= 400) throw new Error(`${route}: ${answer.status} ${answer.text}`);
    return answer.body?.data;
  };
  const postOf = (id: string) => ask(`GET /posts/${id}`);
  const post = async () => postOf(await openId());
  const statusName = async () => (await post()).status?.name;
  // A post of the demo is called so too, and older messages may still be there.
  const undo = () => tab.page.getByRole('button', { name: 'Undo', exact: true }).nth(-1).click();
  const counts = () => ask('GET /inbox/counts');
  const names = async (noun: string) =>
    (await ask(`GET /${noun}`)).map(({ name }: { name: string }) => name) as string[];

  test('triage by keyboard: status with Undo, tags, board, owner, an answer, and on to the next', async () => {
    await tab.go('/feedback/inbox');
    const unread = (await counts()).unread;
    await press('j', 'Enter');
    await opened();
    const first = await openId();
    await expect.poll(async () => (await counts()).unread).toBe(unread - 1);

    const before = await statusName();
    await press('s');
    await choose('plan', /^Planned/);
    await expect.poll(statusName).toBe('Planned');
    await undo();
    await expect.poll(statusName).toBe(before);

    await press('t');
    await choose('Brand new tag', /^Make/);
    // Whoever goes on at once does not lose the tag that is still being made.
    await press('Control+Enter');
    await expect
      .poll(async () => (await post()).tags.map(({ name }: { name: string }) => name))
      .toContain('Brand new tag');
    await press('b');
    await choose('bugs', /^Bugs/);
    await expect.poll(async () => (await post()).boardName).toBe('Bugs');
    await press('o');
    await choose('maya', /maya/i);
    await expect.poll(async () => (await post()).ownerMemberId).not.toBeNull();

    await press('a');
    await type('We **hear** you.');
    await press('Control+Enter');
    await tab.page.locator('.post-answer strong').waitFor();
    expect((await post()).officialResponse).toBe('We **hear** you.');
    await press('Escape', 'j');
    await opened();
    await expect.poll(openId).not.toBe(first);

    // A key after "g" goes somewhere, and does nothing to the post.
    const second = await post();
    // Both at once: two keys belong together for less than a second, which a busy machine may take for each.
    await Promise.all([press('g'), press('m')]);
    await tab.page.waitForFunction(() => location.pathname.endsWith('/monitoring'));
    expect(await postOf(second.id)).toEqual(second);
  });

  test('held posts: approve and spam go on to the next one, and merging is taken back', async () => {
    await tab.go('/feedback/inbox?view=pending');
    await press('j', 'Enter');
    await opened();
    const spam = await openId();
    // Keys count while the server still works on the post before: the first act is held up.
    const held = Promise.withResolvers<void>();
    await tab.page.route(`**/posts/${spam}/moderation`, async (route) => {
      await held.promise;
      await route.continue();
    });
    await press('!');
    await expect.poll(openId).not.toBe(spam);
    await opened();
    const approved = await openId();
    await press('e');
    await expect.poll(openId).not.toBe(approved);
    held.resolve();
    await expect.poll(async () => (await postOf(spam)).moderation).toBe('spam');
    await expect.poll(async () => (await postOf(approved)).moderation).toBe('published');

    await tab.go(`/feedback/inbox/${approved}`);
    await opened();
    await press('m');
    await choose('dark mode', /Dark mode/);
    await expect.poll(async () => (await postOf(approved)).mergedIntoId).not.toBeNull();
    await tab.page.getByRole('button', { name: 'Undo', exact: true }).nth(-1).waitFor();
    await press('z');
    await expect.poll(async () => (await postOf(approved)).mergedIntoId).toBeNull();
  });

  test('many at once, and what another person changes shows without a reload', async () => {
    await tab.go('/feedback/inbox?view=unanswered');
    await press('j', 'x', 'j', 'x');
    await tab.page.getByRole('toolbar', { name: 'Selected rows' }).waitFor();
    const keys = await tab.page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('.table-selected')].map((row) => row.dataset['key'] ?? ''),
    );
    expect(keys).toHaveLength(2);
    await press('s');
    await choose('closed', /^Closed/);
    for (const id of keys) await expect.poll(async () => (await postOf(id)).status?.slug).toBe('closed');

    await tab.go('/feedback/inbox');
    await ask('POST /posts', { boardId: 'bugs', title: 'From somewhere else' });
    await tab.page.getByRole('button', { name: /From somewhere else/ }).waitFor();
  });

  test('boards are ordered and made by keyboard, and a status gets a colour', async () => {
    await tab.go('/feedback/boards');
    await tab.page.getByRole('button', { name: /^Move Bugs/ }).focus();
    await press('ArrowUp');
    await expect.poll(async () => (await names('boards'))[0]).toBe('Bugs');
    await press('n');
    await tab.page.getByLabel('Name', { exact: false }).first().fill('Ideas <b>now</b>');
    await press('Enter');
    await expect.poll(() => names('boards')).toContain('Ideas <b>now</b>');
    await tab.go('/feedback/boards/statuses');
    await press('n');
    await tab.page.getByLabel('Name', { exact: false }).first().fill('Waiting');
    await tab.page.getByRole('radio', { name: 'teal' }).click();
    await tab.page.getByRole('button', { name: 'Make the status' }).click();
    await expect.poll(() => names('statuses')).toContain('Waiting');
    expect((await ask('GET /statuses/waiting')).color).toBe('#14b8a6');
  });

  test('a card of the roadmap is moved by keys, across and down, and put back by Undo', async () => {
    await tab.go('/feedback/roadmap');
    const card = tab.page.locator('.lane').first().locator('[data-card]').first();
    const id = (await card.getAttribute('data-card')) ?? '';
    const place = async () => (await postOf(id)).status?.slug;
    expect(await place()).toBe('planned');
    await card.focus();
    await press('Space', 'ArrowRight', 'ArrowDown', 'Space');
    await expect.poll(place).toBe('in_progress');
    const [roadmap] = await ask('GET /roadmaps');
    const work = await ask('GET /statuses/in_progress');
    const inWork = async () =>
      (await ask(`GET /roadmaps/${roadmap.id}/posts?limit=100&statusId=${work.id}`)).map(
        (entry: { id: string }) => entry.id,
      ) as string[];
    await expect.poll(async () => (await inWork()).indexOf(id)).toBe(1);
    await undo();
    await expect.poll(place).toBe('planned');
  });

  test('a changelog entry is written beside its preview, labelled, scheduled and published', async () => {
    await tab.go('/feedback/changelog');
    await press('n');
    await tab.page.getByLabel('Title').fill('Faster search');
    await tab.page.getByRole('button', { name: 'Fixed' }).click();
    await tab.page.getByLabel('Text', { exact: true }).fill('Now **twice** as fast.');
    await tab.page.locator('.entry-preview strong').waitFor();
    await tab.page.getByRole('button', { name: 'Save draft' }).click();
    const entry = async () =>
      (await ask('GET /changelog?limit=20')).find(
        ({ title }: { title: string }) => title === 'Faster search',
      );
    await expect.poll(async () => (await entry())?.state).toBe('draft');
    expect((await entry())?.labels).toEqual(['Fixed']);
    await tab.page.locator('.detail').getByRole('button', { name: 'More' }).click();
    await tab.page.getByRole('menuitem', { name: 'Schedule …' }).click();
    await tab.page.getByRole('button', { name: 'Schedule', exact: true }).click();
    await expect.poll(async () => (await entry())?.state).toBe('scheduled');
    await tab.page.getByRole('button', { name: 'Publish' }).click();
    await expect.poll(async () => (await entry())?.state).toBe('published');
  });

  test('the public pages take name, colour and logo', async () => {
    await tab.go('/feedback/settings');
    await tab.page.getByLabel('Name', { exact: true }).fill('Harbor & Sons');
    await tab.page.getByRole('radio', { name: 'teal' }).click();
    await tab.page.getByRole('button', { name: 'Save' }).click();
    await tab.page
      .getByLabel('Choose the logo')
      .setInputFiles({ name: 'logo.gif', mimeType: 'image/gif', buffer: GIF });
    await expect.poll(async () => (await ask('GET /settings')).logo).not.toBeNull();
    const text = await (await fetch(`${bed.url}/feedback`)).text();
    expect(text).toContain('Harbor &amp; Sons');
    expect(text).toContain('brand.css?v=14b8a6');
    expect(text).toContain('class="logo"');
    await tab.page
      .getByLabel('Choose the logo')
      .setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg/>') });
    await tab.page.locator('.toast, [role="status"]').first().waitFor();
  });

  test('a file is checked, then imported, and everything can be taken out', async () => {
    await tab.go('/feedback/import');
    await tab.page
      .getByLabel('Choose a file to import')
      .setInputFiles({ name: 'canny.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) });
    await tab.page.getByRole('button', { name: 'Check the file' }).click();
    await tab.page.getByRole('button', { name: 'Import 1 rows' }).waitFor();
    const { total: before } = await counts();
    await tab.page.getByText('Make boards that are not there yet').click();
    await tab.page.getByRole('button', { name: 'Check again' }).click();
    await tab.page.getByRole('button', { name: 'Import 2 rows' }).click();
    await tab.page.getByText('2 rows imported, 1 failed').waitFor();
    expect((await counts()).total).toBe(before + 2);
    const found = await ask('GET /posts?search=widget%20theme');
    expect(found[0]).toMatchObject({ voteCount: 42, createdAt: '2025-03-01T10:00:00.000Z' });
    await tab.page.getByRole('button', { name: 'Forget the import of canny.csv' }).click();
    await tab.page.getByRole('dialog').getByText('what it imported stays').waitFor();
    await tab.page.getByRole('button', { name: 'Forget it' }).click();
    await tab.page.getByText('2 rows imported, 1 failed').waitFor({ state: 'detached' });
    expect((await counts()).total).toBe(before + 2);
    const csv = await tab.page.evaluate(async () => (await fetch('/api/v1/export?form=csv')).text());
    expect(csv).toContain('Works on a watch');
  });

  test('what people write is text on every screen, and each screen holds in both sizes and themes', async () => {
    const board = await ask('POST /boards', { name: HOSTILE, description: HOSTILE });
    const tag = await ask('POST /tags', { name: HOSTILE.slice(0, 50) });
    const made = await ask('POST /posts', {
      boardId: board.id,
      title: HOSTILE,
      content: `${HOSTILE}\n\n[link](javascript:window.hit=1) ![x](https://e.example/x.png)\n\n${LINKS.map(([text, href]) => `[${text}](${href})`).join(' ')}`,
      tagIds: [tag.id],
    });
    await ask(`POST /posts/${made.id}/comments`, { content: HOSTILE });
    await ask(`PATCH /posts/${made.id}`, { officialResponse: HOSTILE });
    const entry = await ask('POST /changelog', { title: HOSTILE, content: HOSTILE, labels: ['<b>x'] });
    const [roadmap] = await ask('GET /roadmaps');
    await ask(`POST /roadmaps/${roadmap.id}/posts`, { postId: made.id });
    const screens = {
      'feedback-inbox': '/feedback/inbox',
      'feedback-post': `/feedback/inbox/${made.id}`,
      'feedback-held': '/feedback/inbox?view=spam',
      'feedback-boards': '/feedback/boards',
      'feedback-statuses': '/feedback/boards/statuses',
      'feedback-roadmap': '/feedback/roadmap',
      'feedback-changelog': `/feedback/changelog/${entry.id}`,
      'feedback-people': '/feedback/people',
      'feedback-pages': '/feedback/settings',
      'feedback-import': '/feedback/import',
    };
    expect(await lookAt(bed, screens)).toEqual([]);
    for (const path of Object.values(screens)) {
      await tab.go(path);
      await settled(tab.page);
      expect([path, await tab.page.evaluate(() => (window as { hit?: number }).hit)]).toEqual([
        path,
        undefined,
      ]);
    }
    await tab.go(`/feedback/inbox/${made.id}`);
    await opened();
    const hosts = await tab.page.evaluate(() =>
      [...document.querySelectorAll('.post-text a[href*="paypal"], .post-text a[href*="evil"]')].map(
        (link) => [
          link.firstChild?.textContent,
          link.getAttribute('href'),
          link.querySelector('.link-host')?.textContent ?? '',
        ],
      ),
    );
    const wanted = LINKS.map(([text, href, host]) => [text, new URL(href).href, host && ` (${host})`]);
    expect(hosts).toEqual(wanted);
    expect(tab.faults).toEqual([]);
  });
});
