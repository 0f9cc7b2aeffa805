/** Tools of other servers are called in one place, behind all stages of a call: nobody else reaches a link. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../product/build.ts';

/** Everything that is shipped, by its path. */
function sources(): [path: string, text: string][] {
  return ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => join(folder, path))
      .filter((path) => /\/src\/.*(?<!\.test)\.ts$/.test(path) && !path.includes('node_modules'))
      .map((path): [string, string] => [path, readFileSync(join(ROOT, path), 'utf8')]),
  );
}

const UPSTREAM = 'packages/gateway/src/upstream';

test('only the bridge calls over a link; besides it a server is only asked what it has', () => {
  const all = sources();
  const withText = (pattern: RegExp) =>
    all.flatMap(([path, text]) => (pattern.test(text) ? [path] : [])).toSorted();
  expect(withText(/\blink\.request\(/)).toEqual([
    `${UPSTREAM}/asking.ts`,
    `${UPSTREAM}/bridge.ts`,
    `${UPSTREAM}/discovery/discover.ts`,
  ]);
  expect(withText(/\baskedOver\(/)).toEqual([`${UPSTREAM}/asking.ts`, `${UPSTREAM}/upstream.ts`]);
  for (const [path, text] of all)
    if (/\/(?:asking|upstream|tool-list)\.ts$|\/upstream\/discovery\//.test(path))
      expect(text, path).not.toContain('tools/call');
  expect(withText(/\bbridge\.ask\(/)).toEqual([`${UPSTREAM}/toolset.ts`]);
});
