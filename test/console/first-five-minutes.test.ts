/** The first five minutes of a new owner, from an empty folder, in a real browser with a real client. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser } from '../e2e/playwright.ts';
import { ensureBuilt } from '../product/build.ts';
import { message, post } from '../product/mcp-messages.ts';
import type { Server } from '../product/parley.ts';
import { scratchFolder, startParley } from '../product/parley.ts';
import type { Tab } from './console-bed.ts';
import { keepPicture, openTab, settled } from './console-bed.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'a sentence that nobody else says';

describeInBrowser('the first five minutes', () => {
  const folder = scratchFolder();
  let server: Server;
  let browser: Browser;
  let tab: Tab;
  let link: string;
  let key: string;

  beforeAll(async () => {
    await ensureBuilt();
    [server, browser] = await Promise.all([startParley(`${folder.path}/data`), launchChromium()]);
    const ready = JSON.parse(server.stdout()) as { console: string; signIn: string };
    link = ready.signIn;
    tab = await openTab(browser, ready.console.replace(/\/console$/, ''));
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
    folder[Symbol.dispose]();
  });

  const step = (number: number) => tab.page.locator(`.first-run-step:nth-child(${number})`);
  const isDone = (number: number) =>
    step(number)
      .getAttribute('class')
      .then((text) => /first-run-done/.test(text ?? ''));

  test('the printed link signs in once, and leads to the three steps', async () => {
    await tab.page.goto(link);
    await tab.page.getByRole('heading', { name: 'Get started' }).waitFor();
    await settled(tab.page);
    expect(await tab.page.evaluate(() => location.href)).not.toContain('token');
    expect(await isDone(1)).toBe(false);
    await keepPicture(tab.page, 'first-run');
    const other = await openTab(browser, server.url);
    await other.page.goto(link);
    await other.page.getByRole('alert').waitFor();
    expect(await other.page.getByRole('heading', { name: 'Sign in to Parley' }).isVisible()).toBe(true);
    await other.context.close();
  });

  test('a password ticks the first step, and signs in elsewhere', async () => {
    await step(1).locator('input[type="email"]').fill(EMAIL);
    await step(1).locator('input[type="password"]').fill(PASSWORD);
    await tab.page.getByRole('button', { name: 'Save the password' }).click();
    await expect.poll(() => isDone(1)).toBe(true);
    const other = await openTab(browser, server.url);
    await other.page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/console`);
    await other.page.getByRole('textbox', { name: 'Email' }).fill(EMAIL);
    await other.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  test('a key made on the spot stands in the configuration, and the first call of a client ticks the rest', async () => {
    await tab.page.getByRole('button', { name: /^Make a key for/ }).click();
    key = (await step(2).locator('.first-run-secret').textContent()) ?? '';
    const command = (await step(2).locator('pre').first().textContent()) ?? '';
    expect(command).toContain(`Bearer ${key}`);
    const [mcp = ''] = /http:\/\/[^\s']+\/mcp/.exec(command) ?? [];
    const call = message(1, 'tools/call', { name: 'search_feedback', arguments: { query: 'dark mode' } });
    expect((await post(mcp, key, call)).status).toBe(200);
    await expect.poll(() => Promise.all([isDone(2), isDone(3)])).toEqual([true, true]);
    expect(await step(3).textContent()).toContain('search_feedback');
    await keepPicture(tab.page, 'first-run-done');
  });

  test('the call is in Monitoring', async () => {
    const { logs } = (await ask('MONITORING_LOGS_LIST', { toolName: 'search_feedback' })) as {
      logs: object[];
    };
    expect(logs).toHaveLength(1);
    await tab.page.getByRole('link', { name: 'See it in Monitoring' }).click();
    await tab.page
      .getByRole('complementary', { name: 'Details' })
      .getByText('search_feedback')
      .first()
      .waitFor();
    await tab.page.evaluate(() => history.back());
    await tab.page.getByRole('button', { name: 'Done' }).click();
    await tab.page.locator('.home').waitFor();
    expect(await tab.page.locator('.home-hint').count()).toBe(0);
  });

  test('a server that is gone for a while comes back by itself, and what was typed is still there', async () => {
    await tab.page.goto(
      `${server.url.replace('127.0.0.1', 'localhost')}/console/tools/feedback%3Asearch_feedback`,
    );
    const field = tab.page.getByRole('textbox', { name: /^query/ });
    await field.fill('words that must not be lost');
    const { port } = new URL(server.url);
    await server.stop();
    await tab.page.locator('.lost').waitFor();
    await keepPicture(tab.page, 'lost-server');
    server = await startParley(`${folder.path}/data`, { args: ['--port', port] });
    await tab.page.locator('.lost').waitFor({ state: 'hidden' });
    expect(await field.evaluate((input) => (input as HTMLInputElement).value)).toBe(
      'words that must not be lost',
    );
    await tab.page.getByRole('button', { name: 'Run', exact: true }).click();
    await tab.page.locator('.tools-run .badge', { hasText: 'done' }).waitFor();
  });

  test('a revoked key is refused', async () => {
    const { items } = (await ask('API_KEY_LIST')) as { items: { id: string; name: string }[] };
    const made = items.find(({ name }) => name === 'Claude Code');
    await ask('API_KEY_DELETE', { keyId: made?.id });
    expect((await post(server.mcp, key, message(1, 'tools/list'))).status).toBe(401);
    expect(tab.faults).toEqual([]);
  });

  /** Calls a management tool from the page, as its screens do. */
  function ask(tool: string, args: object = {}): Promise<unknown> {
    return tab.page.evaluate(
      async ([name, given]) => {
        const session = (await (await fetch('/api/session')).json()) as { data: { csrfToken: string } };
        const answer = await fetch(`/api/call/self/${name}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-csrf-token': session.data.csrfToken },
          body: JSON.stringify({ arguments: given }),
        });
        const text = await answer.text();
        const { data } = JSON.parse(text) as { data?: { isError: boolean; structuredContent: unknown } };
        if (data === undefined || data.isError) throw new Error(text);
        return data.structuredContent;
      },
      [tool, args] as const,
    );
  }
});
