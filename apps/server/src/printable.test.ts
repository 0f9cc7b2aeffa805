/** What outsiders wrote reaches a terminal or a log only as text. */
import { expect, test, vi } from 'vitest';
import { table } from './cli/table.ts';
import { createLog } from './log.ts';

const HOSTILE = 'x\u001b[2J\u009b31m\u007f\u202e\u2028y';

test('the cells of a table keep their columns and steer nothing', () => {
  const lines = table(
    ['NAME', 'STATE'],
    [
      [HOSTILE, 'ok'],
      ['plain', 'ok'],
    ],
  ).split('\n');
  expect(lines).toHaveLength(3);
  expect(lines.join('')).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
  expect(new Set(lines.map((line) => line.search(/ (?:STATE|ok)$/)))).toHaveLength(1);
});

test('a line of the log is one line of JSON that steers nothing and keeps the text', () => {
  const written: string[] = [];
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  createLog({ logLevel: 'info' }).info({ name: HOSTILE }, HOSTILE);
  spy.mockRestore();
  expect(written).toHaveLength(1);
  expect(written[0]?.slice(0, -1)).not.toMatch(/[\p{Cc}\u202e\u2028]/u);
  expect(JSON.parse(written[0] ?? '')).toMatchObject({ name: HOSTILE, msg: HOSTILE });
});
