/** What a note says of elements that carry no mark of their own: their own file or nothing, never a stranger's line. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PluginOption } from 'vite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parley } from '../../packages/annotations/src/vite/index.ts';
import { describeInBrowser, launchChromium } from '../e2e/chromium.ts';
import type { Browser } from '../e2e/playwright.ts';
import { pluginsOf, serve, settingsOf } from './dev-server.ts';
import { collectNotes } from './person.ts';
import { copySample } from './project.ts';

/** The file, and the text in it that the note must point at; the file alone when nothing marks the element. */
const expected: Record<string, readonly [file: string, text?: string]> = {
  made: ['src/ui/made.js'],
  mdx: ['src/doc.mdx'],
  lib: ['src/app.jsx'],
  framed: ['src/app.jsx'],
  child: ['src/app.jsx', '<em id="child"'],
  inline: ['src/app.jsx'],
  first: ['src/ui/card.jsx', '<p id="first"'],
  second: ['src/ui/card.jsx'],
  loud: ['src/ui/card.jsx', '<strong id="loud"'],
  portal: ['src/app.jsx', '<p id="portal"'],
  'made-portal': ['src/ui/made.js'],
  raw: ['src/app.jsx', '<div dangerouslySetInnerHTML'],
  'own-path': ['src/ui/card.jsx', '<svg width'],
  'given-path': ['src/app.jsx'],
};

const LIBRARY = `
import { createElement } from 'react';
export function LibButton({ id, frame }) {
  const button = createElement('button', { id }, 'library');
  return frame === undefined ? button : createElement(frame, null, button);
}
`;

/** Compiles as compilers of such files do: calls of the JSX runtime, no JSX. */
const mdxLike: PluginOption = {
  name: 'mdx-like',
  enforce: 'pre',
  transform(_code, id) {
    if (!id.endsWith('.mdx')) return null;
    return {
      map: null,
      code: `import { createElement } from 'react';
function Contents() { return createElement('article', null, createElement('h2', { id: 'mdx' }, 'Doc')); }
export default function MDXContent(props) { return createElement(Contents, props); }`,
    };
  },
};

async function placeOf(root: string, [file, text]: readonly [string, string?]): Promise<string> {
  if (text === undefined) return file;
  const before = (await readFile(join(root, file), 'utf8')).split(text)[0]!.split('\n');
  return `${file}:${before.length}:${before.at(-1)!.length + 1}`;
}

describeInBrowser('in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  async function sourcesOf(
    root: string,
    ids: readonly string[],
    base: string,
  ): Promise<Record<string, string | undefined>> {
    const library = join(root, 'node_modules/lib-button');
    await mkdir(library, { recursive: true });
    await writeFile(join(library, 'package.json'), '{"name":"lib-button","type":"module","main":"index.js"}');
    await writeFile(join(library, 'index.js'), LIBRARY);
    const plugins = [mdxLike, await pluginsOf('react'), parley()];
    await using served = await serve(settingsOf(root, plugins, { base }));
    const page = await (await browser.newContext()).newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    const notes = collectNotes(page);
    await page.goto(served.url);
    await page.getByRole('button', { name: /^Pick an element/ }).click();
    for (const id of ids) await page.locator(`#${id}`).click({ modifiers: ['Shift'] });
    await page.getByRole('button', { name: 'Write note' }).click();
    await page.getByRole('textbox', { name: 'Your note' }).fill('All of these');
    await page.getByRole('button', { name: 'Add note' }).click();
    await page.getByRole('button', { name: /pending: All of these$/ }).waitFor();
    await page.close();
    expect(faults).toEqual([]);
    const targets = notes[0]?.targets ?? [];
    return Object.fromEntries(targets.map(({ selector, sourceFile }) => [selector.slice(1), sourceFile]));
  }

  test('an element without a mark gets its own file, and never the line of an ancestor', async () => {
    await using project = await copySample('react-mixed');
    const told = await sourcesOf(project.root, Object.keys(expected), '/');
    const wanted = await Promise.all(
      Object.entries(expected).map(async ([id, at]) => [id, await placeOf(project.root, at)]),
    );
    expect(told).toEqual(Object.fromEntries(wanted));
  });

  test('a base of the dev server is no part of a path', async () => {
    await using project = await copySample('react-mixed');
    const told = await sourcesOf(project.root, ['made', 'first'], '/shop/');
    expect(told).toEqual({
      made: 'src/ui/made.js',
      first: await placeOf(project.root, expected.first!),
    });
  });
});
