import { expect, test, vi } from 'vitest';
import type { Trial } from './chances.ts';
import { withFurtherChances } from './chances.ts';
import type { ScenarioScore } from './score.ts';
import { holdAgainst, scoreOf } from './score.ts';

const BARS = { ping: 1, list: 1, listen: 1 };
const good = (scenario: string) => scoreOf(scenario, [{ id: 'a', status: 'SUCCESS' }]);
const late = (scenario: string) => scoreOf(scenario, [{ id: 'a', status: 'FAILURE', errorMessage: 'late' }]);
const LATE = ['listen a FAILURE: late'];

/** A machine on which `listen` is late this many times. */
function trial(timesLate: number) {
  const again: (readonly string[])[] = [];
  let left = timesLate;
  const listen = () => (left-- > 0 ? late('listen') : good('listen'));
  const run: Trial<ReturnType<typeof holdAgainst>> = {
    scenarios: Object.keys(BARS),
    run: () => Promise.resolve([good('ping'), good('list'), listen()]),
    runAgain(scenarios) {
      again.push(scenarios);
      return Promise.resolve([listen()]);
    },
    judge: (scores: readonly ScenarioScore[]) => holdAgainst(BARS, scores),
  };
  return { run, again };
}

test.each([
  ['what keeps its bar runs once', { late: 0, again: 0, faults: [] }],
  ['only what missed runs again', { late: 2, again: 2, faults: [] }],
  ['what misses every time is a fault', { late: 99, again: 4, faults: LATE }],
])('%s', async (_, row) => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const { run, again } = trial(row.late);
  const verdict = await withFurtherChances(run);
  expect(verdict.faults).toEqual(row.faults);
  expect(verdict.scores.map(({ scenario }) => scenario)).toEqual(Object.keys(BARS));
  expect(again).toEqual(Array.from({ length: row.again }, () => ['listen']));
});

test('a fault that belongs to no scenario is not tried again', async () => {
  const { run, again } = trial(0);
  const verdict = await withFurtherChances({ ...run, judge: () => ({ faults: ['2 checks ran'] }) });
  expect(verdict.faults).toEqual(['2 checks ran']);
  expect(again).toEqual([]);
});
