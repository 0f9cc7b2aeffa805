/** Annotations and tasks in the console: a note from a real page is answered, its diff approved, a task followed and cancelled. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from '../e2e/chromium.ts';
import type { Context, Page } from '../e2e/playwright.ts';
import type { Stage, Tab } from '../e2e/stage.ts';
import { annotate, openStage } from '../e2e/stage.ts';
import { ROOT } from '../product/build.ts';
import { tabTo, violations } from './console-bed.ts';

const SHOTS = join(ROOT, 'test/artifacts/console');
const SAID = 'Make it green <img src=x onerror="window.struck = true">';
const DIFF = '--- a/app.css\n+++ b/app.css\n@@ -1 +1 @@\n-h1 { color: red }\n+h1 { color: green }';

describeInBrowser('annotations and tasks in the console', () => {
  let stage: Stage;
  let visitor: Tab;
  let context: Context;
  let page: Page;
  let consoleUrl: string;

  beforeAll(async () => {
    mkdirSync(SHOTS, { recursive: true });
    stage = await openStage();
    visitor = await stage.open('shop');
    const printed = JSON.parse(stage.server.stdout().split('\n')[0] ?? '') as Record<string, string>;
    consoleUrl = printed['console'] ?? '';
    context = await stage.browser.newContext({ viewport: { width: 1280, height: 800 } });
    page = await context.newPage();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.goto(printed['signIn'] ?? '');
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function keep(name: string): Promise<void> {
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: join(SHOTS, `${name}-${width}-${colorScheme}.png`) });
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
  }

  test('a note comes in by itself, is answered, its diff approved, and closed; text is never markup', async () => {
    await page.goto(`${consoleUrl}/annotations`);
    await page.getByText('No annotations yet').waitFor();
    await annotate(visitor.page, 'h1', SAID);
    await page.getByText(SAID).first().waitFor();
    const note = await stage.agent.noteSaying(SAID);
    await stage.agent.call('propose_diff', { id: note.id, diff: DIFF, message: 'Green as grass.' });
    await page.getByText(SAID).first().click();
    await page.getByText('Green as grass.').waitFor();
    await keep('annotation');
    await page.getByRole('button', { name: 'Approve' }).click();
    await expect
      .poll(async () => stage.agent.call('watch_diff_response', { id: note.id, timeoutMs: 0 }))
      .toMatchObject({ status: 'approved' });
    await page.getByRole('textbox', { name: 'Reply' }).fill('Thank you, do it.');
    await page.keyboard.press('Control+Enter');
    await expect
      .poll(async () => (await stage.agent.notes())[0]?.replies.at(-1)?.message)
      .toBe('Thank you, do it.');
    await page.getByRole('button', { name: 'Resolve' }).click();
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    expect((await stage.agent.noteSaying(SAID)).status).toBe('resolved');
    expect(await page.evaluate(() => 'struck' in window)).toBe(false);
  });

  test('by keys alone a diff is read, copied and approved, the note dismissed and opened again', async () => {
    await annotate(visitor.page, 'h1', 'Larger please');
    const { id } = await stage.agent.noteSaying('Larger please');
    await stage.agent.call('propose_diff', { id, diff: DIFF, message: 'So?' });
    await page.goto(`${consoleUrl}/annotations/${id}`);
    await page.getByText('So?').waitFor();
    expect(await violations(page)).toEqual([]);
    await tabTo(page, 'Copy as markdown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await tabTo(page, 'Approve');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => stage.agent.call('watch_diff_response', { id, timeoutMs: 0 }))
      .toMatchObject({ status: 'approved' });
    await page.keyboard.press('d');
    await page.getByRole('button', { name: 'Reopen' }).waitFor();
    expect((await stage.agent.noteSaying('Larger please')).status).toBe('dismissed');
    await tabTo(page, 'Reopen');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Dismiss', exact: true }).first().waitFor();
    await expect
      .poll(async () => (await stage.agent.noteSaying('Larger please')).status)
      .not.toBe('dismissed');
  });

  test('the tag to copy carries the token of the pages', async () => {
    await page.goto(`${consoleUrl}/annotations`);
    await page.getByRole('button', { name: 'Connect a page' }).first().click();
    const tag = page.getByText('data-token=').first();
    await tag.waitFor();
    expect(await tag.textContent()).toContain('parley_page_');
    await keep('connect-page');
    expect(await violations(page)).toEqual([]);
  });

  test('by keys alone a page token is kept to an origin, and revoked', async () => {
    interface Token {
      readonly state: string;
      readonly origins: readonly string[];
    }
    const valid = async () => {
      const tokens = await page.evaluate(
        async () => ((await (await fetch('/api/annotations/page-tokens')).json()) as { data: Token[] }).data,
      );
      return tokens.filter(({ state }) => state !== 'revoked');
    };
    await page.goto(`${consoleUrl}/annotations`);
    await page.getByRole('button', { name: 'Connect a page' }).first().waitFor();
    await tabTo(page, 'Connect a page');
    await page.keyboard.press('Enter');
    await page.getByText('data-token=').first().waitFor();
    await tabTo(page, 'Only from these origins');
    await page.keyboard.type('https://shop.example');
    await tabTo(page, 'Save the origins');
    await page.keyboard.press('Enter');
    await expect
      .poll(async () => (await valid()).flatMap(({ origins }) => origins))
      .toEqual(['https://shop.example']);
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await page.getByText('lose their connection at once').waitFor();
    await tabTo(page, 'Revoke');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await valid()).flatMap(({ origins }) => origins)).toEqual([]);
  });

  test('a task is followed while it runs, and cancelled', async () => {
    const started = await stage.agent.call<{ taskId: string }>('start_long_running_task', {
      steps: 100,
      delayMs: 1000,
    });
    await page.goto(`${consoleUrl}/tasks/${started.taskId}`);
    await page
      .getByText(/Step \d+ of 100/)
      .first()
      .waitFor();
    await keep('task');
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    // It says what will be gone; whoever looks again leaves it running.
    await page.getByRole('dialog').getByText('it ends without one').waitFor();
    await keep('task-cancel');
    await page.getByRole('button', { name: 'Let it run' }).click();
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    await page.getByRole('button', { name: 'Cancel the task' }).click();
    await page.getByText('cancelled').first().waitFor();
    expect(await stage.agent.call('get_task', { taskId: started.taskId })).toMatchObject({
      status: 'cancelled',
    });
    expect(await violations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await violations(page, ['color-contrast'])).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.getByRole('button', { name: 'Run again' }).click();
    await page.waitForURL(
      (url) => /\/tasks\/\w+/.test(url.pathname) && !url.pathname.includes(started.taskId),
    );
    await page
      .getByText(/of 100/)
      .first()
      .waitFor();
  });
});
