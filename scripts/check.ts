/** Owns `npm run check`: runs every part, or those named, says how each went, and fails if any failed. */
import { join } from 'node:path';
import { checkBoundaries } from './check/boundaries.ts';
import { checkDocs } from './check/docs.ts';
import { checkExports } from './check/exports.ts';
import { formatFinding } from './check/finding.ts';
import type { Report } from './check/finding.ts';
import { checkApiTypes, checkFormat, checkLint, checkTables, checkTypes } from './check/programs.ts';
import { checkSizes } from './check/sizes.ts';

const root = join(import.meta.dirname, '..');
const args = process.argv.slice(2);
const update = args.includes('--update');

const parts: Record<string, () => Report> = {
  types: () => checkTypes(root),
  lint: () => checkLint(root),
  format: () => checkFormat(root),
  boundaries: () => checkBoundaries(root),
  exports: () => checkExports(root, { update }),
  sizes: () => checkSizes(root),
  docs: () => checkDocs(root),
  tables: () => checkTables(root),
  'api-types': () => checkApiTypes(root),
};

function runPart(name: string, run: () => Report): boolean {
  const startedMs = performance.now();
  const { findings, notes } = run();
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const outcome = findings.length === 0 ? 'ok    ' : 'FAILED';
  console.log(`${outcome} ${name.padEnd(10)} ${seconds.padStart(5)} s`);
  for (const line of [...notes, ...findings.map(formatFinding)]) console.log(`  ${line}`);
  return findings.length === 0;
}

const named = args.filter((arg) => arg !== '--update');
const unknown = named.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`There is no part called ${unknown.join(', ')}. Use ${Object.keys(parts).join(', ')}.`);
  process.exitCode = 2;
} else {
  const chosen = Object.entries(parts).filter(([name]) => named.length === 0 || named.includes(name));
  const outcomes = chosen.map(([name, run]) => runPart(name, run));
  process.exitCode = outcomes.every(Boolean) ? 0 : 1;
}
