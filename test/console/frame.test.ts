/** The frame of the console in a real browser: places, keys, themes, live data, a lost server, strangers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Page } from '../e2e/playwright.ts';
import type { ConsoleBed } from './console-bed.ts';
import { DESK, PHONE, keepPicture, lookAt, openConsole, settled, violations } from './console-bed.ts';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'self'",
];

describeInBrowser('the frame', () => {
  let bed: ConsoleBed;
  beforeAll(async () => {
    bed = await openConsole(['--demo']);
  });
  afterAll(() => bed[Symbol.asyncDispose]());

  const pathOf = (page: Page) => page.evaluate(() => location.pathname.replace('/console', '') || '/');

  test('looks right and is accessible in both themes and sizes', async () => {
    expect(
      await lookAt(bed, { home: '/', account: '/account', 'get-started': '/first-run', missing: '/nowhere' }),
    ).toEqual([]);
  });

  test('the way in looks right, and says the same whatever was wrong', async () => {
    for (const size of [DESK, PHONE]) {
      const { page, context, faults } = await bed.openStranger('/console/tasks', size);
      await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await keepPicture(page, 'sign-in');
        expect(await violations(page)).toEqual([]);
      }
      expect(faults).toEqual([]);
      await context.close();
    }
    const { page, context } = await bed.openStranger('/console/sign-in#token=parley_link_wrong');
    const ofLink = await page.getByRole('alert').first().textContent();
    await page.getByRole('tab', { name: 'API key' }).click();
    await page.getByRole('textbox', { name: 'API key' }).fill('parley_wrong');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.getByRole('alert').allTextContents()).toEqual([ofLink, ofLink]);
    await context.close();
  });

  test('the keyboard alone goes everywhere', async () => {
    const { page, context, faults } = await bed.open();
    await settled(page);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Search or jump to' }).waitFor();
    await page.keyboard.type('organ');
    // Until its code is there, the field takes letters alone.
    await page.locator('.palette-item').first().waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => pathOf(page)).toBe('/organization');
    await page.keyboard.press('Control+k');
    await page.keyboard.type('whoami');
    await page.locator('.palette-item').first().waitFor();
    await keepPicture(page, 'palette');
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => pathOf(page)).toMatch(/^\/tools\/.*whoami$/);
    // What only the server knows: people and posts, by a part of their words.
    for (const [typed, place] of [
      ['priya.raman', /^\/organization\/members\/mem_/],
      ['strange fonts', /^\/feedback\/inbox\/post_/],
    ] as const) {
      await page.keyboard.press('Control+k');
      await page.keyboard.type(typed);
      await page
        .getByRole('option', { name: new RegExp(typed, 'i') })
        .first()
        .waitFor();
      await keepPicture(page, `palette-${typed.slice(0, 5)}`);
      await page.keyboard.press('Enter');
      await expect.poll(() => pathOf(page)).toMatch(place);
      await page.getByRole('complementary', { name: 'Details' }).waitFor();
    }
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await expect.poll(() => pathOf(page)).toBe('/');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await keepPicture(page, 'help');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor({ state: 'hidden' });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('letters that are typed while the palette loads are kept', async () => {
    const { page, context, faults } = await bed.open();
    await settled(page);
    // Its code is still on the way: nobody waits for it here.
    await page.keyboard.press('Control+k');
    await page.keyboard.type('organ');
    await page
      .getByRole('option', { name: /Members/ })
      .first()
      .waitFor();
    expect(await page.evaluate(() => document.querySelector<HTMLInputElement>('.palette-input')?.value)).toBe(
      'organ',
    );
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a screen whose server has lost its database for a while comes back by itself', async () => {
    const { page, context, faults } = await bed.open();
    await settled(page);
    await answerWith(page, {
      path: '/api/v1/',
      status: 503,
      body: { error: { code: 'UNAVAILABLE', message: 'The database is away. Try again in a moment.' } },
    });
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: /Feedback/ })
      .click();
    await page.getByText('The database is away.').first().waitFor();
    await keepPicture(page, 'database-away');
    await answerTruly(page);
    await page.getByRole('table', { name: 'Inbox' }).waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('what cannot be saved stays typed, says which request it was, and is saved later', async () => {
    const { page, context, go, faults } = await bed.open();
    await go('/feedback/inbox');
    await page.keyboard.press('n');
    const title = page.getByRole('textbox', { name: /^Title/ });
    await title.fill('Kept while the disk was full');
    await answerWith(page, {
      path: '/api/v1/posts',
      status: 500,
      body: { error: { code: 'INTERNAL_ERROR', message: 'The disk of the server is full.' } },
    });
    await page
      .getByRole('button', { name: /^Post|^Add|^Create/ })
      .last()
      .click();
    await page.getByText('request req-of-the-test').first().waitFor();
    await keepPicture(page, 'not-saved');
    expect(await title.evaluate((field) => (field as HTMLInputElement).value)).toBe(
      'Kept while the disk was full',
    );
    await answerTruly(page);
    await page
      .getByRole('button', { name: /^Post|^Add|^Create/ })
      .last()
      .click();
    await page.getByText('Kept while the disk was full').first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a tool whose stream breaks off says that it may have run', async () => {
    const { page, context, go, faults } = await bed.open();
    await go('/tools?q=search%20feedback');
    await page.locator('.table-data').first().click();
    await page.getByRole('heading', { name: 'Search feedback' }).waitFor();
    await answerWith(page, {
      path: '/api/call/',
      status: 200,
      text: 'event: progress\ndata: {"done":1,"total":3}\n\n',
    });
    await page
      .getByRole('button', { name: /^Run(?! as)/ })
      .last()
      .click();
    await page.getByText('It may have done its work').first().waitFor();
    await keepPicture(page, 'tool-cut-off');
    expect(faults).toEqual([]);
    await context.close();
  });

  test('every link of Home leads to what it names', async () => {
    const owner = await bed.server.signedIn();
    const { key: _secret, ...key } = await owner.call('self', 'API_KEY_CREATE', {
      name: 'Key of Home',
      permissions: { parley: ['parley_whoami'] },
    });
    await owner.call('self', 'COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: 'Shelf of Home', connections: [] },
    });
    const { person, organization } = (await owner.ask('GET /api/session')).body.data;
    const { identity } = bed.server.app.host;
    const by = (await identity.callerOfMember(organization.id, person.id))!;
    const userId = await identity.ensureUser({ email: 'hope@acme.example', name: 'Hope of Home' });
    await identity.addMember(by, { userId, roles: ['member'] });
    await identity.roles.save(by, { name: 'homely', grants: { parley: ['parley_whoami'] } });
    await owner.call('self', 'API_KEY_DELETE', { keyId: key.id });
    const { waiting, recent } = (await owner.ask('GET /api/home')).body.data;
    const { page, context, faults, go } = await bed.open();
    for (const { count, href, title } of waiting) {
      if (count === 0) continue;
      await go(href.replace('/console', ''));
      // A filter that the screen does not know would show all of them.
      const isFiltered = (await page.locator('.chip, .tabs-tab[aria-current="page"]').count()) > 0;
      expect([title, isFiltered]).toEqual([title, true]);
      expect([title, await page.getByText(/^(No |Nothing)/).count()]).toEqual([title, 0]);
    }
    for (const { href, what } of recent) {
      if (href === null) continue;
      await go(href.replace('/console', ''));
      const [, name] = what.split(': ');
      const isOpened = /\/\w+_[^/]+$/.test(href);
      expect([what, await page.getByRole('heading', { name: 'There is no such page' }).count()]).toEqual([
        what,
        0,
      ]);
      if (!isOpened || name === undefined) continue;
      await page.getByRole('complementary', { name: 'Details' }).getByText(name).first().waitFor();
    }
    const opened = recent.filter(({ href }: { href: string | null }) => href !== null);
    expect(opened.length).toBeGreaterThan(4);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('what waits is dealt with on Home itself, with Undo as on its own screen', async () => {
    const owner = await bed.server.signedIn();
    const { page, context, faults, go } = await bed.open();
    await go('/');
    const card = (title: string) => page.locator(`.card:has(.card-title:text-is("${title}"))`);
    const undo = () => page.getByRole('button', { name: 'Undo', exact: true }).nth(-1).click();
    const data = async (path: string) => (await owner.ask(`GET /api/${path}`)).body.data;
    const acts = {
      'Annotations that nobody has taken up': [
        'Resolve',
        async () => (await data('annotations?status=pending&limit=100')).length,
      ],
      'Posts held for moderation': ['Approve', async () => (await data('v1/inbox/counts')).pending],
    } as const;
    for (const [title, [act, count]] of Object.entries(acts)) {
      const before = await count();
      await card(title).getByRole('button', { name: act }).first().click();
      await expect.poll(count).toBe(before - 1);
      await undo();
      await expect.poll(count).toBe(before);
    }
    const connections = card('Connections that need you');
    await connections.getByRole('button', { name: 'Test' }).first().click();
    await connections
      .getByText(/^failed$|unreachable/)
      .first()
      .waitFor();

    const [task] = (await data('tasks?state=input_required')).tasks;
    const asking = card('Tasks ask you');
    await asking.getByRole('combobox').first().click();
    await page.getByRole('option', { name: 'stop' }).click();
    await asking.getByRole('button', { name: 'Answer' }).click();
    await expect.poll(async () => (await data(`tasks/${task.id}`)).state).toBe('completed');
    await asking.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a theme that is chosen stays', async () => {
    const { page, context } = await bed.open();
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await page.reload();
    await settled(page);
    expect(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)).toBe('dark');
    await context.close();
  });

  test('the colour of the organization follows the theme, by the palette and by the system', async () => {
    const owner = await bed.server.signedIn();
    const { organization } = (await owner.ask('GET /api/session')).body.data;
    const wear = (accent: string | null) =>
      owner.ask(`PUT /api/organizations/${organization.id}/appearance`, { body: { accent } });
    expect((await wear('#0f766e')).status).toBe(200);
    const { page, context } = await bed.open();
    await page.emulateMedia({ colorScheme: 'light' });
    const soft = () => page.evaluate(() => document.documentElement.style.getPropertyValue('--accent-soft'));
    await expect.poll(soft).toMatch(/^#/);
    const light = await soft();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(soft).not.toBe(light);
    const dark = await soft();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme light');
    await page.getByRole('option', { name: 'Use the light theme' }).click();
    await expect.poll(soft).toBe(light);
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Light' }).locator('svg').first().waitFor();
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    await expect.poll(soft).toBe(dark);
    await context.close();
    await wear(null);
  });

  test('what one person changes shows at another without a reload', async () => {
    const [ada, grace] = [await bed.open(), await bed.open()];
    await Promise.all([ada, grace].map(({ page }) => settled(page)));
    await grace.go('/feedback/inbox');
    const browser = await bed.server.signedIn();
    const { body } = await browser.ask('GET /api/v1/boards');
    const made = await browser.ask('POST /api/v1/posts', {
      body: { boardId: body.data[0].id, title: 'A post from elsewhere', content: 'Seen at once' },
    });
    expect(made.status).toBe(201);
    await grace.page.getByText('A post from elsewhere').first().waitFor();
    await Promise.all([ada.context.close(), grace.context.close()]);
  });

  test('what changes before the live stream has opened shows when it does', async () => {
    const { page, context, faults, go } = await bed.open();
    await page.addInitScript({
      content: `{
        const Real = EventSource;
        window.EventSource = class extends EventTarget {
          constructor(url) {
            super();
            window.openLive = () => {
              this.stream = new Real(url);
              this.stream.addEventListener('open', () => this.dispatchEvent(new Event('open')));
            };
          }
          close() {
            this.stream?.close();
          }
        };
      }`,
    });
    await go('/feedback/inbox');
    const browser = await bed.server.signedIn();
    const { body } = await browser.ask('GET /api/v1/boards');
    const post = { boardId: body.data[0].id, title: 'A post from before', content: 'Not told' };
    expect((await browser.ask('POST /api/v1/posts', { body: post })).status).toBe(201);
    await page.evaluate(() => (window as unknown as { openLive: () => void }).openLive());
    await page.getByText(post.title).first().waitFor();
    expect(faults).toEqual([]);
    await context.close();
  });

  test('a session that is ended elsewhere leads to the way in', async () => {
    const { page, context } = await bed.open();
    await settled(page);
    const other = await context.newPage();
    await other.goto(`${bed.url}/console/`);
    await other.getByRole('button', { name: /: menu$/ }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    const heading = page.getByRole('heading', { name: 'Sign in to Parley' });
    await heading.waitFor();
    expect(await heading.isVisible()).toBe(true);
    await context.close();
  });

  test('the policy of the page forbids scripts and addresses that are not its own', async () => {
    const answer = await fetch(`${bed.server.url}/console/`);
    const policy = (answer.headers.get('content-security-policy') ?? '').split('; ');
    expect(policy).toEqual(expect.arrayContaining(POLICY));
    const { page, context, faults } = await bed.open();
    await settled(page);
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.ranInline = true';
      document.body.append(script);
      const reached = await fetch('https://example.com/').then(
        () => true,
        () => false,
      );
      return [(window as { ranInline?: boolean }).ranInline === true, reached];
    });
    expect(ran).toEqual([false, false]);
    expect(faults.length).toBeGreaterThan(0);
    await context.close();
  });

  test('a page of another origin changes nothing with the cookie of the person', async () => {
    const site = createServer((_req, res) =>
      res.setHeader('content-type', 'text/html').end('<h1>Elsewhere</h1>'),
    );
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const { page, context } = await bed.open();
    await settled(page);
    const { port } = site.address() as AddressInfo; // it listens on a port
    const evil = await context.newPage();
    // The same site for cookies, another origin for everything else.
    await evil.goto(`http://localhost:${port}/`);
    const tried = await evil.evaluate(async (url) => {
      const attempts: (readonly [string, string])[] = [
        ['DELETE', '/api/session'],
        ['POST', '/api/call/self/API_KEY_CREATE'],
        ['POST', '/api/v1/boards'],
      ];
      return Promise.all(
        attempts.map(([method, path]) =>
          fetch(url + path, {
            method,
            mode: method === 'POST' ? 'no-cors' : 'cors',
            credentials: 'include',
            body: method === 'POST' ? '{"arguments":{"name":"evil"},"name":"evil"}' : null,
          }).then(
            ({ status }) => status,
            () => 'refused',
          ),
        ),
      );
    }, bed.url);
    // 0: the page is not told.
    expect(tried).toEqual(['refused', 0, 0]);
    const browser = await bed.server.signedIn();
    const { items } = await browser.call('self', 'API_KEY_LIST');
    expect(items.map(({ name }: { name: string }) => name)).not.toContain('evil');
    const { body } = await browser.ask('GET /api/v1/boards');
    expect(body.data.map(({ name }: { name: string }) => name)).not.toContain('evil');
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await context.close();
    site.close();
  });
});

interface Played {
  readonly path: string;
  readonly status: number;
  readonly body?: object;
  /** The beginning of a stream that breaks off. */
  readonly text?: string;
}

/** Plays the server for requests of the page below a path, until `answerTruly`. */
function answerWith(page: Page, played: Played): Promise<void> {
  return page.evaluate(({ path, status, body, text }) => {
    const kept = window as unknown as { truly?: typeof fetch };
    const truly = (kept.truly ??= window.fetch);
    window.fetch = async (input, init) => {
      const asked = typeof input === 'string' ? input : '';
      if (!asked.startsWith(path) || (path === '/api/v1/posts' && init?.method !== 'POST'))
        return truly(input, init);
      const headers = { 'content-type': 'application/json', 'x-request-id': 'req-of-the-test' };
      if (text === undefined) return new Response(JSON.stringify(body), { status, headers });
      const cut = new ReadableStream({
        start(stream) {
          stream.enqueue(new TextEncoder().encode(text));
        },
        pull(stream) {
          stream.error(new TypeError('network error'));
        },
      });
      return new Response(cut, { status, headers: { 'content-type': 'text/event-stream' } });
    };
  }, played);
}

function answerTruly(page: Page): Promise<void> {
  return page.evaluate(() => {
    const { truly } = window as unknown as { truly: typeof fetch };
    window.fetch = truly;
  });
}
