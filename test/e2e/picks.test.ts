/** All ways to pick, and what each carries to the agent. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Page } from './playwright.ts';
import type { Stage } from './stage.ts';
import { annotate, inspect, openStage, pins, writeNote } from './stage.ts';

describeInBrowser('picks', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function drag(page: Page, from: [number, number], to: [number, number]): Promise<void> {
    await page.mouse.move(...from);
    await page.mouse.down();
    await page.mouse.move(...to, { steps: 6 });
    await page.mouse.up();
  }

  test('a text selection carries the selected words', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await page.evaluate(() => {
      const text = document.querySelector('#intro')!.firstChild!;
      getSelection()!.setBaseAndExtent(text, 3, text, 20);
    });
    await page.getByRole('button', { name: 'Write a note about the selected text' }).click();
    await tab.shot('picks-text');
    await writeNote(page, 'Say it shorter');
    const note = await stage.agent.noteSaying('Say it shorter');
    expect(note).toMatchObject({ kind: 'text', selectionText: 'bake before dawn,', selector: '#intro' });

    const box = (await page.locator('#intro').boundingBox())!;
    await inspect(page);
    await drag(page, [box.x + 2, box.y + 12], [box.x + 160, box.y + 12]);
    await writeNote(page, 'Dragged over text');
    const dragged = await stage.agent.noteSaying('Dragged over text');
    expect(dragged.kind).toBe('text');
    expect(dragged.selectionText).toMatch(/^We bake before/);
    await tab.context.close();
  });

  test('several elements by Shift+click and by a drag are one note with all targets', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await inspect(page);
    await page
      .locator('.card')
      .nth(0)
      .locator('h2')
      .click({ modifiers: ['Shift'] });
    await page
      .locator('.card')
      .nth(2)
      .locator('h2')
      .click({ modifiers: ['Shift'] });
    await tab.shot('picks-multi');
    await page.getByRole('button', { name: 'Write note' }).click();
    await writeNote(page, 'Two headings');
    const two = await stage.agent.noteSaying('Two headings');
    expect(two.kind).toBe('multi');
    expect(two.targets).toHaveLength(2);

    const first = (await page.locator('.card').nth(0).boundingBox())!;
    const last = (await page.locator('.card').nth(1).boundingBox())!;
    await inspect(page);
    await drag(page, [first.x - 8, first.y - 6], [last.x + last.width + 8, last.y + last.height + 6]);
    await writeNote(page, 'Both cards');
    const both = await stage.agent.noteSaying('Both cards');
    expect(both.kind).toBe('multi');
    const targets = await page.evaluate(
      (selectors: string[]) => selectors.map((one) => document.querySelector(`${one} h2`)!.textContent),
      both.targets!.map(({ selector }) => selector),
    );
    expect(targets).toEqual(['Rye', 'Spelt']);
    await tab.context.close();
  });

  test('Alt+drag picks a free area with its elements', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    const box = (await page.locator('.card').nth(0).boundingBox())!;
    await inspect(page);
    await page.keyboard.down('Alt');
    await drag(page, [box.x - 10, box.y - 4], [box.x + box.width + 10, box.y + box.height + 4]);
    await page.keyboard.up('Alt');
    await tab.shot('picks-area');
    await writeNote(page, 'This corner');
    const note = await stage.agent.noteSaying('This corner');
    expect(note.kind).toBe('area');
    expect(note.targets!.length).toBeGreaterThan(0);
    await pins(page).first().waitFor();
    await tab.shot('picks-area-pinned');
    await tab.context.close();
  });

  test('elements in shadow roots and frames can be picked, and their selector finds them again', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await annotate(page, 'shadow-box .deep', 'Deep one');
    const deep = await stage.agent.noteSaying('Deep one');
    const [host, inner] = deep.selector.split(' >>> ');
    expect(
      await page.evaluate(
        ([outer, inside]) => document.querySelector(outer!)!.shadowRoot!.querySelector(inside!)!.className,
        [host, inner],
      ),
    ).toBe('deep');

    const frame = (await page.locator('iframe').boundingBox())!;
    await inspect(page);
    await page.mouse.click(frame.x + 45, frame.y + 35);
    await writeNote(page, 'Framed one');
    expect((await stage.agent.noteSaying('Framed one')).selector).toBe('iframe >>> #inner');
    await page.reload();
    await page.getByRole('button', { name: /^Note 1, pending: Deep one/ }).waitFor();
    await page.getByRole('button', { name: /^Note 2, pending: Framed one/ }).waitFor();
    await tab.context.close();
  });

  test('a huge element is cut at 5,000 characters, and secrets never leave the page', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await page.evaluate(() => {
      document.querySelector<HTMLInputElement>('#secret')!.value = 'typed-secret';
      const huge = document.createElement('div');
      huge.id = 'huge';
      huge.textContent = 'x'.repeat(1_000_000);
      huge.style.cssText = 'height:40px;overflow:hidden';
      document.querySelector('main')!.prepend(huge);
      document.querySelector('form')!.dataset.echo = 'typed-secret';
    });
    await annotate(page, '#huge', 'Huge');
    const huge = await stage.agent.noteSaying('Huge');
    expect(huge.domSnapshot).toHaveLength(5_000);
    expect(huge.domSnapshot.endsWith('<!-- truncated -->')).toBe(true);

    for (const [selector, text] of [
      ['#secret', 'The field'],
      ['[data-parley-mask]', 'The mask'],
      ['form', 'The form'],
    ] as const) {
      await inspect(page);
      const box = (await page.locator(selector).boundingBox())!;
      await page.mouse.click(box.x + (selector === 'form' ? box.width - 5 : 5), box.y + 3);
      await writeNote(page, text);
      const sent = JSON.stringify(await stage.agent.noteSaying(text));
      expect(sent).not.toMatch(/typed-secret|attribute-secret|4111/);
      expect(sent).toContain('***');
    }
    await tab.context.close();
  });

  test('the overlay makes no global name and does nothing on a foreign host', async () => {
    const tab = await stage.open('shop');
    const names = await tab.page.evaluate<string[]>(
      'Object.keys(window).filter((name) => /parley/i.test(name))',
    );
    expect(names).toEqual([]);
    expect(await tab.page.evaluate("Symbol.for('parley.overlay') in window")).toBe(true);
    const port = new URL(stage.site.url).port;
    const foreign = await stage.browser.newContext();
    const page = await foreign.newPage();
    await page.goto(`http://0.0.0.0:${port}/shop`);
    expect(await page.locator('#order').count()).toBe(1);
    expect(await page.locator('parley-overlay').count()).toBe(0);
    await foreign.close();
    await tab.context.close();
  });
});
