import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkBoundaries } from '../../scripts/check/boundaries.ts';
import { checkExports } from '../../scripts/check/exports.ts';
import { formatFinding } from '../../scripts/check/finding.ts';

const root = join(import.meta.dirname, '../..');

function runCheck(...args: string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, ['scripts/check.ts', ...args], { cwd: root, encoding: 'utf8' });
  return { status: result.status, output: `${result.stdout}${result.stderr}` };
}

test('this checkout keeps every rule of the house', () => {
  expect(checkBoundaries(root).findings.map(formatFinding)).toEqual([]);
});

test('the public names of this checkout are the recorded ones', () => {
  expect(checkExports(root).findings.map(formatFinding)).toEqual([]);
});

test('a named part runs alone', () => {
  const { status, output } = runCheck('sizes');
  expect(output.match(/^(ok|FAILED) +\w+/gm)).toEqual(['ok     sizes']);
  expect(status).toBe(0);
});

test('an unknown part is refused with the names of the parts', () => {
  const { status, output } = runCheck('everything');
  expect(status).toBe(2);
  expect(output).toContain('types, lint, format, boundaries, exports, sizes, docs');
});
