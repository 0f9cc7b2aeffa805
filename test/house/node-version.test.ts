/** The Node that `npm install` brings: one version for every platform, so that no platform lacks a security release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));

// Only the fields that are looked at; both files are npm's own.
const manifest = read('package.json') as { optionalDependencies: Record<string, string> };
const lock = read('package-lock.json') as {
  packages: Record<
    string,
    { version?: string; hasInstallScript?: boolean; os?: string | string[]; cpu?: string | string[] }
  >;
};
const nodes = Object.entries(manifest.optionalDependencies);

test('every platform has a Node of its own', () => {
  const platforms = nodes.map(([name]) => {
    const { os, cpu } = lock.packages[`node_modules/${name}`] ?? {};
    return `${[os].flat().join()}-${[cpu].flat().join()}`;
  });
  expect(platforms.toSorted()).toEqual([
    'darwin-arm64',
    'darwin-x64',
    'linux-arm64',
    'linux-x64',
    'win32-x64',
  ]);
});

test('all platforms get the same Node, in the manifest and in the lock file', () => {
  const wanted = new Set(nodes.map(([, version]) => version));
  const locked = new Set(nodes.map(([name]) => lock.packages[`node_modules/${name}`]?.version));
  expect(wanted.size, [...wanted].join(' ')).toBe(1);
  expect([...locked]).toEqual([...wanted]);
});

test('the lock file has the marks that npm writes, so that npm install leaves the tree clean', () => {
  expect(lock.packages['node_modules/better-sqlite3']?.hasInstallScript).toBe(true);
});
