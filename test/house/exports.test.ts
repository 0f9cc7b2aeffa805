import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkExports } from '../../scripts/check/exports.ts';
import { checkWorkspace } from './workspace.ts';

const recorded = (root: string): string => join(root, 'test/house/exports/kit.txt');

function checkAfterRecording(change: (root: string) => void): string[] {
  const { findings } = checkWorkspace({}, (root) => {
    checkExports(root, { update: true });
    change(root);
    return checkExports(root);
  });
  return findings.map(({ file, message }) => `${file}\n${message}`);
}

test('recorded names pass until they change', () => {
  expect(checkAfterRecording(() => {})).toEqual([]);
});

test('a new, a lost and a retyped name are each shown with their entry', () => {
  const [finding = '', ...others] = checkAfterRecording((root) => {
    const text = `/** Owns a. */\nexport { request, type Caller, extra } from './a.ts';\n`;
    writeFileSync(join(root, 'packages/kit/src/index.ts'), text);
    writeFileSync(join(root, 'packages/kit/src/testing/index.ts'), 'export type connect = 1;\n');
  });
  expect(others).toEqual([]);
  expect(finding).toContain('test/house/exports/kit.txt');
  expect(finding).toContain('+ . extra');
  expect(finding).toContain('- ./testing connect');
  expect(finding).toContain('+ ./testing type connect');
  expect(finding).not.toContain('request');
  expect(finding).not.toContain('Caller');
});

test('a package without a record fails', () => {
  const { findings } = checkWorkspace({}, (root) => checkExports(root));
  expect(findings.map(({ file }) => file)).toContain('test/house/exports/kit.txt');
});

test('an edited record fails', () => {
  const [finding = ''] = checkAfterRecording((root) => writeFileSync(recorded(root), '.\n  gone\n'));
  expect(finding).toContain('- . gone');
});

test('an entry without a file is named', () => {
  const { findings } = checkWorkspace(
    {
      'packages/store/package.json': JSON.stringify({
        name: '@parley/store',
        exports: { './x': './src/x.ts' },
      }),
    },
    (root) => checkExports(root),
  );
  const missing = findings.filter(({ rule }) => rule === 'missing-entry');
  expect(missing.map(({ file }) => file)).toEqual(['packages/store/package.json']);
});
