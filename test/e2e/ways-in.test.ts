/** Pages on which the overlay cannot start or connect say why; pages of another direction do not turn it around. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { scratchFolder, startParley } from '../product/parley.ts';
import { describeInBrowser } from './chromium.ts';
import type { Page } from './playwright.ts';
import type { Stage } from './stage.ts';
import { annotate, inspect, openStage, pin, toolbar, waitUntilOnline } from './stage.ts';

describeInBrowser('ways in', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function openPlain(url: string): Promise<{ page: Page; lines: string[] }> {
    const page = await (await stage.browser.newContext()).newPage();
    const lines: string[] = [];
    page.on('console', (message) => lines.push(message.text()));
    await page.goto(url);
    return { page, lines };
  }

  test('a page opened as a file says in the console what it needs, and with that it works', async () => {
    using folder = scratchFolder();
    await using server = await startParley(join(folder.path, 'data'), { args: ['--allow-origin', 'null'] });
    const { overlayTag } = JSON.parse(server.stdout().split('\n')[0]!) as { overlayTag: string };
    const file = join(folder.path, 'page.html');
    writeFileSync(file, `<!doctype html><h1>A file</h1>${overlayTag}`);
    const { page, lines } = await openPlain(pathToFileURL(file).href);
    await expect
      .poll(() => lines)
      .toEqual([
        'Parley is off on this page. To switch it on, add data-hosts="file:" to its script tag and start Parley with --allow-origin null.',
      ]);
    expect(await page.locator('parley-overlay').count()).toBe(0);
    writeFileSync(
      file,
      `<!doctype html><h1>A file</h1>${overlayTag.replace('<script', '<script data-hosts="file:"')}`,
    );
    await page.reload();
    await waitUntilOnline(page);
    await page.close();
  });

  test('a page whose server was not started for its origin is told with which option to start it', async () => {
    using folder = scratchFolder();
    const file = join(folder.path, 'page.html');
    writeFileSync(
      file,
      `<!doctype html>${stage.overlayTag.replace('<script', '<script data-hosts="file:"')}`,
    );
    const { page } = await openPlain(pathToFileURL(file).href);
    await page.getByRole('button', { name: 'Server not reached' }).click();
    const said = await page.locator('.panel .warn').textContent();
    expect(said).toContain('Start it with "npm start -- --allow-origin null" in the checkout of Parley.');
    expect(said).not.toContain('npx');
    await page.close();
  });

  test('a page whose policy blocks the link is told so, and not that the server is away', async () => {
    const { page } = await openPlain(`${stage.site.url}/blocked`);
    await page.getByRole('button', { name: 'Blocked by this page' }).click();
    const said = await page.locator('.panel .warn').textContent();
    const { url } = stage.server;
    expect(said).toBe(
      `The Content-Security-Policy of this page blocks the way to Parley. Add ${url} and ${url.replace('http', 'ws')} to its connect-src. Notes wait here and are sent then.`,
    );
    await page.close();
  });

  test('a policy that blocks something else of the page changes nothing', async () => {
    const tab = await stage.open('strict');
    await tab.page.evaluate("fetch('https://elsewhere.example/').catch(() => {})");
    await tab.page.getByRole('button', { name: 'No agent' }).click();
    expect(await tab.page.locator('.panel .warn').textContent()).toMatch(/^No agent is connected\./);
    await tab.context.close();
  });

  test('the overlay reads from left to right on a page that does not, and words run as they are written', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await page.evaluate(() => {
      document.documentElement.dir = 'rtl';
      const style = document.createElement('style');
      style.textContent = '* { direction: rtl !important }';
      document.head.append(style);
    });
    const directionOf = (selector: string) =>
      page
        .locator(selector)
        .first()
        .evaluate((element) => getComputedStyle(element).direction);
    await expect.poll(() => directionOf('.bar')).toBe('ltr');
    await annotate(page, 'h1', 'اجعله أخضر');
    await pin(page, 1).click();
    await page.getByRole('dialog', { name: 'Note 1' }).waitFor();
    await expect.poll(() => directionOf('.panel')).toBe('ltr');
    await expect.poll(() => directionOf('.said li [dir=auto]')).toBe('rtl');
    await page.getByRole('textbox', { name: 'Reply' }).fill('أهلا');
    await expect.poll(() => directionOf('.panel textarea')).toBe('rtl');
    await page.getByRole('textbox', { name: 'Reply' }).fill('Latin words');
    await expect.poll(() => directionOf('.panel textarea')).toBe('ltr');
    await page.keyboard.press('Escape');
    await inspect(page);
    await page.locator('#intro').click();
    await page.getByLabel('Your note').fill('أهلا');
    await expect.poll(() => directionOf('.panel textarea')).toBe('rtl');
    await toolbar(page).waitFor();
    await tab.shot('rtl-page');
    await tab.context.close();
  });
});
