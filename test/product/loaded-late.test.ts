/** What only requests need is loaded by requests: no chunk imports Hono when it is loaded, and stdio needs no node:http. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';
import { stdioClient } from './mcp-messages.ts';
import { scratchFolder, spawnParley } from './parley.ts';

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

test('a server over stdio answers a list without node:http, which is slow to load', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const watcher = join(folder.path, 'watcher.mjs');
  // The server writes nothing of this form itself.
  writeFileSync(
    watcher,
    `process.on('exit', () => process.stderr.write('<' + process.moduleLoadList.join(';') + '>'));`,
  );
  const stdio = spawnParley(['mcp', 'annotations', '--data', folder.path], {
    env: { NODE_OPTIONS: `--import=${watcher}` },
  });
  const { result } = await stdioClient(stdio).call('list_sessions');
  expect(result?.structuredContent).toBeDefined();
  stdio.child.stdin.end();
  const { stderr } = await stdio.ended;
  const loaded = stderr.slice(stderr.lastIndexOf('<') + 1, stderr.lastIndexOf('>')).split(';');
  expect(loaded).toContain('NativeModule crypto');
  expect(loaded).not.toContain('NativeModule http');
});
