/** The example that brings its own packages is tested with those of test/tools; both must be the same. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Manifest {
  readonly workspaces?: readonly string[];
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
  readonly scripts?: Record<string, string>;
}

const root = join(import.meta.dirname, '../..');
const manifest = (path: string) =>
  JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest;

test('the example names everything it needs, in the versions that it is tested with', () => {
  const { devDependencies = {}, scripts = {} } = manifest('examples/annotate-vite');
  const { '@parley/annotations': own, ...foreign } = devDependencies;
  expect(own).toBe('file:../../packages/annotations');
  const { dependencies: tested = {} } = manifest('test/tools');
  expect(foreign).toEqual(Object.fromEntries(Object.keys(foreign).map((name) => [name, tested[name]])));
  expect(Object.keys(foreign)).toEqual(
    expect.arrayContaining(['@vitejs/plugin-react', 'playwright-core', 'react', 'react-dom', 'vite']),
  );
  expect(scripts.dev).toBe('vite');
});

test('an install in its folder installs there: it is no workspace', () => {
  const { workspaces = [] } = manifest('.');
  expect(workspaces.filter((pattern) => /annotate-vite|examples\/\*/.test(pattern))).toEqual([]);
});
