/** What the referee tries, as trials that can be run once more in part. */
import type { Trial } from './chances.ts';
import { runRequirements, runScenarios } from './referee.ts';
import type { Revision } from './requirements.ts';
import { TASK_SCENARIOS } from './requirements.ts';
import { holdAgainst, readScores } from './score.ts';

/** Where a trial runs, and the folder that its results go to. */
interface Place {
  readonly url: string;
  readonly group: string;
}

/** The requirement set of a revision; what is asked of it is the caller's. */
export function requirementTrial(
  revision: Revision,
  { url, group }: Place,
): Pick<Trial<unknown>, 'run' | 'runAgain'> {
  return {
    run: async () => readScores(await runRequirements(url, revision, group)),
    runAgain: async (scenarios) =>
      readScores(await runScenarios(url, scenarios, { group: `${group}-again`, revision })),
  };
}

/** The scenarios of tasks, which no requirement set scores. */
export function taskTrial({ url, group }: Place): Trial<ReturnType<typeof holdAgainst>> {
  const runAgain = async (scenarios: readonly string[]) =>
    readScores(await runScenarios(url, scenarios, { group }));
  const scenarios = Object.keys(TASK_SCENARIOS);
  return {
    scenarios,
    run: () => runAgain(scenarios),
    runAgain,
    judge: (scores) => holdAgainst(TASK_SCENARIOS, scores),
  };
}
