/** `npm test`: everything that must hold, in two lanes after the build, with one closing line that counts it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ensureTestTools } from './install-test-tools.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Stage {
  readonly name: string;
  readonly command: readonly string[];
}

const BUILD: Stage = { name: 'build', command: ['scripts/build.ts'] };
const FIRST_LANE: readonly Stage[] = [
  { name: 'check', command: ['scripts/check.ts'] },
  { name: 'unit', command: ['node_modules/vitest/vitest.mjs', 'run'] },
];
/** Mostly waits, for the referee and for programs, while the first lane works. What it prints comes when a stage has ended. */
const SECOND_LANE: readonly Stage[] = [
  { name: 'annotations', command: ['scripts/verify-annotations.ts'] },
  { name: 'conformance', command: ['test/conformance/run.ts'] },
  { name: 'examples', command: ['scripts/examples.ts'] },
];

await ensureTestTools();
const failed: string[] = [];
await runStage(BUILD);
// Nothing after the build can be trusted when it failed.
if (failed.length === 0) await Promise.all([runLane(FIRST_LANE), runLane(SECOND_LANE, 'held back')]);
const unit = await countUnitTests();
const otherStages = FIRST_LANE.length + SECOND_LANE.length;
const failedStages = failed.filter((name) => name !== 'unit').length;
if (failed.length > 0) process.stdout.write(`\nFailed: ${failed.join(', ')}\n`);
process.stdout.write(
  `\n${unit.passed + otherStages - failedStages} passed, ${unit.failed + failedStages} failed\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

async function runLane(stages: readonly Stage[], output?: 'held back'): Promise<void> {
  for (const stage of stages) await runStage(stage, output);
}

async function runStage({ name, command }: Stage, output?: 'held back'): Promise<void> {
  const startedMs = performance.now();
  if (output === undefined) process.stdout.write(`\n== ${name}\n`);
  const { code, said } = await run(command, output);
  if (output !== undefined) process.stdout.write(`\n== ${name}\n${said}`);
  process.stdout.write(`== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(startedMs)} s\n`);
  if (code !== 0) failed.push(name);
}

function run(
  command: readonly string[],
  output: 'held back' | undefined,
): Promise<{ code: number; said: string }> {
  return new Promise((resolve) => {
    const to = output === undefined ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, [...command], { cwd: root, stdio: ['ignore', to, to] });
    const said: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (part: Buffer) => said.push(part)).on('error', () => undefined);
    child.on('close', (code) => resolve({ code: code ?? 1, said: Buffer.concat(said).toString() }));
  });
}

async function countUnitTests(): Promise<{ passed: number; failed: number }> {
  try {
    const report = JSON.parse(await readFile(`${root}/test/artifacts/unit.json`, 'utf8')) as Record<
      string,
      number
    >;
    return { passed: report.numPassedTests ?? 0, failed: report.numFailedTests ?? 0 };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

function seconds(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}
