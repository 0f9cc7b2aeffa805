/** From the first note to a resolved one, as a person and an agent live it. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Page } from './playwright.ts';
import type { Stage } from './stage.ts';
import { annotate, openStage, pin, pins, waitUntilOnline } from './stage.ts';

const DIFF = `--- a/src/order.tsx
+++ b/src/order.tsx
@@ -1,3 +1,3 @@
 export const Order = () => (
-  <button id="order">Order now</button>
+  <button id="order" className="green">Order now</button>
 );
`;

describeInBrowser('a note and its agent', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const reopens = (page: Page) =>
    page.getByLabel('Reopen the note with this reply').evaluate((box) => (box as HTMLInputElement).checked);
  const statusOf = (page: Page, status: string) =>
    page.getByRole('button', { name: new RegExp(`^Note 1, ${status}`) }).waitFor();

  test('pin and thread follow the agent from pending to resolved, and a reload keeps everything', async () => {
    const { agent } = stage;
    const tab = await stage.open('shop', { colorScheme: 'light' });
    const { page } = tab;
    await annotate(page, '#order', 'Make it green');
    await statusOf(page, 'pending');
    await tab.shot('flow-1-pending');
    const { id } = await agent.noteSaying('Make it green');
    expect(await page.evaluate('window.orders')).toBe(0);

    await pin(page, 1).click();
    const thread = page.getByRole('dialog', { name: 'Note 1' });
    await agent.call('acknowledge', { id, message: 'On it.' });
    await statusOf(page, 'acknowledged');
    await thread.locator('text=On it.').waitFor();
    await page.getByRole('button', { name: 'Agent is working' }).waitFor();
    await agent.call('reply', { id, message: 'Which green?' });
    await thread.locator('text=Which green?').waitFor();
    // The agent works and spoke last: a reply must not take the note from it.
    expect(await reopens(page)).toBe(false);
    await page.getByLabel('Reply', { exact: true }).fill('The one of the logo');
    await page.keyboard.press('Enter');
    await thread.locator('text=The one of the logo').waitFor();
    await statusOf(page, 'acknowledged');
    await thread.locator('text=product-test').first().waitFor();
    expect(await thread.textContent()).not.toContain('Owner key');
    await tab.shot('flow-2-thread');

    await agent.call('propose_diff', { id, diff: DIFF, message: 'Like this?' });
    await statusOf(page, 'change proposed');
    await page.getByRole('button', { name: 'Review change' }).click();
    await page.locator('.diff .add').waitFor();
    expect(await page.locator('.diff .add').textContent()).toContain('className="green"');
    await tab.shot('flow-3-preview');
    const answer = agent.call<{ status: string; message: string }>('watch_diff_response', {
      id,
      timeoutMs: 5_000,
    });
    await page.getByLabel('Words to the agent').fill('Yes, ship it');
    await page.getByRole('button', { name: 'Approve' }).click();
    expect((await answer).status).toBe('approved');
    await statusOf(page, 'acknowledged');

    await agent.call('resolve', { id, summary: 'It is green now.' });
    await statusOf(page, 'resolved');
    await thread.locator('text=It is green now.').waitFor();
    expect(await reopens(page)).toBe(true);
    const colour = await pin(page, 1).evaluate((button) => getComputedStyle(button).backgroundColor);
    expect(colour).toBe('rgb(34, 197, 94)');
    await tab.shot('flow-4-resolved');

    await page.reload();
    await statusOf(page, 'resolved');
    await waitUntilOnline(page);
    expect(await pins(page).count()).toBe(1);
    await pin(page, 1).click();
    for (const text of ['Make it green', 'On it.', 'The one of the logo', 'It is green now.']) {
      await thread.locator(`text=${text}`).waitFor();
    }
    expect(tab.errors).toEqual([]);
    await tab.context.close();
  });

  test('an agent is still heard in a thread that is too long to be told whole', async () => {
    const { agent } = stage;
    const { page, errors } = await stage.open('shop');
    await annotate(page, '#order', 'Talk to me');
    const { id } = await agent.noteSaying('Talk to me');
    await pin(page, 1).click();
    const thread = page.getByRole('dialog', { name: 'Note 1' });
    for (let count = 1; count <= 51; count += 1) await agent.call('reply', { id, message: `Word ${count}.` });
    await thread.locator('text=Word 51.').waitFor();
    await agent.call('acknowledge', { id });
    const voice = page.getByRole('status');
    await voice.locator('text=Note 1 is').first().waitFor();
    await agent.call('reply', { id, message: 'Word 52.' });
    await thread.locator('text=Word 52.').waitFor();
    await voice.locator('text=the agent replied').first().waitFor();
    expect(errors).toEqual([]);
  });

  test('a second tab sees the same notes and their changes', async () => {
    const tab = await stage.open('shop');
    await annotate(tab.page, '#order', 'Seen in both tabs');
    await pins(tab.page).first().waitFor();
    const second = await tab.context.newPage();
    await second.goto(`${stage.site.url}/shop`);
    await second.getByRole('button', { name: /^Note 1, pending: Seen in both tabs/ }).waitFor();
    const { id } = await stage.agent.noteSaying('Seen in both tabs');
    await stage.agent.call('dismiss', { id, reason: 'Not now.' });
    for (const page of [tab.page, second]) {
      await page.getByRole('button', { name: /^Note 1, dismissed/ }).waitFor();
      expect(await pins(page).count()).toBe(1);
    }
    await tab.context.close();
  });

  test('a person rejects with words, edits, deletes, and clears with an undo', async () => {
    const { agent } = stage;
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#order', 'Bolder');
    const { id } = await agent.noteSaying('Bolder');
    await agent.call('propose_diff', { id, diff: DIFF });
    await pin(page, 1).click();
    await page.getByRole('button', { name: 'Review change' }).click();
    await page.getByLabel('Words to the agent').fill('Too green');
    await page.getByRole('button', { name: 'Reject' }).click();
    const answer = await agent.call<{ status: string; message: string }>('watch_diff_response', {
      id,
      timeoutMs: 5_000,
    });
    expect(answer).toMatchObject({ status: 'rejected', message: 'Too green' });
    await page.keyboard.press('Escape');

    await annotate(page, '#intro', 'Shorter');
    await pin(page, 2).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await page.getByLabel('Edit note').fill('Much shorter');
    await page.getByRole('button', { name: 'Save' }).click();
    expect((await agent.noteSaying('Much shorter')).number).toBe(2);

    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+Shift+KeyX');
    await pins(page).first().waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await pin(page, 2).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await pin(page, 2).waitFor({ state: 'detached' });
    expect((await agent.noteSaying('Much shorter')).status).toBe('dismissed');
    expect((await agent.noteSaying('Bolder')).status).toBe('acknowledged');
    await page.keyboard.press('Alt+Shift+KeyX');
    await pin(page, 1).waitFor({ state: 'detached' });
    await page.reload();
    await waitUntilOnline(page);
    await expect.poll(async () => (await agent.noteSaying('Bolder')).status).toBe('dismissed');
    expect(await pins(page).count()).toBe(0);
    await tab.context.close();
  });

  test('presence tells of the agent within a second, and its help how to connect one', async () => {
    const tab = await stage.open('shop');
    // Nothing comes while it watches, which is all that this test asks of it.
    const watching = stage.agent.call('watch_annotations', { timeoutMs: 1_500 }).catch(() => undefined);
    await tab.page.getByRole('button', { name: /^Agent is/ }).waitFor();
    await tab.page.getByRole('button', { name: /^Agent is/ }).click();
    const help = tab.page.getByRole('dialog', { name: 'Agent' });
    expect(await help.locator('.warn').textContent()).toMatch(/is (watching|working)\.$/);
    expect(await help.locator('.code').textContent()).toContain('/mcp/annotations');
    await watching;
    await tab.context.close();
  });

  test('notes are copied as markdown, with no server too', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await tab.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await tab.context.setOffline(true);
    await annotate(page, '#order', 'Copied words');
    await pins(page).first().waitFor();
    await page.keyboard.press('Alt+Shift+KeyC');
    await page.locator('.toast').waitFor();
    const markdown = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(markdown).toMatch(/^# Annotations: \/shop\n/);
    expect(markdown).toContain('Copied words');
    await tab.context.close();
  });
});
