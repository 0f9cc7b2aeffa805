/** Pages that are strict, ugly to strangers, or greedy for keys. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Stage } from './stage.ts';
import { annotate, openStage, pin } from './stage.ts';

describeInBrowser('difficult pages', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test('a strict content policy with a nonce and trusted types refuses nothing of the overlay', async () => {
    const tab = await stage.open('strict');
    const refused: string[] = [];
    tab.page.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/.test(message.text())) refused.push(message.text());
    });
    await annotate(tab.page, '#go', 'On a strict page');
    expect((await stage.agent.noteSaying('On a strict page')).selector).toBe('#go');
    await pin(tab.page, 1).click();
    await tab.page.getByRole('dialog', { name: 'Note 1' }).waitFor();
    const radius = await tab.page.locator('.panel').evaluate((panel) => getComputedStyle(panel).borderRadius);
    expect(radius).toBe('14px');
    await tab.shot('strict-page');
    expect(refused).toEqual([]);
    expect(tab.errors).toEqual([]);
    await tab.context.close();
  });

  test('a page that unsets all styles and stops all events neither breaks the overlay nor sees its keys', async () => {
    const tab = await stage.open('hostile');
    const { page } = tab;
    const panelStyle = () =>
      page.locator('.bar').evaluate((bar) => {
        const { display, backgroundColor, position } = getComputedStyle(bar);
        return { display, backgroundColor, position };
      });
    expect(await panelStyle()).toEqual({
      display: 'flex',
      backgroundColor: 'rgb(255, 255, 255)',
      position: 'absolute',
    });
    const before = await page.locator('#go').evaluate((button) => getComputedStyle(button).cssText);
    await page.keyboard.press('Alt+Shift+KeyA');
    await page.locator('#go').click();
    await page.getByLabel('Your note').press('x');
    await page.keyboard.type('yz typed');
    await tab.shot('hostile-page');
    await page.keyboard.press('Control+Enter');
    expect((await stage.agent.noteSaying('xyz typed')).selector).toBe('#go');
    await pin(page, 1).click();
    await page.getByRole('dialog', { name: 'Note 1' }).waitFor();
    const seen = await page.evaluate<string[]>('window.seenKeys');
    expect(seen.filter((key) => /^[a-z]$|Enter/.test(key))).toEqual([]);
    expect(await page.locator('#go').evaluate((button) => getComputedStyle(button).cssText)).toBe(before);
    await tab.context.close();
  });

  test('a page that throws the overlay out gets it back', async () => {
    const tab = await stage.open('shop');
    await tab.page.evaluate("document.querySelector('parley-overlay').remove()");
    await tab.page.getByRole('toolbar', { name: 'Parley' }).waitFor();
    expect(await tab.page.locator('parley-overlay').count()).toBe(1);
    await tab.context.close();
  });
});
