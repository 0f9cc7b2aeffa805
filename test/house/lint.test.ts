/** The linter with the settings of the house: it knows types, and finds promises that nobody waits for. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const OXLINT = join(ROOT, 'node_modules/oxlint/bin/oxlint');

/** What the linter says about these lines of one file, as `line rule`. */
function lint(lines: string[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'parley-lint-'));
  try {
    writeFileSync(join(folder, 'planted.ts'), `${lines.join('\n')}\n`);
    const compilerOptions = { target: 'es2024', lib: ['es2024'], types: [], strict: true, noEmit: true };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
    const args = ['--config', join(ROOT, '.oxlintrc.json'), '--type-aware', '--format=unix', folder];
    const { stdout } = spawnSync(process.execPath, [OXLINT, ...args], { cwd: ROOT, encoding: 'utf8' });
    return stdout.split('\n').flatMap((line) => {
      const [, at, rule] = /planted\.ts:(\d+):\d+: .*\(([\w-]+)\)\]$/.exec(line) ?? [];
      return at === undefined ? [] : [`${at} ${rule}`];
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a promise is awaited, returned or given to detach', () => {
  const found = lint([
    'declare function work(): Promise<void>;',
    'declare function later(run: () => void): void;',
    'declare function detach(run: Promise<unknown>, onFault: (error: unknown) => void): void;',
    'export async function run(faults: unknown[]): Promise<void> {',
    '  work();',
    '  void work();',
    '  work().then(() => faults.pop());',
    '  later(() => void work());',
    '  later(() => work());',
    '  later(async () => work());',
    '  later(() => detach(work(), (error) => faults.push(error)));',
    '  await work();',
    '  return work();',
    '}',
    'export const ignored = (list: string[]) => void list.pop();',
  ]);
  expect(found.toSorted()).toEqual(
    [
      '5 no-floating-promises',
      '6 no-floating-promises',
      '6 no-void',
      '7 no-floating-promises',
      '8 no-void',
      '9 no-misused-promises',
      '10 no-misused-promises',
      '15 no-void',
    ].toSorted(),
  );
});

test('the shape of an object is an interface; unions, intersections and mapped shapes are types', () => {
  const found = lint([
    'export type Box = { readonly size: number };',
    'export interface Crate {',
    '  readonly size: number;',
    '}',
    'export type Either = { readonly left: string } | Crate;',
    'export type Both = Crate & { readonly label: string };',
    'export type Named = { readonly [Name in keyof Crate]: string };',
  ]);
  expect(found).toEqual(['1 consistent-type-definitions']);
});
