/** Compares the table of acceptance checks with the tests that it names. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAIRS } from '../conformance/pairs.ts';
import { ROOT } from '../product/build.ts';

const CHECKS = 35;
const ROW = /^\| (?<check>\d+) \| (?<promise>[^|]*) \| (?<file>[^| ]+) \| [^|]* \|$/gm;
const TITLE =
  /^\s*(?:(?:describe|test)(?:\.each\(.*\))?\(\n?|\]\)\(|(?:\{ )?check: )?\s*['"`]check (?<numbers>[\d, and]+)(?=:)/gm;

interface Row {
  readonly check: number;
  readonly promise: string;
  readonly file: string;
}

const rows = [...readFileSync(join(import.meta.dirname, 'checks.md'), 'utf8').matchAll(ROW)].map(
  ({ groups = {} }): Row => ({
    check: Number(groups['check']),
    promise: (groups['promise'] ?? '').trim(),
    file: groups['file'] ?? '',
  }),
);

/** The numbers that titles of a file begin with. */
function numbersIn(file: string): Set<number> {
  const path = join(ROOT, file);
  if (!existsSync(path)) return new Set();
  const titles = readFileSync(path, 'utf8').matchAll(TITLE);
  return new Set(
    [...titles].flatMap(({ groups }) => (groups?.['numbers'] ?? '').match(/\d+/g) ?? []).map(Number),
  );
}

test('every check has its line, in order, with its promise in the first', () => {
  const firsts = rows.filter(({ check }, index) => rows[index - 1]?.check !== check);
  expect(firsts.map(({ check }) => check)).toEqual(Array.from({ length: CHECKS }, (_, index) => index + 1));
  expect(firsts.filter(({ promise }) => promise === '')).toEqual([]);
});

test('every file of the table has tests that begin with the number', () => {
  expect(rows.filter(({ check, file }) => !numbersIn(file).has(check))).toEqual([]);
});

test('check 2: the referee judges all pairs of eras, and whatever a pair cannot express has its reason', () => {
  expect(new Set(PAIRS.map(({ client, upstream }) => `${client} ${upstream}`))).toEqual(
    new Set(['2025-11-25 2025', '2025-11-25 2026', '2026-07-28 2025', '2026-07-28 2026']),
  );
  for (const { passed, exceptions } of PAIRS) {
    expect(passed).toBeGreaterThanOrEqual(70);
    for (const reason of Object.values(exceptions)) expect(reason).toMatch(/\.$/);
  }
  // It is a stage of `npm test`, and so is required.
  expect(readFileSync(join(ROOT, 'scripts/test.ts'), 'utf8')).toContain('test/conformance/run.ts');
});
