/** A Node that cannot run the sources: the dev server says so in one line, with a command that helps. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../product/build.ts';

const ENTRY = join(ROOT, 'packages/annotations/src/vite/entry.js');

test('on a Node that is too old the line carries the command that starts a newer one', () => {
  const load = `import(${JSON.stringify(ENTRY)}).then(({ parley }) => parley().configResolved({ logger: { warn: console.log } }))`;
  // Without this feature the entry takes any Node for one that is too old.
  const said = spawnSync(process.execPath, ['--no-experimental-strip-types', '-e', load], {
    encoding: 'utf8',
  });
  expect(said.stderr).toBe('');
  expect(said.stdout.trim().split('\n')).toHaveLength(1);
  const [, path] =
    /^Parley is off: it needs Node 22\.18 or newer, this is \S+\. Start Vite with the one that Parley brings: PATH="([^"]+)" npm run dev$/.exec(
      said.stdout.trim(),
    ) ?? [];
  const { stdout } = spawnSync('/bin/sh', ['-c', `PATH="${path}" node -p process.features.typescript`], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin' },
  });
  expect(stdout.trim()).toBe('strip');
});
