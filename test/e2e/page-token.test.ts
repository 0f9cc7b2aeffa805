/** The page token and the overlay's own words stay out of everything that a note carries. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './chromium.ts';
import type { Note, Stage, Tab } from './stage.ts';
import { annotate, inspect, openStage, pin, writeNote } from './stage.ts';

describeInBrowser('what a note carries', () => {
  let stage: Stage;
  let token: string;
  beforeAll(async () => {
    stage = await openStage();
    token = /data-token="([^"]+)"/.exec(stage.overlayTag)![1]!;
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** Clicks beside everything that the body holds, which hits the body or, beside it, the root. */
  async function annotateEmptySpace({ page }: Tab, tag: string, text: string): Promise<void> {
    const css = tag === 'html' ? 'body { width: 400px }' : 'main { max-width: 400px }';
    await page.evaluate((rule) => {
      document.head.append(Object.assign(document.createElement('style'), { textContent: rule }));
    }, css);
    await inspect(page);
    await page.mouse.click(900, 400);
    await writeNote(page, text);
  }

  function expectClean(note: Note): void {
    const carried = JSON.stringify(note);
    expect(carried).not.toContain(token);
    expect(carried).not.toMatch(/parley_(page|tab)_/);
    expect(note.domSnapshot).not.toMatch(/parley-overlay|data-parley-overlay|__parley\/overlay\.js/);
  }

  test.each(['body', 'html'])('a note about %s carries neither the token nor the overlay', async (tag) => {
    const tab = await stage.open('shop');
    await annotate(tab.page, 'h1', `First about ${tag}`);
    await pin(tab.page, 1).waitFor();
    await annotateEmptySpace(tab, tag, `All of ${tag}`);
    const note = await stage.agent.noteSaying(`All of ${tag}`);
    expect(note.elementPath).toBe(tag);
    expectClean(note);
    for (const text of [note.element, note.nearbyText ?? '']) {
      expect(text).not.toContain(`First about ${tag}`);
      expect(text).not.toContain('Picking. Tab and arrows');
    }
    await tab.context.close();
  });

  test('a token in the code, address, title and selected text is struck out', async () => {
    const tab = await stage.open('shop');
    const { page } = tab;
    await page.evaluate((secret) => {
      const script = document.createElement('script');
      script.type = 'text/plain';
      script.textContent = `init({ token: '${secret}' })`;
      const shown = document.createElement('p');
      shown.id = 'leak';
      shown.className = secret;
      shown.textContent = `The token is ${secret}`;
      shown.append(script);
      document.querySelector('main, body')!.prepend(shown);
      document.title = `Shop ${secret}`;
      history.replaceState(null, '', `?token=${secret}`);
    }, token);
    await annotate(page, '#leak', 'About the leak');
    expectClean(await stage.agent.noteSaying('About the leak'));
    await page.evaluate(() => getSelection()!.selectAllChildren(document.querySelector('#leak')!));
    await page.getByRole('button', { name: 'Write a note about the selected text' }).click();
    await writeNote(page, 'About the selected leak');
    const note = await stage.agent.noteSaying('About the selected leak');
    expect(note.selectionText).toContain('The token is ***');
    expectClean(note);
    await tab.context.close();
  });
});
