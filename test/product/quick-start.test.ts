/** `parley mcp` answers its first list before its code is loaded; nobody can tell, except by the clock. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleServer } from '../../scripts/bundle-server.ts';
import { ensureBuilt, ROOT } from './build.ts';
import { message } from './mcp-messages.ts';
import { runParley, scratchFolder } from './parley.ts';
import { keyOfNew } from './people.ts';

const DIST = join(ROOT, 'apps/server/dist');
const list = (id: number) => message(id, 'tools/list');
const whoami = message(9, 'tools/call', { name: 'parley_whoami', arguments: {} });

beforeAll(ensureBuilt);

const lines = (messages: readonly object[]) => messages.map((body) => `${JSON.stringify(body)}\n`).join('');
const parsed = (stdout: string) =>
  // What comes back is what a client gets, whatever its shape.
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: number; result: { tools: { name: string }[] } });

/** Starts `parley mcp`, says something, ends the input, and reads all that was answered. */
async function say(args: readonly string[], messages: readonly object[]) {
  const { code, stdout, stderr } = await runParley(['mcp', ...args], { input: lines(messages) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parsed(stdout);
}

async function toolsOf(data: string, ...more: string[]): Promise<unknown> {
  const { stdout } = await runParley(['tools', ...more, '--data', data, '--json']);
  return JSON.parse(stdout);
}

describe('a quick start', () => {
  test.each([[[]], [['annotations']], [['tasks', 'parley']]])(
    'lists of %j what the loaded code lists',
    async (toolsets) => {
      using folder = scratchFolder();
      const [early] = await say([...toolsets, '--data', folder.path], [list(1)]);
      expect(early?.result.tools.length).toBeGreaterThan(1);
      expect(early?.result.tools).toEqual(await toolsOf(folder.path, ...toolsets));
    },
  );

  test('hides from a narrow key what the loaded code hides', async () => {
    using folder = scratchFolder();
    const data = ['--data', folder.path];
    const made = await runParley([
      'keys',
      'create',
      'narrow',
      '--grant',
      'parley:parley_whoami',
      '--json',
      ...data,
    ]);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const [early] = await say([...data, '--key', key], [list(1)]);
    expect(early?.result.tools.map(({ name }) => name)).toEqual(['parley_whoami']);
  });

  test('lists for each role what the loaded code lists', async () => {
    using folder = scratchFolder();
    await runParley(['migrate', '--data', folder.path]);
    await runParley(['tools', '--data', folder.path]);
    for (const [role, expected] of [
      ['member', ['search_feedback', 'parley_whoami']],
      ['user', ['parley_whoami']],
    ] as const) {
      const key = ['--key', await keyOfNew(role, folder.path)];
      const [early] = await say(['--data', folder.path, ...key], [list(1)]);
      expect(early?.result.tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...expected]));
      expect(early?.result.tools).toEqual(await toolsOf(folder.path, ...key));
    }
  });

  test.each(['key', 'name'] as const)('lists for an agent, by its %s, what its code decides', async (by) => {
    using folder = scratchFolder();
    const made = await runParley(['agents', 'create', 'Scout', '--json', '--data', folder.path]);
    const { key } = JSON.parse(made.stdout) as { key: string };
    const who = by === 'key' ? ['--key', key] : ['--agent', 'Scout'];
    const [early] = await say(['agent', '--data', folder.path, ...who], [list(1)]);
    expect(early?.result.tools.map(({ name }) => name)).toContain('corvid_code_symbols');
    expect(early?.result.tools).toHaveLength(35);
  });

  test('on an empty folder makes the owner, then lists and calls', async () => {
    using folder = scratchFolder();
    const answers = await say(['--data', join(folder.path, 'new')], [list(1), whoami]);
    expect(answers.find(({ id }) => id === 9)).toMatchObject({
      result: { structuredContent: { source: 'stdio', organization: { name: 'Default' } } },
    });
  });

  test('gives the same list again when the code is there', async () => {
    using folder = scratchFolder();
    const answers = await say(['--data', folder.path], [list(1), whoami, list(2)]);
    const [first, second] = [1, 2].map((wanted) => answers.find(({ id }) => id === wanted)?.result);
    expect(second).toEqual(first);
  });
});

