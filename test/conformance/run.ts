/** The conformance command: serves the fixture, runs the official referee for both revisions and for tasks, gates on counts. */
import { parseArgs } from 'node:util';
import { detach } from '@parley/kit';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import { readScoredScenarios } from './referee.ts';
import type { Requirement } from './requirements.ts';
import { REQUIREMENTS, TASK_SCENARIOS } from './requirements.ts';
import type { RevisionScore, ScenarioScore } from './score.ts';
import { judge } from './score.ts';
import { withFurtherChances } from './chances.ts';
import { startFixture } from './serve.ts';
import type { PairScore } from './through-gateway.ts';
import { runPairs, runTasksThrough } from './through-gateway.ts';
import { requirementTrial, taskTrial } from './trials.ts';
import { writeCompatibility } from './compatibility.ts';

const { values: flags } = parseArgs({
  options: {
    serve: { type: 'boolean', default: false },
    port: { type: 'string', default: '0' },
    // Only what goes through the gateway, or only its tasks, or only the server itself.
    only: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
});

/** What the page is written from. */
const found: { pairs?: readonly PairScore[]; tasks?: readonly ScenarioScore[] } = {};

if (flags.serve) await serveOnly(Number(flags.port));
else process.exitCode = (await runAll()) ? 0 : 1;

async function serveOnly(port: number): Promise<void> {
  const fixture = await startFixture(port);
  const stop = () =>
    detach(
      fixture.close().then(() => process.exit(0)),
      (error) => {
        console.error(error);
        process.exit(1);
      },
    );
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  console.log(JSON.stringify({ url: fixture.mcp, key: '' }));
}

async function runAll(): Promise<boolean> {
  await ensureTestTools();
  const { only } = flags;
  const runs = { fixture: runFixture, gateway: runGateway, 'gateway-tasks': runGatewayTasks };
  const wanted = Object.entries(runs).filter(([name]) => only === undefined || isPart(name, only));
  let isPassed = true;
  for (const [, run] of wanted) isPassed = (await run()) && isPassed;
  const { pairs, tasks } = found;
  // What a busy machine has missed is not written down.
  if (flags.write && isPassed && pairs !== undefined && tasks !== undefined)
    await writeCompatibility(pairs, tasks);
  return isPassed;
}

/** True of the run of this name, and of what belongs to it. */
function isPart(name: string, only: string): boolean {
  return name === only || name.startsWith(`${only}-`);
}

async function runGatewayTasks(): Promise<boolean> {
  const { scores, faults } = await runTasksThrough();
  found.tasks = scores;
  for (const { scenario, passed } of scores) {
    console.log(`gateway     tasks            ${passed}/${TASK_SCENARIOS[scenario]} ${scenario}`);
  }
  for (const fault of faults) console.log(`gateway     FAULT            ${fault}`);
  return faults.length === 0;
}

async function runGateway(): Promise<boolean> {
  const scores = await runPairs(({ pair: { client, upstream }, passed, total, faults }) => {
    console.log(`gateway     ${client} client, ${upstream} server  ${passed}/${total}`);
    for (const fault of faults) console.log(`gateway     FAULT            ${fault}`);
  });
  found.pairs = scores;
  return scores.every(({ faults }) => faults.length === 0);
}

async function runFixture(): Promise<boolean> {
  const fixture = await startFixture(Number(flags.port));
  try {
    let isPassed = true;
    for (const requirement of REQUIREMENTS) {
      const score = await runOne(fixture.mcp, requirement);
      print(requirement, score);
      isPassed &&= score.faults.length === 0;
    }
    return (await runTasks(fixture.mcp)) && isPassed;
  } finally {
    await fixture.close();
  }
}

async function runOne(url: string, requirement: Requirement): Promise<RevisionScore> {
  const { revision } = requirement;
  const scored = await readScoredScenarios(revision);
  return withFurtherChances({
    ...requirementTrial(revision, { url, group: revision }),
    scenarios: [...scored, ...Object.keys(requirement.keptGreen)],
    judge: (scores) => judge(requirement, scored, scores),
  });
}

async function runTasks(url: string): Promise<boolean> {
  const { scores, faults } = await withFurtherChances(taskTrial({ url, group: 'tasks' }));
  for (const { scenario, passed } of scores) {
    console.log(`tasks       extension        ${passed}/${TASK_SCENARIOS[scenario]} ${scenario}`);
  }
  for (const fault of faults) console.log(`tasks       FAULT            ${fault}`);
  return faults.length === 0;
}

function print({ revision, requiredChecks }: Requirement, score: RevisionScore): void {
  console.log(`${revision}  required checks  ${score.passed}/${score.total} (bar ${requiredChecks})`);
  for (const { scenario, passed, total } of score.keptGreen) {
    console.log(`${revision}  not scored       ${passed}/${total} ${scenario}`);
  }
  for (const fault of score.faults) console.log(`${revision}  FAULT            ${fault}`);
}
