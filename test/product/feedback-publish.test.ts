/** The owner publishes the feedback pages with the command line, while the server runs. */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

test('a key that may not do everything in feedback neither publishes nor exports nor imports', async () => {
  using folder = scratchFolder();
  await using server = await startParley(folder.path);
  const data = ['--data', folder.path];
  const made = await runParley([
    'keys',
    'create',
    'narrow',
    '--grant',
    'parley:parley_whoami',
    '--json',
    ...data,
  ]);
  const { key } = JSON.parse(made.stdout) as { key: string };
  const file = join(folder.path, 'posts.csv');
  writeFileSync(file, 'title,board\nOne,Ideas\n');
  for (const words of [
    ['publish', 'on'],
    ['export', join(folder.path, 'all.jsonl')],
    ['import', file, '--create-boards'],
  ]) {
    const ended = await runParley(['feedback', ...words, ...data], { env: { PARLEY_KEY: key } });
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('may not do everything in feedback'),
    });
  }
  expect((await fetch(`${server.url}/feedback`)).status).toBe(404);
  expect(existsSync(join(folder.path, 'all.jsonl'))).toBe(false);
});

test('public pages come and go with "parley feedback publish"', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path);
  const status = async (path: string) => (await fetch(server.url + path)).status;
  const paths = ['/feedback', '/feedback?x=1', '/feedback/roadmap', '/changelog.xml', '/api/public/boards'];
  const all = () => Promise.all(paths.map(status));
  const publish = (wanted: string, ...more: string[]) =>
    runParley(['feedback', 'publish', wanted, '--data', folder.path, ...more]);
  expect(await all()).toEqual(paths.map(() => 404));
  const on = await publish('on');
  expect(on).toMatchObject({ code: 0, stdout: expect.stringContaining('/feedback at the address that') });
  // The default port is not where this server listens.
  expect(on.stdout).not.toContain('4680');
  const named = await publish('on', '--port', new URL(server.url).port);
  expect(named.stdout).toContain(`public boards now: ${server.url}/feedback\n`);
  expect(await all()).toEqual(paths.map(() => 200));
  expect(await publish('off')).toMatchObject({ code: 0, stdout: 'The public pages are off.\n' });
  expect(await all()).toEqual(paths.map(() => 404));
  expect(await publish('maybe')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Usage: parley feedback publish on|off'),
  });
  await server.stop();
});
