/** The page shows what is scored: every pair and every scenario of tasks with all that is written down for it. */
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { matrix } from './compatibility.ts';
import { NO_TASKS, PAIRS } from './pairs.ts';
import { TASK_SCENARIOS } from './requirements.ts';

const page = await readFile(new URL('../../docs/compatibility.md', import.meta.url), 'utf8');
const rowOf = (name: string) =>
  page
    .split('\n')
    .find((line) => line.startsWith(`| ${name} |`))
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());

const byNumber = (a: number, b: number) => a - b;

test('the totals of the page are those that are written down', () => {
  const cells = rowOf('required checks') ?? [];
  expect(cells.map((cell) => Number(/^\*\*(\d+)\//.exec(cell)?.[1])).toSorted(byNumber)).toEqual(
    PAIRS.map(({ passed }) => passed).toSorted(byNumber),
  );
});

test('tasks stand there for the pair that has them, in full, and the others have a reason', () => {
  for (const [name, checks] of Object.entries(TASK_SCENARIOS))
    expect(rowOf(name), name).toEqual(['none', 'none', 'none', `${checks}/${checks}`]);
  for (const reason of Object.values(NO_TASKS)) expect(page).toContain(reason);
});

test('what a run of a pair says of tasks is not shown', () => {
  const scenario = { scenario: 'tasks-lifecycle', passed: 2, total: 9, faults: [] };
  const scores = PAIRS.map((pair) => ({ pair, passed: 1, total: 1, scenarios: [scenario], faults: [] }));
  const text = matrix(scores, [{ ...scenario, passed: 9 }]);
  expect(text).toContain('| tasks-lifecycle | none | none | none | 9/9 |');
  expect(text).not.toContain('2/9');
});
