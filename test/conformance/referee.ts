/** Runs the official conformance referee from test/tools against a URL. */
import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Revision } from './requirements.ts';
import { scoredScenarios } from './requirements.ts';

const PACKAGE = new URL('../tools/node_modules/@modelcontextprotocol/conformance/', import.meta.url);
const OUT = fileURLToPath(new URL('out/', import.meta.url));

/** Runs one requirement set and returns the folder with its results; what it printed is in a log beside it. */
export async function runRequirements(url: string, revision: Revision, group: string): Promise<string> {
  const folder = await emptyFolder(group);
  await runReferee(url, ['--requirements', revision], folder, group);
  return folder;
}

/**
 * Runs scenarios by name, one after the other, and returns the folder with the results of all. With a revision each
 * runs as the requirement set of that revision runs it.
 */
export async function runScenarios(
  url: string,
  scenarios: readonly string[],
  { group, revision }: { readonly group: string; readonly revision?: Revision },
): Promise<string> {
  const folder = await emptyFolder(group);
  const wire = revision === undefined ? [] : ['--spec-version', revision, '--force'];
  for (const scenario of scenarios)
    await runReferee(url, ['--scenario', scenario, ...wire], folder, `${group}-${scenario}`);
  return folder;
}

/** Results of an earlier run would be counted again. */
async function emptyFolder(name: string): Promise<string> {
  const folder = join(OUT, name);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}

async function runReferee(url: string, what: readonly string[], folder: string, log: string): Promise<void> {
  const program = fileURLToPath(new URL('dist/index.js', PACKAGE));
  const args = [program, 'server', '--url', url, ...what, '-o', folder];
  const referee = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve, reject) => {
    referee.once('error', reject);
    referee.once('close', () => resolve());
  });
  await Promise.all([pipeline(referee.stdout, createWriteStream(join(OUT, `${log}.log`))), closed]);
}

/** The scenarios that the pinned referee scores for a revision. */
export async function readScoredScenarios(revision: Revision): Promise<string[]> {
  return scoredScenarios(await readFile(new URL(`requirements/${revision}.yaml`, PACKAGE), 'utf8'));
}
