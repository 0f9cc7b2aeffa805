/** `npm test`: everything that must hold, with one closing line that counts it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { ensureTestTools } from './install-test-tools.ts';
import { readUnitReport } from './unit-report.ts';
import type { UnitReport } from './unit-report.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Stage {
  readonly name: string;
  readonly command: readonly string[];
}

const BUILD: Stage = { name: 'build', command: ['scripts/build.ts'] };
const UNIT: Stage = { name: 'unit', command: ['node_modules/vitest/vitest.mjs', 'run'] };
/** Mostly waits, for the referee and for programs, while the unit tests work. What it prints comes when a stage has ended. */
const BESIDE: readonly Stage[] = [
  { name: 'check', command: ['scripts/check.ts'] },
  { name: 'annotations', command: ['scripts/verify-annotations.ts'] },
  { name: 'conformance', command: ['test/conformance/run.ts'] },
  { name: 'examples', command: ['scripts/examples.ts'] },
];
/** More files than these have not met a busy machine: something is broken. */
const MOST_FILES_AGAIN = 3;

await ensureTestTools();
const failed = new Set<string>();
await runStage(BUILD);
// Nothing after the build can be trusted when it failed.
if (failed.size === 0) await Promise.all([runStage(UNIT), runBeside()]);
const unit = await withSecondRun(await readUnitReport(`${root}/test/artifacts/unit.json`));
if (failed.size > 0) process.stdout.write(`\nFailed: ${[...failed].join(', ')}\n`);
const otherFailures = [...failed].filter((name) => name !== UNIT.name).length;
process.stdout.write(
  `\n${unit.passed + 1 + BESIDE.length - otherFailures} passed, ${unit.failed + otherFailures} failed\n`,
);
process.exitCode = failed.size === 0 ? 0 : 1;

async function runBeside(): Promise<void> {
  for (const stage of BESIDE) await runStage(stage, 'held back');
}

/**
 * Runs the files that failed once more when all else has ended. What is wrong fails again; what only a busy machine
 * fails is named at the end, so that it is seen and mended, and holds nobody up.
 */
async function withSecondRun(first: UnitReport): Promise<UnitReport> {
  const { failedFiles } = first;
  if (!failed.has(UNIT.name) || failedFiles.length === 0 || failedFiles.length > MOST_FILES_AGAIN)
    return first;
  failed.delete(UNIT.name);
  await runStage({ name: UNIT.name, command: [...UNIT.command, ...failedFiles] });
  if (failed.has(UNIT.name)) return first;
  for (const file of failedFiles) process.stdout.write(`\nPassed at its second run only: ${file}\n`);
  return { ...first, passed: first.passed + first.failed, failed: 0 };
}

async function runStage({ name, command }: Stage, output?: 'held back'): Promise<void> {
  const startedMs = performance.now();
  if (output === undefined) process.stdout.write(`\n== ${name}\n`);
  const { code, said } = await run(command, output);
  if (output !== undefined) process.stdout.write(`\n== ${name}\n${said}`);
  process.stdout.write(`== ${name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(startedMs)} s\n`);
  if (code !== 0) failed.add(name);
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

function seconds(startedMs: number): string {
  return ((performance.now() - startedMs) / 1000).toFixed(1);
}
