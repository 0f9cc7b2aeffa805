/** Reloads, lost servers and blocked sockets lose nothing and double nothing. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import { serveSite } from './site.ts';
import type { Stage } from './stage.ts';
import { annotate, inspect, openStage, pin, pins, waitUntilOnline } from './stage.ts';

describeInBrowser('without the server', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const sessionsOf = async (): Promise<string[]> =>
    (await stage.agent.call<{ sessions: { id: string }[] }>('list_sessions')).sessions.map(({ id }) => id);

  test('after reload and restart it is the same session, resolved stays resolved, offline notes arrive once', async () => {
    const { agent } = stage;
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#order', 'Before the stop');
    const { id } = await agent.noteSaying('Before the stop');
    await agent.call('resolve', { id, summary: 'Done.' });
    await page.getByRole('button', { name: /^Note 1, resolved/ }).waitFor();
    const before = await sessionsOf();
    await stage.restart(async () => {
      await page.getByRole('button', { name: 'Server not reached' }).waitFor();
      await annotate(page, '#intro', 'While it was away');
      await page.getByRole('button', { name: /^Note 2, pending: While it was away/ }).waitFor();
      await tab.shot('offline-waiting');
      await page.getByRole('button', { name: 'Server not reached' }).click();
      await page.locator('text=cannot be reached').waitFor();
      await page.keyboard.press('Escape');
    });
    await waitUntilOnline(page);
    const late = await agent.noteSaying('While it was away');
    expect(late).toMatchObject({ number: 2, status: 'pending' });
    await page.reload();
    await waitUntilOnline(page);
    await page.getByRole('button', { name: /^Note 1, resolved/ }).waitFor();
    await page.getByRole('button', { name: /^Note 2, pending/ }).waitFor();
    expect(await pins(page).count()).toBe(2);
    expect(await sessionsOf()).toEqual(before);
    expect((await agent.notes()).filter(({ sessionId }) => sessionId === late.sessionId)).toHaveLength(2);
    expect(tab.errors).toEqual([]);
    await tab.context.close();
  });

  test('a note that waits and a note half written survive a restart and a reload', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await stage.restart(async () => {
      await page.getByRole('button', { name: 'Server not reached' }).waitFor();
      await annotate(page, '#order', 'Kept over the reload');
      await inspect(page);
      await page.locator('#intro').click();
      await page.getByLabel('Your note').fill('Half written');
    });
    await page.reload();
    await page.getByRole('dialog', { name: 'New note' }).waitFor();
    expect(await page.getByLabel('Your note').evaluate((field) => (field as HTMLTextAreaElement).value)).toBe(
      'Half written',
    );
    await page.getByRole('button', { name: 'Add note' }).click();
    expect((await stage.agent.noteSaying('Kept over the reload')).selector).toBe('#order');
    expect((await stage.agent.noteSaying('Half written')).selector).toBe('#intro');
    await tab.context.close();
  });

  test('two equal notes on one element stay two, with the server and without it', async () => {
    const text = 'Say it twice';
    const tab = await stage.open('shop');
    const { page } = tab;
    const pinned = (number: number) =>
      page.getByRole('button', { name: `Note ${number}, pending: ${text}` }).waitFor();
    await annotate(page, '#order', text);
    await pinned(1);
    await annotate(page, '#order', text);
    await pinned(2);
    expect(await pins(page).count()).toBe(2);
    await stage.restart(async () => {
      await page.getByRole('button', { name: 'Server not reached' }).waitFor();
      await annotate(page, '#order', text);
      await pinned(3);
      await annotate(page, '#order', text);
      await pinned(4);
      expect(await pins(page).count()).toBe(4);
      await pin(page, 4).click();
      await page.getByRole('dialog', { name: 'Note 4' }).locator('text=Waits for the server').waitFor();
    });
    await waitUntilOnline(page);
    // The panel stays with its own note when the server has numbered it.
    await page.getByRole('dialog', { name: 'Note 4' }).locator('[aria-label=Edit]').waitFor();
    expect(await pins(page).count()).toBe(4);
    const twins = (await stage.agent.notes()).filter(({ annotationText }) => annotationText === text);
    expect(new Set(twins.map(({ number, selector }) => `${number} ${selector}`))).toEqual(
      new Set(['1 #order', '2 #order', '3 #order', '4 #order']),
    );
    expect(twins).toHaveLength(4);
    await page.keyboard.press('Escape');
    await page.reload();
    await waitUntilOnline(page);
    await pinned(4);
    expect(await pins(page).count()).toBe(4);
    expect(tab.errors).toEqual([]);
    await tab.context.close();
  });

  test('a page whose token is refused says so and keeps its notes', async () => {
    await using site = await serveSite(stage.overlayTag.replace(/data-token="[^"]+"/, 'data-token="wrong"'));
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.goto(`${site.url}/shop`);
    await page.getByRole('button', { name: 'Token refused' }).click();
    await page.locator('text=The server refused this page').waitFor();
    await page.keyboard.press('Escape');
    await annotate(page, '#order', 'Nobody hears this');
    await pin(page, 1).waitFor();
    expect((await stage.agent.notes()).filter((note) => note.annotationText === 'Nobody hears this')).toEqual(
      [],
    );
    await context.close();
  });

  test('a page whose hello came too late is no refused page: it says it again, for the same session', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#order', 'Before the slow hello');
    await stage.agent.noteSaying('Before the slow hello');
    const before = await sessionsOf();
    const closed = Promise.withResolvers<void>();
    let late = 0;
    // As the server closes a socket whose hello was stuck on its way.
    await page.routeWebSocket('**/__parley/socket', async (socket) => {
      if ((late += 1) > 1) return socket.connectToServer();
      await socket.close({ code: 4401, reason: 'No hello came in time.' });
      closed.resolve();
    });
    await page.reload();
    await closed.promise;
    await waitUntilOnline(page);
    await page.getByRole('button', { name: /^Note 1, pending: Before the slow hello/ }).waitFor();
    expect(await sessionsOf()).toEqual(before);
    await tab.context.close();
  });

  test('where sockets are blocked the event stream carries the same', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    await page.addInitScript({
      content: `window.WebSocket = class extends EventTarget {
        constructor() { super(); setTimeout(() => this.dispatchEvent(new CloseEvent('close', { code: 1006 }))); }
        send() {} close() {}
      };`,
    });
    await page.goto(`${stage.site.url}/shop`);
    await waitUntilOnline(page);
    await annotate(page, '#order', 'Over the stream');
    const { id } = await stage.agent.noteSaying('Over the stream');
    await stage.agent.call('acknowledge', { id, message: 'Seen.' });
    await page.getByRole('button', { name: /^Note 1, acknowledged/ }).waitFor();
    await pin(page, 1).click();
    await page.locator('text=Seen.').waitFor();
    expect(await pins(page).count()).toBe(1);
    await context.close();
  });
});
