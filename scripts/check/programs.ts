/** Owns running the compiler, the linter and the formatter as parts of the check. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Report } from './finding.ts';

/** Runs the type checker over the whole workspace, type tests included, and over the console, which lives in a browser. */
export function checkTypes(root: string): Report {
  const reports = [root, join(root, 'apps/console')].map((project) =>
    runProgram(root, 'typescript/bin/tsc', ['--noEmit', '--pretty', 'false', '-p', project]),
  );
  return { findings: reports.flatMap(({ findings }) => findings), notes: [] };
}

/** Runs the linter with types; a warning counts as an error. */
export function checkLint(root: string): Report {
  return runProgram(root, 'oxlint/bin/oxlint', ['--type-aware', '--deny-warnings', '--format=unix', root]);
}

/** Tells which files the formatter would change. */
export function checkFormat(root: string): Report {
  return runProgram(root, 'oxfmt/bin/oxfmt', ['--list-different', root]);
}

/** Tells whether the generated tables in the documents still say what the code says. */
export function checkTables(root: string): Report {
  return runProgram(root, '../scripts/docs-tables.ts', ['--check']);
}

/** Tells whether the types of the console still say what the routes say. */
export function checkApiTypes(root: string): Report {
  return runProgram(root, '../scripts/api-types.ts', ['--check']);
}

function runProgram(root: string, program: string, args: string[]): Report {
  const result = spawnSync(process.execPath, [join(root, 'node_modules', program), ...args], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status === 0) return { findings: [], notes: [] };
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trim();
  const rule = program.slice(program.lastIndexOf('/') + 1);
  const message = `it ended with code ${result.status}\n${output}`;
  return { findings: [{ rule, file: '.', line: 1, message }], notes: [] };
}