describe('a bundled program that brings a toolset', () => {
  const OUT = join(ROOT, 'node_modules/.cache/parley-quick-start');
  const program = join(OUT, 'quick-program.js');
  const call = (name: string) => message(9, 'tools/call', { name, arguments: { text: 'hi' } });

  beforeAll(async () => {
    mkdirSync(OUT, { recursive: true });
    writeFileSync(join(OUT, 'package.json'), '{"type":"module"}');
    await bundleServer(join(import.meta.dirname, 'quick-program.ts'), OUT, 'quick-program');
  });
  afterAll(() => rmSync(OUT, { recursive: true, force: true }));

  const start = (data: string, kind: string, messages: readonly object[]) =>
    runParley([kind, 'mcp', 'extra', '--data', data], { program, input: lines(messages) });

  test.each([
    ['plain', ['extra']],
    ['conditional', ['extra_on']],
  ])('lists and calls its tools: %s', async (kind, names) => {
    using folder = scratchFolder();
    const { code, stdout, stderr } = await start(folder.path, kind, [list(1), call(names[0] ?? '')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const answers = parsed(stdout);
    const listed = answers.find(({ id }) => id === 1)?.result.tools;
    expect(listed?.map(({ name }) => name)).toEqual(names);
    expect(answers.find(({ id }) => id === 9)).toMatchObject({
      result: { structuredContent: { text: 'hi' } },
    });
  });

  test('has nothing in what every start loads that makes an engine keep it with two bytes for each character', () => {
    const start = readdirSync(OUT).filter((name) => /^(?:start|src)-.*\.js$/.test(name));
    expect(start).not.toEqual([]);
    for (const name of start) expect(readFileSync(join(OUT, name), 'utf8')).not.toMatch(/[^\0-\x7f]/);
  });

  test('tells tools apart whose name is taken, before and after its code is there', async () => {
    using folder = scratchFolder();
    const input = lines([list(1), call('parley_whoami'), list(2)]);
    const { stdout } = await runParley(['taken', 'mcp', '--data', folder.path], { program, input });
    const answers = parsed(stdout);
    const [first, second] = [1, 2].map((wanted) => answers.find(({ id }) => id === wanted)?.result.tools);
    const names = first?.map(({ name }) => name).filter((name) => name.endsWith('whoami'));
    expect(names).toEqual(['parley_parley_whoami', 'parley_whoami']);
    expect(second).toEqual(first);
    expect(answers.find(({ id }) => id === 9)).toMatchObject({
      result: { structuredContent: { text: 'hi' } },
    });
  });

  test('ends with one clear line when the name of its toolset is taken', async () => {
    using folder = scratchFolder();
    const { code, stdout, stderr } = await start(folder.path, 'twice', [list(1)]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toBe('parley: There are two sources named "parley". Rename one of them.\n');
  });

  test('ends with a clear line when its services cannot be made', async () => {
    using folder = scratchFolder();
    const { code, stderr } = await start(folder.path, 'broken', [list(1), call('extra')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^parley: The lamp is missing\.$/m);
  });
});

describe('what a quick start loads', () => {
  /** The sources of every file that the entry loads before it does anything. */
  function sourcesBefore(file: string, seen = new Set<string>()): string[] {
    if (seen.has(file)) return [];
    seen.add(file);
    const code = readFileSync(join(DIST, file), 'utf8');
    const map = join(DIST, `${file}.map`);
    // The bundler's own few lines have no map.
    const { sources } = existsSync(map)
      ? (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] })
      : { sources: [] };
    const imported = [...code.matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)];
    return [...sources, ...imported.flatMap(([, next = '']) => sourcesBefore(next, seen))];
  }

  test('is of the toolsets nothing but their options and names, neither Zod nor the SDK', () => {
    const sources = sourcesBefore('parley.js');
    expect(sources.some((source) => source.endsWith('gateway/src/stdio/serve.ts'))).toBe(true);
    const heavy =
      /node_modules\/(?:zod|@modelcontextprotocol|ws|pino|pg)\/|packages\/(?:annotations|tasks|feedback|mesh|agent)\/(?!src\/(?:settings|name)\.ts)|kit\/src\/call\/engine\.ts|src\/start\/host\.ts/;
    expect(sources.filter((source) => heavy.test(source))).toEqual([]);
    expect(readdirSync(DIST)).toContain('toolsets.txt');
  });
});
