/** Writes docs/compatibility.md from what the referee found. */
import { readFile, writeFile } from 'node:fs/promises';
import { NO_TASKS, TASK_PAIR } from './pairs.ts';
import { TASK_SCENARIOS } from './requirements.ts';
import type { ScenarioScore } from './score.ts';
import type { PairScore } from './through-gateway.ts';

const PAGE = new URL('../../docs/compatibility.md', import.meta.url);
const BEGIN = '<!-- referee:begin -->';
const END = '<!-- referee:end -->';

/** Puts the matrix into the page, between its marks. */
export async function writeCompatibility(
  scores: readonly PairScore[],
  tasks: readonly ScenarioScore[],
): Promise<void> {
  const text = await readFile(PAGE, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error(`docs/compatibility.md has lost its marks ${BEGIN} and ${END}.`);
  await writeFile(PAGE, `${before}${BEGIN}\n${matrix(scores, tasks)}\n${END}${after}`);
}

/** The matrix as the page shows it: totals, then each scenario, then what a pair cannot express. */
export function matrix(scores: readonly PairScore[], tasks: readonly ScenarioScore[]): string {
  const header = scores.map(({ pair }) => `${pair.client} client, ${pair.upstream} server`);
  const totals = scores.map(({ passed, total }) => `**${passed}/${total}**`);
  // Pairs run without the tools that tasks are tried with; what counts of them is a run of their own.
  const isShown = ({ scenario }: ScenarioScore) => !scenario.startsWith('tasks-');
  const names = [
    ...new Set(scores.flatMap(({ scenarios }) => scenarios.filter(isShown).map(({ scenario }) => scenario))),
  ];
  const rows = names.toSorted().map((name) =>
    row(
      name,
      scores.map(({ scenarios }) => {
        const found = scenarios.find(({ scenario }) => scenario === name);
        return found === undefined ? '' : `${found.passed}/${found.total}`;
      }),
    ),
  );
  const exceptions = scores.flatMap(({ pair }) =>
    Object.entries(pair.exceptions).map(([check, reason]) =>
      row(`${pair.client} client, ${pair.upstream} server`, [`\`${check}\``, reason]),
    ),
  );
  const taskRows = Object.keys(TASK_SCENARIOS)
    .toSorted()
    .map((name) => {
      const { passed = 0 } = tasks.find(({ scenario }) => scenario === name) ?? {};
      const score = `${passed}/${TASK_SCENARIOS[name]}`;
      return row(
        name,
        scores.map(({ pair }) =>
          pair.client === TASK_PAIR.client && pair.upstream === TASK_PAIR.upstream ? score : 'none',
        ),
      );
    });
  const noTasks = Object.entries(NO_TASKS).map(([pair, reason]) => row(pair, ['tasks', reason]));
  return [
    row('scenario', header),
    row(
      '---',
      header.map(() => '---'),
    ),
    row('required checks', totals),
    ...rows,
    ...taskRows,
    '',
    row('pair', ['check', 'why it cannot pass']),
    row('---', ['---', '---']),
    ...exceptions,
    ...noTasks,
  ].join('\n');
}

function row(first: string, cells: readonly string[]): string {
  return `| ${[first, ...cells].join(' | ')} |`;
}
