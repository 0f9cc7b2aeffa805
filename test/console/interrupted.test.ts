/** Work in the console that something comes between: a server that goes, answers that are lost, others who do the same. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Page } from '../e2e/playwright.ts';
import type { Browser } from '../product/console-browser.ts';
import type { ConsoleBed } from './console-bed.ts';
import { openConsole, settled } from './console-bed.ts';

const LONG_MS = 180_000;
const WORDS = 'Half a sentence, and the rest';
const REFUSED = {
  status: 409,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'CONFLICT', message: 'Somebody was faster.' } }),
};
const BROKEN = {
  status: 500,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'INTERNAL_ERROR', message: 'Internal error' } }),
};

describeInBrowser('interrupted work', () => {
  let bed: ConsoleBed;
  let owner: Browser;
  beforeAll(async () => {
    bed = await openConsole(['--demo']);
    owner = await bed.server.signedIn();
  }, LONG_MS);
  afterAll(() => bed[Symbol.asyncDispose]());

  const box = (page: Page) => page.locator('.composer textarea');
  const openPost = async (page: Page) => {
    await page.getByRole('table', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await box(page).waitFor();
    return (await page.evaluate(() => location.pathname)).split('/').at(-1) ?? '';
  };
  const commentsOf = async (postId: string) => {
    const all = (await owner.ask(`GET /api/v1/posts/${postId}/comments`)).body.data;
    return JSON.stringify(all).split(WORDS).length - 1;
  };

  test(
    'a screen that is asked for while the server is away comes when it is back',
    { timeout: LONG_MS },
    async () => {
      const { page, context, go, visit, faults } = await bed.open();
      await go('/feedback/inbox');
      const postId = await openPost(page);
      await box(page).fill(WORDS);
      await page.evaluate(() => Object.assign(window, { isSamePage: true }));
      await page.route('**/*', (route) => route.abort());
      const rail = page.getByRole('navigation', { name: 'Main' });
      await rail.getByRole('link', { name: /Monitoring/ }).hover();
      await rail.getByRole('link', { name: /Events/ }).click();
      await page.getByText('The server cannot be reached.', { exact: false }).first().waitFor();
      await page.unrouteAll();
      await page.getByRole('heading', { name: 'Events' }).first().waitFor();
      expect(await page.evaluate(() => 'isSamePage' in window)).toBe(true);
      await visit(`/feedback/inbox/${postId}`);
      await box(page).waitFor();
      expect(await box(page).inputValue()).toBe(WORDS);
      expect(faults).toEqual([]);
      await context.close();
    },
  );

  test('what is sent again because its answer was lost is done once', { timeout: LONG_MS }, async () => {
    const { page, context, go } = await bed.open();
    await go('/feedback/inbox');
    const postId = await openPost(page);
    let lost = 0;
    await page.route('**/comments', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      await route.abort();
    });
    await box(page).fill(WORDS);
    await page.keyboard.press('Control+Enter');
    await page.getByText('What you typed is still here', { exact: false }).first().waitFor();
    expect(await commentsOf(postId)).toBe(1);
    await box(page).focus();
    await page.keyboard.press('Control+Enter');
    await page.getByText('Said.').first().waitFor();
    await expect.poll(() => box(page).inputValue()).toBe('');
    expect(await commentsOf(postId)).toBe(1);
    await context.close();
  });

  test('what is typed while something is sent is kept', { timeout: LONG_MS }, async () => {
    const { page, context, go } = await bed.open();
    await go('/feedback/inbox');
    await openPost(page);
    const held = Promise.withResolvers<void>();
    await page.route('**/comments', async (route) => {
      await held.promise;
      await route.continue();
    });
    await box(page).fill('This one goes out');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('radio', { name: 'Private note' }).click();
    await box(page).fill('A note of later');
    held.resolve();
    await page.getByText('Said.').first().waitFor();
    expect(await box(page).inputValue()).toBe('A note of later');
    await page.getByRole('radio', { name: 'Comment' }).click();
    await expect.poll(() => box(page).inputValue()).toBe('');
    await context.close();
  });

  test('one of several that cannot be done holds up no other', { timeout: LONG_MS }, async () => {
    const { page, context, go } = await bed.open();
    const made: string[] = [];
    const { id: boardId } = (await owner.ask('GET /api/v1/boards')).body.data[0];
    for (const title of ['Held back one', 'Held back two', 'Held back three']) {
      const body = { boardId, title, content: '' };
      made.push((await owner.ask('POST /api/v1/posts', { body })).body.data.id);
    }
    const [refused = ''] = made;
    await page.route(`**/posts/${refused}/moderation`, (route) => route.fulfill(REFUSED));
    await go('/feedback/inbox?q=Held+back');
    await expect.poll(() => page.locator('.table-data').count()).toBe(3);
    for (const key of ['j', 'x', 'j', 'x', 'j', 'x', '!']) await page.keyboard.press(key);
    await page.getByText('1 of 3 were not changed: Somebody was faster.').waitFor();
    const states = async () => {
      const all = made.map(async (id) => (await owner.ask(`GET /api/v1/posts/${id}`)).body.data.moderation);
      return Promise.all(all);
    };
    await expect.poll(states).toEqual(['published', 'spam', 'spam']);
    await context.close();
  });

  test('a reread that fails leaves what is open as it is', { timeout: LONG_MS }, async () => {
    const { page, context, go } = await bed.open();
    const [agent] = (await owner.ask('GET /api/agents')).body.data;
    await go(`/agents/${agent.id}`);
    const pane = page.getByRole('complementary', { name: 'Details' });
    await pane.getByRole('tab').first().waitFor();
    const read = Promise.withResolvers<void>();
    await page.route(`**/api/agents/${agent.id}`, async (route) => {
      await route.fulfill(BROKEN);
      read.resolve();
    });
    await owner.ask(`PATCH /api/agents/${agent.id}`, { body: { description: 'Changed by somebody else' } });
    await read.promise;
    await settled(page);
    expect(await page.getByText('This could not be read').count()).toBe(0);
    await expect.poll(() => pane.getByRole('tab').count()).toBeGreaterThan(1);
    await context.close();
  });

  test('views that two windows save are both kept', { timeout: LONG_MS }, async () => {
    const save = async (page: Page, name: string) => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save these filters …' }).click();
      await page.getByRole('textbox', { name: 'Name' }).fill(name);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name, exact: true }).waitFor();
    };
    const [one, two] = [await bed.open(), await bed.open()];
    await one.go('/tasks?state=completed');
    await two.go('/tasks?state=failed');
    await save(one.page, 'Those that are done');
    await save(two.page, 'Those that failed');
    const views = (await owner.ask('GET /api/views/tasks')).body.data as { name: string }[];
    expect(views.map(({ name }) => name)).toEqual(['Those that are done', 'Those that failed']);
    await one.context.close();
    await two.context.close();
  });
});
