/** Runs every example's own check; fails when one of them does. */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const failed = globSync('examples/*/check.ts', { cwd: root })
  .toSorted()
  .filter((path) => spawnSync(process.execPath, [path], { cwd: root, stdio: 'inherit' }).status !== 0);

for (const path of failed) console.error(`${path} failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
