/** npm has an unrelated package "parley": no text may send a user there. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const STRANGER = /\bnpx(?:\.cmd)?["'\s,]+(?:"args"\s*:\s*\[\s*)?(?:["']?-[\w-]+["']?[\s,]+)*["']?parley\b/;

function textsOf(...patterns: string[]): [string, string][] {
  return globSync(patterns, { cwd: root, exclude: ['**/node_modules/**', '**/dist/**'] }).map((path) => [
    path,
    readFileSync(join(root, path), 'utf8'),
  ]);
}

test('nothing that a program says tells to run the package of another', () => {
  const sources = textsOf('{packages,apps}/*/{src,bin}/**/*.{ts,js}', 'examples/*/**/*.{ts,js,jsx,html}');
  expect(sources.length).toBeGreaterThan(500);
  const wrong = sources.filter(([path, text]) => !path.includes('.test.') && STRANGER.test(text));
  expect(wrong.map(([path]) => path)).toEqual([]);
});

test('a page that names the short command says that it is for the checkout', () => {
  const pages = textsOf('*.md', 'docs/**/*.md', 'examples/*/*.md');
  expect(pages.length).toBeGreaterThan(20);
  const wrong = pages.flatMap(([path, text]) => {
    const blocks = text.split(/\n\s*\n/);
    return blocks.flatMap((block, index) => {
      const isFine = !STRANGER.test(block) || /checkout/.test(`${blocks[index - 1] ?? ''} ${block}`);
      return isFine ? [] : [`${path}: ${block}`];
    });
  });
  expect(wrong).toEqual([]);
});

test.each([
  'npx parley start',
  'npx -y parley mcp',
  '"command": "npx",\n  "args": ["parley", "mcp"]',
  "Start it with 'npx parley start'.",
])('%j is seen', (text) => {
  expect(text).toMatch(STRANGER);
});
