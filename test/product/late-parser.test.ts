/** What the server loads late: a start pays nothing for the Markdown parser. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';

const DIST = join(ROOT, 'apps/server/dist');
beforeAll(ensureBuilt);

test('the Markdown parser is a file of its own that no other file loads at once', () => {
  const files = readdirSync(DIST)
    .filter((name) => name.endsWith('.js') && name !== 'overlay.js')
    .map((name) => ({ name, code: readFileSync(join(DIST, name), 'utf8') }));
  // A name of the parser's public interface, which a bundle cannot change.
  const holders = files.filter(({ code }) => code.includes('normalizeLinkText')).map(({ name }) => name);
  expect(holders).toHaveLength(1);
  const [parser = ''] = holders;
  const naming = files.filter(({ code }) => code.includes(`./${parser}`));
  expect(naming).not.toHaveLength(0);
  for (const { name, code } of naming)
    expect([name, code.replaceAll(/import\(["'`][^"'`]*["'`]\)/g, '').includes(parser)]).toEqual([
      name,
      false,
    ]);
});
