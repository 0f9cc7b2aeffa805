/** Pins stay with their own element, or say that it is not there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Page } from './playwright.ts';
import type { Stage } from './stage.ts';
import { annotate, openStage, pin, pins } from './stage.ts';

/** The card under each visible pin, by the pin's number. */
async function cardsOfPins(page: Page): Promise<Record<string, string>> {
  // Two frames: one for the page's change to be seen, one for the pins to move.
  await page.evaluate(
    () =>
      new Promise((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))),
      ),
  );
  return page.evaluate(() => {
    const shown: Record<string, string> = {};
    const root = document.querySelector('parley-overlay')!.shadowRoot!;
    for (const button of root.querySelectorAll<HTMLElement>('.pin:not([hidden])')) {
      const { left, bottom } = button.getBoundingClientRect();
      const card = [...document.querySelectorAll('.card')].find((one) => {
        const box = one.getBoundingClientRect();
        return left >= box.left && left <= box.right && bottom >= box.top && bottom <= box.bottom + 2;
      });
      shown[button.textContent] = card?.querySelector('b')?.textContent ?? 'none';
    }
    return shown;
  });
}

const render = (page: Page, change: string) => page.evaluate(`render((${change})(names()))`);

describeInBrowser('pins', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  test.each(['keyed', 'fresh', 'reused'])(
    'in a list of twenty equal cards, %s, each pin stays on its own card or leaves the page',
    async (way) => {
      const tab = await stage.open(`list/${way}`);
      const { page } = tab;
      await annotate(page, '.card:nth-child(3) button', 'Third');
      await annotate(page, '.card:nth-child(17) b', 'Seventeenth');
      await pin(page, 2).waitFor();
      const own = { '1': 'Card 3', '2': 'Card 17' };
      expect(await cardsOfPins(page)).toEqual(own);
      await render(page, '(names) => names.toReversed()');
      expect(await cardsOfPins(page)).toEqual(own);
      await render(page, '(names) => ["New card", ...names]');
      expect(await cardsOfPins(page)).toEqual(own);
      await render(page, '(names) => names.filter((name) => name !== "Card 3")');
      expect(await cardsOfPins(page)).toEqual({ '2': 'Card 17' });
      await page.getByRole('button', { name: /^Notes:/ }).click();
      await page.getByRole('list', { name: 'Not on this page' }).locator('text=Third').waitFor();
      if (way === 'fresh') await tab.shot('pins-not-on-this-page');
      await page.keyboard.press('Escape');
      await render(page, '(names) => [...names, "Card 3"]');
      expect(await cardsOfPins(page)).toEqual(own);
      await render(page, '(names) => names.toSorted()');
      await page.reload();
      await pin(page, 2).waitFor();
      expect(await cardsOfPins(page)).toEqual(own);
      expect(tab.errors).toEqual([]);
      await tab.context.close();
    },
  );

  test('in a list of ten equal components each of ten pins is on its own row', async () => {
    const tab = await stage.open('list/fresh');
    const { page } = tab;
    await render(page, '(names) => names.slice(0, 10)');
    for (let row = 1; row <= 10; row += 1) await annotate(page, `.card:nth-child(${row}) b`, `Row ${row}`);
    await pin(page, 10).waitFor();
    const own = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${index + 1}`, `Card ${index + 1}`]),
    );
    expect(await cardsOfPins(page)).toEqual(own);
    await render(page, '(names) => names.toReversed()');
    expect(await cardsOfPins(page)).toEqual(own);
    await tab.shot('pins-ten-rows');
    await tab.context.close();
  });

  test('pins follow scrolling of the page and of a box, and are hidden when scrolled out of it', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#two', 'In the box');
    await pin(page, 1).waitFor();
    const distance = async (): Promise<number> => {
      const [badge, target] = [await pin(page, 1).boundingBox(), await page.locator('#two').boundingBox()];
      return Math.round(badge!.y - target!.y);
    };
    const before = await distance();
    await page.evaluate('scrollBy(0, 60)');
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await distance()).toBe(before);
    await page.evaluate("document.querySelector('.scroller').scrollTop = 150");
    await pin(page, 1).waitFor({ state: 'hidden' });
    await page.evaluate("document.querySelector('.scroller').scrollTop = 0");
    await pin(page, 1).waitFor();
    await tab.context.close();
  });

  test('notes show only on the route they were made on', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#order', 'On the shop');
    await pin(page, 1).waitFor();
    await page.evaluate("history.pushState({}, '', '/shop/other')");
    await pin(page, 1).waitFor({ state: 'hidden' });
    await page.evaluate('history.back()');
    await pin(page, 1).waitFor();
    expect(await pins(page).count()).toBe(1);
    await tab.context.close();
  });

  test('a changed text keeps its pin where the element stands alone', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, '#order', 'Rename it');
    await pin(page, 1).waitFor();
    await page.evaluate(() => {
      const button = document.createElement('button');
      button.id = 'order';
      button.textContent = 'Order bread now';
      document.querySelector('#order')!.replaceWith(button);
    });
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    );
    expect(await pins(page).count()).toBe(1);
    await page.evaluate("document.querySelector('#order').remove()");
    await pin(page, 1).waitFor({ state: 'hidden' });
    expect(await pins(page).count()).toBe(0);
    await tab.context.close();
  });
});
