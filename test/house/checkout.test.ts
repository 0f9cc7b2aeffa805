import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

function runCheck(...args: string[]): { status: number | null; output: string } {
  const result = spawnSync(process.execPath, ['scripts/check.ts', ...args], { cwd: root, encoding: 'utf8' });
  return { status: result.status, output: `${result.stdout}${result.stderr}` };
}

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
