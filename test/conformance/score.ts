/** Counts what the referee wrote: a scenario is as good as its checks.json says, whatever the exit code was. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Requirement } from './requirements.ts';

/** The checks of one scenario; notes of status INFO are not checks. */
export interface ScenarioScore {
  readonly scenario: string;
  readonly passed: number;
  readonly total: number;
  /** One line for each check that did not pass. */
  readonly faults: readonly string[];
}

/** A revision's verdict. */
export interface RevisionScore {
  readonly passed: number;
  readonly total: number;
  readonly keptGreen: readonly ScenarioScore[];
  /** Why the bar is missed; empty means that it is reached. */
  readonly faults: readonly string[];
}

const Checks = z.array(
  z.looseObject({
    id: z.string(),
    status: z.enum(['SUCCESS', 'FAILURE', 'WARNING', 'SKIPPED', 'INFO']),
    errorMessage: z.string().optional(),
  }),
);

const FOLDER = /^server-(?<scenario>.+)-\d{4}-\d{2}-\d{2}T[\d-]+Z$/;

/** Reads every scenario folder under the referee's output folder. */
export async function readScores(folder: string): Promise<ScenarioScore[]> {
  const names = await readdir(folder);
  return Promise.all(
    names.toSorted().map(async (name) => {
      const scenario = FOLDER.exec(name)?.groups?.scenario;
      if (scenario === undefined)
        throw new Error(`Unexpected folder ${name} in the referee's output; look at its new shape.`);
      return scoreOf(scenario, JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8')));
    }),
  );
}

/** Scores one checks.json; a skipped check counts as one that did not pass. */
export function scoreOf(scenario: string, json: unknown): ScenarioScore {
  const checks = Checks.parse(json).filter(({ status }) => status !== 'INFO');
  const open = checks.filter(({ status }) => status !== 'SUCCESS');
  return {
    scenario,
    passed: checks.length - open.length,
    total: checks.length,
    faults: open.map(
      ({ id, status, errorMessage }) => `${scenario} ${id} ${status}: ${errorMessage ?? 'no message'}`,
    ),
  };
}

/** Holds the scores of a run against the bar of its revision. */
export function judge(
  requirement: Requirement,
  scored: readonly string[],
  scores: readonly ScenarioScore[],
): RevisionScore {
  const required = scored.map((name) => find(scores, name));
  const kept = holdAgainst(requirement.keptGreen, scores);
  const passed = sum(required.map((score) => score.passed));
  const total = sum(required.map((score) => score.total));
  const faults = [...required.flatMap((score) => score.faults), ...kept.faults];
  for (const { scenario, total } of required) if (total === 0) faults.push(`${scenario} ran no checks`);
  if (total !== requirement.requiredChecks) {
    faults.push(`${total} required checks ran, ${requirement.requiredChecks} were expected`);
  }
  return { passed, total, keptGreen: kept.scores, faults };
}

/** Holds scenarios against the number of checks that each must pass. */
export function holdAgainst(
  bars: Readonly<Record<string, number>>,
  scores: readonly ScenarioScore[],
): { readonly scores: readonly ScenarioScore[]; readonly faults: readonly string[] } {
  const held = Object.keys(bars).map((name) => find(scores, name));
  const short = held.filter(({ scenario, total }) => total !== bars[scenario]);
  return {
    scores: held,
    faults: [
      ...held.flatMap(({ faults }) => faults),
      ...short.map(
        ({ scenario, total }) => `${scenario} ran ${total} checks, ${bars[scenario]} were expected`,
      ),
    ],
  };
}

function find(scores: readonly ScenarioScore[], name: string): ScenarioScore {
  return scores.find(({ scenario }) => scenario === name) ?? scoreOf(name, []);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((left, right) => left + right, 0);
}
