/** Brings apps/server/dist up to date, so that the tests start what users start. */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, rmdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** The root of the repository. */
export const ROOT = join(import.meta.dirname, '../..');

const BUILT = join(ROOT, 'apps/server/dist/parley.js');
const LOCK = join(ROOT, 'test/artifacts/build.lock');
// Longer than a build takes on a busy machine.
const ABANDONED_MS = 300_000;

/** Builds when a source is newer than the bundle; one test file at a time looks. */
export async function ensureBuilt(): Promise<void> {
  mkdirSync(join(LOCK, '..'), { recursive: true });
  while (!tryLock()) await pause(20);
  try {
    if (isStale()) execFileSync(process.execPath, [join(ROOT, 'scripts/build.ts')], { stdio: 'inherit' });
  } finally {
    rmdirSync(LOCK);
  }
}

function tryLock(): boolean {
  try {
    mkdirSync(LOCK);
    return true;
  } catch {
    const lock = statSync(LOCK, { throwIfNoEntry: false });
    if (lock !== undefined && Date.now() - lock.mtimeMs > ABANDONED_MS) rmdirSync(LOCK);
    return false;
  }
}

function isStale(): boolean {
  if (!existsSync(BUILT)) return true;
  const builtAtMs = statSync(BUILT).mtimeMs;
  const sources = globSync('{packages,apps}/*/{src/**/*.{ts,tsx,css},package.json}', { cwd: ROOT });
  return sources.some((path) => !path.endsWith('.test.ts') && statSync(join(ROOT, path)).mtimeMs > builtAtMs);
}
