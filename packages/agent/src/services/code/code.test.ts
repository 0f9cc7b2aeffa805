/** Symbols and references: found where they are, as the disk is now, and never outside a project. */
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyTables } from '@parley/store';
import { afterAll, expect, test } from 'vitest';
import type { AgentClient } from '../../../test/agent-bed.ts';
import { onBothBeds } from '../../../test/agent-bed.ts';
import type { ProjectBed } from '../../../test/project-bed.ts';
import { projectBed, writeFiles } from '../../../test/project-bed.ts';

const SYMBOLS = 'corvid_code_symbols';
const REFERENCES = 'corvid_find_references';
const disks: ProjectBed[] = [];
const violations: unknown[] = [];
afterAll(() => {
  for (const disk of disks) disk.remove();
});

const FILES = {
  'src/shapes.ts': [
    "import { helper } from './helper.ts';",
    '',
    'export class Circle {',
    '  radius = 1;',
    '  area(): number {',
    '    return helper(this.radius);',
    '  }',
    '}',
    'export interface Round { radius: number }',
    'export type Shape = Circle | Round;',
    'enum Colour { red, blue }',
    'const circleOf = (radius: number) => radius;',
    'export { circleOf };',
    'export default function draw() {}',
  ].join('\n'),
  'src/helper.ts': 'export function helper(x: number) {\n  return x;\n}\nexport const helperish = 1;\n',
  'src/broken.ts': 'export function whole() {}\n\nexport function half( {\n\nexport const after = 1;\n',
  'view.jsx': 'export const View = () => <p>hi</p>;\n',
  'notes.md': 'See helper, and a.b* or -e or $x or helper.\n',
  '.gitignore': 'generated/\n*.gen.ts\n!keep.gen.ts\n',
  'generated/made.ts': 'export function helperMade() {}',
  'one.gen.ts': 'export function helperGen() {}',
  'keep.gen.ts': 'export function keptGen() {}',
  'node_modules/x/index.js': 'export function helperOfModule() {}',
  '.hidden/x.ts': 'export function helperHidden() {}',
  'sub/.gitignore': 'private.ts\n',
  'sub/private.ts': 'export function helperPrivate() {}',
  'sub/public.ts': 'export function inSub() {}',
};

