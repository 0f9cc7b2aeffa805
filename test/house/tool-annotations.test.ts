/** What the scripts about tools promise: annotations are verified, the reference is current, overrides are seen. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CATEGORIES } from '../../packages/mesh/src/tools/categories.ts';
import { ensureTestTools } from '../../scripts/install-test-tools.ts';
import { hasAnnotations, managementFaults } from '../../scripts/tools/annotation-faults.ts';
import type { ServedTool } from '../../scripts/tools/served-tools.ts';
import { servedTools } from '../../scripts/tools/served-tools.ts';
import { toolPages } from '../../scripts/tools/tool-pages.ts';
import { requiredTools } from './management-tools.ts';

const ROOT = join(import.meta.dirname, '../..');
const SCRIPT = join(ROOT, 'scripts/verify-annotations.ts');
const INSTALL_TIMEOUT_MS = 300_000;

let tools: ServedTool[];
let copy: string;

beforeAll(async () => {
  await ensureTestTools();
  tools = await servedTools();
  // Elsewhere, so that no other check of the house comes across it.
  copy = mkdtempSync(join(tmpdir(), 'parley-copy-'));
  cpSync(join(ROOT, 'packages/mesh/src'), join(copy, 'src'), { recursive: true });
  writeFileSync(join(copy, 'package.json'), '{"type":"module"}');
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
}, INSTALL_TIMEOUT_MS);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function run(program: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

function bun(): string {
  const [program] = globSync('test/tools/node_modules/@oven/bun-*/bin/bun{,.exe}', { cwd: ROOT });
  if (program === undefined) throw new Error('Bun is not installed in test/tools.');
  return join(ROOT, program);
}

describe('verify:annotations', () => {
  test.each([
    ['Node', () => run(process.execPath, SCRIPT)],
    ['Bun', () => run(bun(), 'run', SCRIPT)],
  ])('counts all tools under %s', (_name, verify) => {
    expect(verify()).toEqual({
      status: 0,
      stdout: `✓ All ${tools.length} tools have annotations\n`,
      stderr: '',
    });
  });

  test('check 3: a tool without its effect is named, and the exit code is 1', () => {
    const path = join(copy, 'src/tools/users.ts');
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace("effect: 'read',\n", ''));
    const { status, stdout } = run(process.execPath, SCRIPT, join(copy, 'src/toolset.ts'));
    expect(stdout).toContain('Tools without annotations:\n  - USER_GET\n');
    expect(status).toBe(1);
  });

  test.each(['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint', 'title'])(
    'check 3: a served definition without %s is not complete',
    (hint) => {
      const [{ definition } = { definition: undefined }] = tools;
      if (definition === undefined) throw new Error('There are no tools.');
      expect(hasAnnotations(definition)).toBe(true);
      expect(
        hasAnnotations({ ...definition, annotations: { ...definition.annotations, [hint]: undefined } }),
      ).toBe(false);
    },
  );

  test('a tool without a title of its own is not complete', () => {
    const [tool] = tools;
    expect(tool && hasAnnotations({ ...tool.definition, title: '' })).toBe(false);
  });

  const changed = (change: Partial<ServedTool>) =>
    tools.map((tool) => (tool.definition.name === 'TAGS_LIST' ? { ...tool, ...change } : tool));
  const renamed = () =>
    tools.map((tool) =>
      tool.definition.name === 'TAGS_LIST'
        ? { ...tool, definition: { ...tool.definition, name: 'TAGS_SHOW' } }
        : tool,
    );

  test.each([
    ['another effect', () => changed({ effect: 'run' }), 'TAGS_LIST has effect run, and must have read'],
    ['external', () => changed({ external: true }), 'TAGS_LIST has external true, and must have false'],
    [
      'privileged',
      () => changed({ privileged: 'by-name' }),
      'TAGS_LIST has privileged true, and must have false',
    ],
    ['blocked', () => changed({ unattended: true }), 'TAGS_LIST has unattended true, and must have false'],
    ['another name', renamed, 'TAGS_SHOW is not in test/house/management-tools.md'],
    ['no tool', renamed, 'TAGS_LIST is not served'],
  ])('a management tool that is not as it is written down is named: %s', (_what, altered, fault) => {
    expect(managementFaults(tools, ROOT)).toEqual([]);
    expect(managementFaults(altered(), ROOT)).toContain(fault);
  });

  test('an update or delete that no test calls twice is named', () => {
    // Below this folder there are no tests of the mesh.
    const faults = managementFaults(tools, join(ROOT, 'packages/kit'));
    expect(faults.filter((fault) => fault.includes('called twice by no test'))).not.toEqual([]);
  });
});

describe('the table of management tools', () => {
  test('has the 70 tools, each effect as often as required, and three that are external', () => {
    const required = requiredTools();
    const effects = Object.groupBy(required, ({ effect }) => effect);
    const counts = Object.entries(effects).map(([effect, list = []]) => [effect, list.length]);
    expect(Object.fromEntries(counts)).toEqual({ read: 30, create: 10, update: 15, delete: 13, run: 2 });
    expect(new Set(required.map(({ name }) => name)).size).toBe(70);
    expect(required.filter(({ external }) => external).map(({ name }) => name)).toEqual([
      'CONNECTION_TEST',
      'EVENT_PUBLISH',
      'CODE_EXECUTION_RUN_CODE',
    ]);
  });

  test('is what the categories and the deny table name', () => {
    const names = requiredTools()
      .map(({ name }) => name)
      .toSorted();
    expect(Object.values(CATEGORIES).flat().toSorted()).toEqual(names);
    const table = readFileSync(join(ROOT, 'test/product/deny-table.md'), 'utf8');
    const lines = [...table.matchAll(/^\| ([A-Z_]+) +\| self /gm)].map(([, name = '']) => name);
    expect(lines.toSorted()).toEqual(names);
  });
});

test('check 39: the reference in docs/tools is what is served', () => {
  const folder = join(ROOT, 'docs/tools');
  const written = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);
  // When this fails: node scripts/generate-tool-docs.ts
  expect(Object.fromEntries(written)).toEqual(Object.fromEntries(toolPages(tools)));
});

test('every override of a hint is known', () => {
  const overrides = tools.flatMap(({ definition, literal }) =>
    Object.entries(literal?.hints ?? {}).map(
      ([hint, value]) => `${definition.name}: ${hint} ${String(value)}`,
    ),
  );
  console.info(`Overrides of hints:\n  ${overrides.join('\n  ')}`);
  // None of these is a management tool: their hints follow from the effect alone.
  expect(overrides.toSorted()).toEqual([
    'acknowledge: idempotentHint false',
    'cancel_task: idempotentHint false',
    'manage_roadmap_post: idempotentHint false',
    'merge_post: idempotentHint false',
    'start_long_running_task: destructiveHint false',
    'unmerge_post: idempotentHint false',
  ]);
});
