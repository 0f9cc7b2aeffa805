/** Brings apps/server/dist up to date, once per test run, so that the tests start what users start. */
import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, globSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');

const BUILT = join(ROOT, 'apps/server/dist/parley.js');
// The workers of one run share their parent, so its id names the run.
const MARK = join(tmpdir(), `parley-build-of-run-${process.ppid}`);

/** Builds when a source is newer than the bundle; workers that come later wait for the first. */
export async function ensureBuilt(): Promise<void> {
  mkdirSync(MARK, { recursive: true });
  const [claim, done] = [join(MARK, 'claim'), join(MARK, 'done')];
  const file = tryCreate(claim);
  if (file === undefined) {
    while (!existsSync(done)) await pause(20);
    return;
  }
  closeSync(file);
  if (isStale()) execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' });
  const mark = openSync(done, 'w');
  writeSync(mark, 'built\n');
  closeSync(mark);
  process.once('exit', () => rmSync(MARK, { recursive: true, force: true }));
}

function tryCreate(path: string): number | undefined {
  try {
    return openSync(path, 'wx');
  } catch {
    return undefined;
  }
}

function isStale(): boolean {
  if (!existsSync(BUILT)) return true;
  const builtAtMs = statSync(BUILT).mtimeMs;
  const sources = globSync('{packages,apps}/*/{src/**/*.ts,package.json}', { cwd: ROOT });
  return sources.some((path) => !path.endsWith('.test.ts') && statSync(join(ROOT, path)).mtimeMs > builtAtMs);
}
