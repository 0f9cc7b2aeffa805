/** `npm test`: everything that must hold, in order, with one closing line that counts it. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ensureTestTools } from './install-test-tools.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

interface Stage {
  readonly name: string;
  readonly command: readonly string[];
}

const STAGES: readonly Stage[] = [
  { name: 'build', command: ['scripts/build.ts'] },
  { name: 'check', command: ['scripts/check.ts'] },
  { name: 'annotations', command: ['scripts/verify-annotations.ts'] },
  { name: 'unit', command: ['node_modules/vitest/vitest.mjs', 'run'] },
  { name: 'conformance', command: ['test/conformance/run.ts'] },
  { name: 'examples', command: ['scripts/examples.ts'] },
];

await ensureTestTools();
const failed: string[] = [];
for (const stage of STAGES) {
  const startedMs = performance.now();
  process.stdout.write(`\n== ${stage.name}\n`);
  const code = await run(stage.command);
  process.stdout.write(`== ${stage.name}: ${code === 0 ? 'passed' : 'FAILED'} in ${seconds(startedMs)} s\n`);
  if (code !== 0) failed.push(stage.name);
  // Nothing after the build can be trusted when it failed.
  if (code !== 0 && stage.name === 'build') break;
}
const unit = await countUnitTests();
const otherStages = STAGES.length - 1;
const failedStages = failed.filter((name) => name !== 'unit').length;
if (failed.length > 0) process.stdout.write(`\nFailed: ${failed.join(', ')}\n`);
process.stdout.write(
  `\n${unit.passed + otherStages - failedStages} passed, ${unit.failed + failedStages} failed\n`,
);
process.exitCode = failed.length === 0 ? 0 : 1;

function run(command: readonly string[]): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...command], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('exit', (code) => resolve(code ?? 1));
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
