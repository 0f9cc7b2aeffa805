/** The first five minutes of a new owner, from an empty folder, in a real browser with a real client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser } from '../e2e/playwright.ts';
import { ensureBuilt } from '../product/build.ts';
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
  let connect: () => Promise<Client>;
  const clients: Client[] = [];

  beforeAll(async () => {
    await ensureBuilt();
    [server, browser] = await Promise.all([startParley(`${folder.path}/data`), launchChromium()]);
    const ready = JSON.parse(server.stdout()) as { console: string; signIn: string };
    link = ready.signIn;
    tab = await openTab(browser, ready.console.replace(/\/console$/, ''));
  });
  afterAll(async () => {
    await Promise.all(clients.map((client) => client.close()));
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
    await other.page.getByRole('textbox', { name: 'E-mail' }).fill(EMAIL);
    await other.page.getByRole('textbox', { name: 'Password' }).fill(PASSWORD);
    await other.page.keyboard.press('Enter');
    await other.page.getByRole('navigation', { name: 'Main' }).waitFor();
    // What is hidden there for password managers must not make the window scroll beside its own scroller.
    for (const viewport of [
      { width: 1280, height: 600 },
      { width: 390, height: 600 },
    ]) {
      await other.page.setViewportSize(viewport);
      await other.page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/console/account`);
      await other.page.locator('input.visually-hidden').first().waitFor({ state: 'attached' });
      const overflow = () => document.documentElement.scrollHeight - innerHeight;
      expect(await other.page.evaluate(overflow), JSON.stringify(viewport)).toBeLessThanOrEqual(0);
    }
    expect(other.faults).toEqual([]);
    await other.context.close();
  });

  test('a key made on the spot stands in the configuration, and the first call of a client ticks the rest', async () => {
    await tab.page.getByRole('button', { name: /^Make a key for/ }).click();
    const key = (await step(2).locator('.first-run-secret').textContent()) ?? '';
    const command = (await step(2).locator('pre').first().textContent()) ?? '';
    expect(command).toContain(`Bearer ${key}`);
    // What the person copies is all that the client is told.
    const [mcp = ''] = /http:\/\/[^\s']+\/mcp/.exec(command) ?? [];
    const [authorization = ''] = /Bearer [\w-]+/.exec(command) ?? [];
    connect = async () => {
      const client = new Client({ name: 'first-client', version: '1.0.0' });
      clients.push(client);
      const requestInit = { headers: { authorization } };
      await client.connect(new StreamableHTTPClientTransport(new URL(mcp), { requestInit }));
      return client;
    };
    expect(await isDone(2)).toBe(false);
    const client = await connect();
    // Connected before it has called anything.
    await expect.poll(() => Promise.all([isDone(2), isDone(3)])).toEqual([true, false]);
    const answer = await client.callTool({ name: 'search_feedback', arguments: { query: 'dark mode' } });
    expect(answer.isError).not.toBe(true);
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
    const { page } = tab;
    // The sessions of the server before are gone.
    const client = await connect();
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await page.goto(`${server.url.replace('127.0.0.1', 'localhost')}/console/organization/keys`);
    const row = page.getByRole('table', { name: 'Keys' }).getByRole('row', { name: /Claude Code/ });
    await row.getByRole('checkbox').click();
    await page
      .getByRole('toolbar', { name: 'Selected rows' })
      .getByRole('button', { name: 'Revoke' })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row.waitFor({ state: 'detached' });
    await expect(client.callTool({ name: 'search_feedback', arguments: { query: 'x' } })).rejects.toThrow(
      /Send a valid API key/,
    );
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