onBothBeds(
  'code of projects',
  (bed) => {
    const disk = disks.at(-1)!;
    let folder = '';
    let project = '';
    let ada: AgentClient;

    test('check 51: symbols come with file and lines, top level and members, case ignored', async () => {
      const { acme, agent, client, services } = bed();
      folder = disk.folder('code', FILES);
      project = disk.project(acme.id, 'Code');
      await services.projects.setCode(acme.owner.caller, project, { folder });
      const made = await agent(acme.owner.caller, { defaultProjectId: project });
      ada = await client(made.caller);
      const { symbols, total, truncated, index } = await ada.call(SYMBOLS, { query: 'CIRCLE' });
      expect(symbols).toEqual([
        {
          name: 'Circle',
          kind: 'class',
          exported: true,
          file: 'src/shapes.ts',
          start_line: 3,
          end_line: 8,
          member_count: 2,
        },
        expect.objectContaining({ name: 'circleOf', kind: 'function', exported: true, start_line: 12 }),
        expect.objectContaining({ name: 'circleOf', kind: 'export', start_line: 13 }),
      ]);
      expect({ total, truncated }).toEqual({ total: 3, truncated: false });
      expect(index.files).toBe(7);
      const kinds = async (query: string) =>
        (await ada.call(SYMBOLS, { query })).symbols.map(({ kind, parent }) => [kind, parent]);
      expect(await kinds('area')).toEqual([['method', 'Circle']]);
      expect(await kinds('radius')).toEqual([
        ['variable', 'Circle'],
        ['variable', 'Round'],
      ]);
      expect(await kinds('Colour')).toEqual([['enum', undefined]]);
      expect(await kinds('draw')).toEqual([['function', undefined]]);
      expect(await kinds('View')).toEqual([['function', undefined]]);
      const named = await ada.call(SYMBOLS, { query: 'helper', kinds: ['function'], limit: 1 });
      expect(named).toMatchObject({ symbols: [{ name: 'helper' }], total: 1, truncated: false });
      expect((await ada.call(SYMBOLS, { query: 'e', limit: 1 })).truncated).toBe(true);
    });

    test('what is hidden, ignored, or built is not code; a file with errors gives what can be parsed', async () => {
      const names = async (query: string) =>
        (await ada.call(SYMBOLS, { query })).symbols.map(({ name }) => name);
      for (const absent of ['helperMade', 'helperGen', 'helperOfModule', 'helperHidden', 'helperPrivate'])
        expect(await names(absent)).toEqual([]);
      expect(await names('keptGen')).toEqual(['keptGen']);
      expect(await names('inSub')).toEqual(['inSub']);
      expect(await names('whole')).toEqual(['whole']);
      expect(await names('after')).toEqual(['after']);
    });

    test('check 51: what changes on the disk is in the next answer, also with the same size and time', async () => {
      const names = async () =>
        (await ada.call(SYMBOLS, { query: 'edited' })).symbols.map(({ name }) => name);
      const file = join(folder, 'src/edited.ts');
      const time = new Date('2020-01-01');
      writeFileSync(file, 'export const editedOne = 1;\n');
      utimesSync(file, time, time);
      await expect.poll(names, { timeout: 5000 }).toEqual(['editedOne']);
      writeFileSync(file, 'export const editedTwo = 1;\n');
      utimesSync(file, time, time);
      await expect.poll(names, { timeout: 5000 }).toEqual(['editedTwo']);
      mkdirSync(join(folder, 'fresh'));
      writeFileSync(join(folder, 'fresh/edited.ts'), 'export const editedThree = 1;\n');
      await expect.poll(names, { timeout: 5000 }).toEqual(['editedThree', 'editedTwo']);
      rmSync(join(folder, 'fresh'), { recursive: true });
      rmSync(file);
      await expect.poll(names, { timeout: 5000 }).toEqual([]);
    });

    test('check 51: a link that leads out yields nothing and is counted', async () => {
      const outside = join(disk.dataDir, 'outside');
      writeFiles(outside, { 'secret.ts': 'export const outsideSecret = 1;' });
      const before = (await ada.call(SYMBOLS, { query: 'x' })).index.skipped;
      symlinkSync(outside, join(folder, 'linked'));
      symlinkSync(join(outside, 'secret.ts'), join(folder, 'linked.ts'));
      symlinkSync(join(folder, 'src'), join(folder, 'inside'));
      await expect
        .poll(async () => (await ada.call(SYMBOLS, { query: 'x' })).index.skipped, { timeout: 5000 })
        .toBe(before + 2);
      expect((await ada.call(SYMBOLS, { query: 'outsideSecret' })).symbols).toEqual([]);
      expect((await ada.call(REFERENCES, { symbol_name: 'outsideSecret' })).references).toEqual([]);
      // What a link inside leads to is there once.
      expect((await ada.call(SYMBOLS, { query: 'Circle', kinds: ['class'] })).total).toBe(1);
    });

    test('check 51: a folder in no project of the agent is outside, whether it exists or not', async () => {
      const { acme, rival, services } = bed();
      const unreached = disk.project(acme.id, 'Unreached');
      const foreign = disk.project(rival.id, 'Theirs');
      const theirs = disk.folder('theirs', { 'a.ts': 'export const theirs = 1;' });
      await services.projects.setCode(rival.owner.caller, foreign, { folder: theirs });
      await services.projects.setCode(acme.owner.caller, unreached, { folder: theirs });
      violations.length = 0;
      const answers = new Set<string>();
      for (const project_dir of [
        '/etc',
        '/no/such/place',
        theirs,
        `${folder}-not`,
        join(folder, '..'),
        '../theirs',
        'linked',
        'src/absent',
        foreign,
        unreached,
        'proj_random',
      ]) {
        const result = await ada.raw.callTool({ name: SYMBOLS, arguments: { query: 'x', project_dir } });
        expect(result.isError).toBe(true);
        answers.add(JSON.stringify(result));
        await expect(ada.call(REFERENCES, { symbol_name: 'x', project_dir })).rejects.toMatchObject({
          code: 'outside_project',
        });
      }
      expect(answers.size).toBe(1);
      // The seven that point out of the project, for each of the two tools; names of nothing are no escape.
      expect(violations).toHaveLength(14);
      expect(violations[0]).toContain('path_escape');
    });

    test('the id, the root and a folder below it are places to look in', async () => {
      const total = async (project_dir: string, query = 'helper') =>
        (await ada.call(SYMBOLS, { query, project_dir, kinds: ['function'] })).total;
      expect(await total(project)).toBe(1);
      expect(await total(folder)).toBe(1);
      expect(await total(`${folder}/src/`)).toBe(1);
      expect(await total('sub')).toBe(0);
      expect(await total('sub', 'inSub')).toBe(1);
    });

    test('an agent without a project, or whose project has no code, is told so', async () => {
      const { acme, agent, client } = bed();
      const none = await client((await agent(acme.owner.caller)).caller);
      const bare = disk.project(acme.id, 'Bare');
      const without = await client((await agent(acme.owner.caller, { defaultProjectId: bare })).caller);
      for (const one of [none, without])
        await expect(one.call(SYMBOLS, { query: 'x' })).rejects.toMatchObject({ code: 'no_project' });
      await expect(without.call(REFERENCES, { symbol_name: 'x' })).rejects.toThrow('set-code');
    });

    test('check 52: names are literal and whole words', async () => {
      const places = async (symbol_name: string) => {
        const { references, total } = await ada.call(REFERENCES, { symbol_name });
        expect(references).toHaveLength(total);
        return references.map(({ file, line, column }) => `${file}:${line}:${column}`);
      };
      expect(await places('helper')).toEqual([
        'notes.md:1:5',
        'notes.md:1:37',
        'src/helper.ts:1:17',
        'src/shapes.ts:1:10',
        'src/shapes.ts:1:27',
        'src/shapes.ts:6:12',
      ]);
      expect(await places('-e')).toEqual(['notes.md:1:25']);
      expect(await places('$x')).toEqual(['notes.md:1:31']);
      expect(await places('a.b*')).toEqual(['notes.md:1:17']);
      for (const nothing of ['--version', '.*', '((?', '[^', 'helpe', '\\w+', 'Helper'])
        expect(await places(nothing)).toEqual([]);
      const { definitions, references } = await ada.call(REFERENCES, { symbol_name: 'helper', limit: 1 });
      expect(definitions).toEqual([{ file: 'src/helper.ts', kind: 'function', start_line: 1, end_line: 3 }]);
      expect(references[0]?.text).toBe('See helper, and a.b* or -e or $x or helper.');
      await expect(ada.call(REFERENCES, { symbol_name: 'two words' })).rejects.toThrow('symbol_name');
    });

    test('what only reads leaves the database as it was', async () => {
      const { store } = bed();
      const tables = ['agents', 'agent_projects', 'project_code', 'work_tasks', 'tasks', 'audit_heads'];
      const rows = async () => {
        const found: unknown[] = [];
        for (const table of tables)
          found.push(await store.db<AnyTables>().selectFrom(table).selectAll().execute());
        return found;
      };
      const before = await rows();
      await ada.call('corvid_list_projects', {});
      await ada.call(SYMBOLS, { query: 'helper' });
      await ada.call(REFERENCES, { symbol_name: 'helper' });
      expect(await rows()).toEqual(before);
    });

    test('a file that would end the parser is left out, and the rest is answered', async () => {
      const hostile = disk.folder('hostile', {
        'deep.ts': '('.repeat(400_000),
        'chain.ts': `${'!'.repeat(100_000)}a`,
        'large.ts': `export const large = '${'x'.repeat(600_000)}';`,
        'names.ts': `const ${'e'.repeat(501)} = 1; class ${'E'.repeat(501)} { e = 1 }`,
        'binary.ts': 'export const binary = 1;\0',
        'fine.ts': 'export const fine = 1;',
      });
      const { acme, services } = bed();
      const other = disk.project(acme.id, 'Hostile');
      await services.projects.setCode(acme.owner.caller, other, { folder: hostile });
      const agents = await services.agents.list(acme.id);
      for (const { id } of agents) await services.projects.assign(acme.owner.caller, id, other);
      const { symbols, index } = await ada.call(SYMBOLS, { query: 'e', project_dir: other });
      expect(symbols.map(({ name }) => name)).toEqual(['fine']);
      expect(index).toMatchObject({ files: 3, skipped: 3 });
    });
  },
  () => {
    const disk = projectBed();
    disks.push(disk);
    return {
      parts: disk.parts,
      services: {
        recordViolation: async (_who, ...what) => {
          violations.push(what);
        },
      },
    };
  },
);
