/** What only requests need is loaded by requests: no chunk of the built program imports Hono when it is loaded itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';

const DIST = join(ROOT, 'apps/server/dist');
// Words that stand in the router and in the cookies of Hono, and nowhere else.
const MARKS = ['emptyParams', '__Host- Cookie must have'];
const AT_LOAD = /(?:from|import)\s*["']\.\/([\w-]+\.js)["']/g;

test('commands without requests load no Hono', async () => {
  await ensureBuilt();
  const files = readdirSync(DIST).filter((file) => file.endsWith('.js') && file !== 'overlay.js');
  const chunks = files.map((file) => ({ file, code: readFileSync(join(DIST, file), 'utf8') }));
  const isHono = (code: string) => MARKS.some((mark) => code.includes(mark));
  const hono = new Set(chunks.filter(({ code }) => isHono(code)).map(({ file }) => file));
  expect(hono.size).toBeGreaterThanOrEqual(2);
  // Were it imported at load, it would stand among code of ours.
  expect(chunks.filter(({ file, code }) => hono.has(file) && code.includes('HttpRefusal'))).toEqual([]);
  const importing = chunks.flatMap(({ file, code }) =>
    hono.has(file) ? [] : [...code.matchAll(AT_LOAD)].map(([, other = '']) => `${file} ${other}`),
  );
  expect(importing.length).toBeGreaterThan(0);
  expect(importing.filter((pair) => hono.has(pair.split(' ')[1] ?? ''))).toEqual([]);
});
