/** The conformance command: serves the fixture, runs the official referee for both revisions, gates on counts. */
import { parseArgs } from 'node:util';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import { readScoredScenarios, runReferee } from './referee.ts';
import type { Requirement } from './requirements.ts';
import { REQUIREMENTS } from './requirements.ts';
import type { RevisionScore } from './score.ts';
import { judge, readScores } from './score.ts';
import { startFixture } from './serve.ts';

const { values: flags } = parseArgs({
  options: { serve: { type: 'boolean', default: false }, port: { type: 'string', default: '0' } },
});

if (flags.serve) await serveOnly(Number(flags.port));
else process.exitCode = (await runBoth()) ? 0 : 1;

async function serveOnly(port: number): Promise<void> {
  const fixture = await startFixture(port);
  const stop = () => void fixture.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  console.log(JSON.stringify({ url: fixture.mcp, key: '' }));
}

async function runBoth(): Promise<boolean> {
  await ensureTestTools();
  const fixture = await startFixture(Number(flags.port));
  try {
    let isPassed = true;
    for (const requirement of REQUIREMENTS) {
      const score = await runOne(fixture.mcp, requirement);
      print(requirement, score);
      isPassed &&= score.faults.length === 0;
    }
    return isPassed;
  } finally {
    await fixture.close();
  }
}

async function runOne(url: string, requirement: Requirement): Promise<RevisionScore> {
  const scored = await readScoredScenarios(requirement.revision);
  return judge(requirement, scored, await readScores(await runReferee(url, requirement.revision)));
}

function print({ revision, requiredChecks }: Requirement, score: RevisionScore): void {
  console.log(`${revision}  required checks  ${score.passed}/${score.total} (bar ${requiredChecks})`);
  for (const { scenario, passed, total } of score.keptGreen) {
    console.log(`${revision}  not scored       ${passed}/${total} ${scenario}`);
  }
  for (const fault of score.faults) console.log(`${revision}  FAULT            ${fault}`);
}
