/** The whole flow with the keyboard alone, and what assistive technology is told. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Page } from './playwright.ts';
import { axePath } from './playwright.ts';
import type { Stage } from './stage.ts';
import { annotate, inspect, openStage, pin, pins } from './stage.ts';

const DIFF = '--- a/a.css\n+++ b/a.css\n@@ -1 +1 @@\n-a { color: red }\n+a { color: green }\n';

/** What the accessibility check finds inside the overlay. */
async function violations(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    interface Axe {
      run(
        context: object,
        options: object,
      ): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>;
    }
    const { axe } = window as unknown as { axe: Axe }; // put there before the page's own scripts
    const found = await axe.run(
      { include: [['parley-overlay']] },
      { resultTypes: ['violations'], rules: { region: { enabled: false } } },
    );
    return found.violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

describeInBrowser('keyboard and assistive technology', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test('with keys alone a note is picked, written, read, answered and closed', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    const { keyboard } = page;
    await inspect(page);
    for (const key of ['ArrowDown', 'Tab', 'Tab']) await keyboard.press(key);
    await tab.shot('keyboard-inspect');
    await keyboard.press('Enter');
    await keyboard.type('Typed with keys');
    await keyboard.press('Escape');
    await page.locator('text=Discard this note?').waitFor();
    await keyboard.press('Enter');
    await keyboard.press('Control+Enter');
    const note = await stage.agent.noteSaying('Typed with keys');
    expect(note.selector).toBe('#order');
    expect(await page.evaluate('window.orders')).toBe(0);

    await pin(page, 1).waitFor();
    for (let presses = 0; presses < 60; presses += 1) {
      const focused = await page.evaluate(
        "document.activeElement?.shadowRoot?.activeElement?.className ?? ''",
      );
      if (focused === 'pin') break;
      await keyboard.press('Tab');
    }
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Note 1' }).waitFor();
    await keyboard.type('And bold');
    await keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Note 1' }).locator('text=And bold').waitFor();
    for (let presses = 0; presses < 12; presses += 1) await keyboard.press('Tab');
    const isInside = await page.evaluate(
      "document.activeElement.shadowRoot.activeElement.closest('[role=dialog]') !== null",
    );
    expect(isInside).toBe(true);
    await keyboard.press('Escape');
    expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.className')).toBe('pin');
    await keyboard.press('Alt+Shift+KeyH');
    await pins(page).first().waitFor({ state: 'hidden' });
    await keyboard.press('Alt+Shift+KeyH');
    await pin(page, 1).waitFor();
    expect(tab.errors).toEqual([]);
    await tab.context.close();
  });

  test('keys are the page’s while the person types there', async () => {
    const tab = await stage.open('hostile');
    await tab.page.locator('#field').click();
    await tab.page.keyboard.press('Alt+Shift+KeyA');
    expect(await tab.page.locator('.bar [aria-pressed=true]').count()).toBe(0);
    await tab.context.close();
  });

  test('a changed key works, the old one does not', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: /^Pick on and off:/ }).click();
    await page.keyboard.press('Control+Alt+KeyK');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Alt+Shift+KeyA');
    expect(await page.locator('.bar [aria-pressed=true]').count()).toBe(0);
    await page.keyboard.press('Control+Alt+KeyK');
    await page.locator('.bar [aria-pressed=true]').waitFor();
    await tab.context.close();
  });

  test.each(['light', 'dark'] as const)(
    'every mode passes the accessibility check, %s',
    async (colorScheme) => {
      const tab = await stage.open('shop', { colorScheme });
      const { page } = tab;
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.evaluate(readFileSync(axePath(), 'utf8'));
      const check = async (mode: string): Promise<void> => {
        await tab.shot(`${colorScheme}-${mode}`);
        expect(await violations(page), mode).toEqual([]);
      };
      const text = `Check ${colorScheme}`;
      await check('idle');
      await inspect(page);
      await page.locator('#order').hover();
      await check('inspect');
      await page.locator('#order').click();
      await check('annotate');
      await page.getByLabel('Your note').fill(text);
      await check('annotate-filled');
      await page.getByRole('button', { name: 'Add note' }).click();
      const { id } = await stage.agent.noteSaying(text);
      for (const [step, selector] of [
        ['acknowledge', '#intro'],
        ['resolve', 'h1'],
        ['dismiss', '.card:nth-child(2)'],
      ] as const) {
        await annotate(page, selector, `${text} ${step}`);
        const other = await stage.agent.noteSaying(`${text} ${step}`);
        await stage.agent.call(step, { id: other.id, ...(step === 'dismiss' && { reason: 'No.' }) });
      }
      await stage.agent.call('propose_diff', { id, diff: DIFF, message: 'So?' });
      await page.getByRole('button', { name: /^Note 1, change proposed/ }).waitFor();
      await pin(page, 1).click();
      await check('thread');
      await page.getByRole('button', { name: 'Review change' }).click();
      await check('preview');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      for (const [name, mode] of [
        [/^Notes:/, 'notes'],
        [/^Agent is/, 'help'],
        ['Settings', 'settings'],
      ] as const) {
        await page.getByRole('button', { name }).click();
        await check(mode);
        await page.keyboard.press('Escape');
      }
      await page.keyboard.press('Alt+Shift+KeyH');
      await check('hidden');
      await tab.context.close();
    },
  );

  test('it works at 320 pixels and by touch', async () => {
    const tab = await stage.open('shop', {
      viewport: { width: 320, height: 640 },
      hasTouch: true,
      isMobile: true,
    });
    const { page } = tab;
    const bar = (await page.getByRole('toolbar').boundingBox())!;
    expect(bar.x).toBeGreaterThanOrEqual(0);
    expect(bar.x + bar.width).toBeLessThanOrEqual(320);
    await page.getByRole('button', { name: /^Pick an element/ }).click();
    const order = (await page.locator('#order').boundingBox())!;
    await page.touchscreen.tap(order.x + 20, order.y + 10);
    await page.getByLabel('Your note').fill('By touch');
    await tab.shot('narrow-annotate');
    await page.getByRole('button', { name: 'Add note' }).click();
    expect((await stage.agent.noteSaying('By touch')).selector).toBe('#order');
    const pinBox = (await pin(page, 1).boundingBox())!;
    await page.touchscreen.tap(pinBox.x + 10, pinBox.y + 10);
    await page.getByRole('dialog', { name: 'Note 1' }).waitFor();
    await tab.shot('narrow-thread');
    expect(await page.evaluate('window.orders')).toBe(0);
    await tab.context.close();
  });
});
