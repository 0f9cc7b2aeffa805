/** The official referee through the gateway: four pairs of eras and the tasks, each held against what is written down for it. */
import { readScoredScenarios } from './referee.ts';
import type { Pair } from './pairs.ts';
import { PAIRS } from './pairs.ts';
import type { Requirement } from './requirements.ts';
import { REQUIREMENTS } from './requirements.ts';
import type { holdAgainst, ScenarioScore } from './score.ts';
import { judge } from './score.ts';
import { withFurtherChances } from './chances.ts';
import { startThrough } from './through.ts';
import { requirementTrial, taskTrial } from './trials.ts';

/** How a pair did. */
export interface PairScore {
  readonly pair: Pair;
  readonly passed: number;
  readonly total: number;
  readonly scenarios: readonly ScenarioScore[];
  /** What is not as it is written down. */
  readonly faults: readonly string[];
}

/** Runs the referee for all pairs; the two clients of one server share what it is behind. */
export async function runPairs(onScore: (score: PairScore) => void): Promise<PairScore[]> {
  const scores: PairScore[] = [];
  for (const upstream of ['2025', '2026'] as const) {
    const through = await startThrough(upstream);
    try {
      for (const pair of PAIRS.filter((one) => one.upstream === upstream)) {
        const score = await runPair(pair, through.mcp);
        onScore(score);
        scores.push(score);
      }
    } finally {
      await through.close();
    }
  }
  return scores;
}

/** Runs the scenarios of tasks, of a 2026 client to a 2026 server: what tasks of the server are behind tasks of ours. */
export async function runTasksThrough(): Promise<ReturnType<typeof holdAgainst>> {
  const through = await startThrough('2026');
  try {
    return await withFurtherChances(taskTrial({ url: through.mcp, group: 'tasks-through-2026' }));
  } finally {
    await through.close();
  }
}

async function runPair(pair: Pair, url: string): Promise<PairScore> {
  const { client, upstream } = pair;
  const requirement = REQUIREMENTS.find(({ revision }) => revision === client);
  if (requirement === undefined) throw new Error(`There is no requirement set for ${client}.`);
  const scored = await readScoredScenarios(client);
  return withFurtherChances({
    ...requirementTrial(client, { url, group: `${client}-through-${upstream}` }),
    scenarios: scored,
    judge: (scenarios) => judgePair(pair, { requirement, scored, scenarios }),
  });
}

interface PairRun {
  readonly requirement: Requirement;
  readonly scored: readonly string[];
  readonly scenarios: readonly ScenarioScore[];
}

function judgePair(pair: Pair, { requirement, scored, scenarios }: PairRun): PairScore {
  const { passed, total, faults } = judge(
    { ...requirement, requiredChecks: pair.total ?? requirement.requiredChecks, keptGreen: {} },
    scored,
    scenarios,
  );
  const isExcepted = (fault: string) =>
    Object.keys(pair.exceptions).some((key) => fault.startsWith(`${key} `));
  const unexpected = faults.filter((fault) => !isExcepted(fault));
  const unused = Object.keys(pair.exceptions).filter(
    (key) => !faults.some((fault) => fault.startsWith(`${key} `)),
  );
  const count =
    passed === pair.passed ? [] : [`${passed} required checks passed, ${pair.passed} are written down`];
  return {
    pair,
    passed,
    total,
    scenarios,
    faults: [...unexpected, ...count, ...unused.map((key) => `${key} passes now: take its exception away`)],
  };
}
