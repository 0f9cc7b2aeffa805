/** A wrong --data: only `start` and `migrate` make an installation unasked, every other command says where it looked. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { message } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

/** As a user has it: nothing in the environment allows to make an installation. */
const plain = { env: { PARLEY_INIT: '' } };
const list = `${JSON.stringify(message(1, 'tools/list'))}\n`;

const COMMANDS: readonly (readonly string[])[] = [
  ['mcp'],
  ['mcp', 'feedback'],
  ['mcp', '--key', `parley_${'a'.repeat(12)}_${'b'.repeat(43)}`],
  ['tools'],
  ['call', 'parley_whoami'],
  ['keys', 'list'],
  ['keys', 'create', 'X'],
  ['feedback', 'publish', 'on'],
  ['feedback', 'export'],
  ['backup', '/tmp/parley-never-made'],
];

describe('a folder without an installation', () => {
  test.each(COMMANDS.map((command) => [command.join(' '), command] as const))(
    'stays as it is, and "parley %s" says where it looked and what to do',
    async (_name, command) => {
      using folder = scratchFolder();
      for (const data of [join(folder.path, 'absent'), folder.path]) {
        const { code, stdout, stderr } = await runParley([...command, '--data', data], {
          ...plain,
          input: list,
        });
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(stderr).toContain(`There is no Parley installation in ${data}.`);
        expect(stderr).toContain('"parley start"');
        expect(stderr).toContain('--init');
        expect(stderr.trim().split('\n')).toHaveLength(1);
      }
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );

  test('on PostgreSQL is one without the secret key, and none is made', async () => {
    using folder = scratchFolder();
    const data = join(folder.path, 'absent');
    const url = 'postgres://nobody@127.0.0.1:1/none';
    const { code, stderr } = await runParley(['mcp', '--data', data, '--database-url', url], plain);
    expect(code).toBe(1);
    expect(stderr).toContain(`There is no Parley installation in ${data}.`);
    expect(existsSync(data)).toBe(false);
  });

  test.each([
    ['mcp --init', ['mcp', '--init']],
    ['migrate', ['migrate']],
    ['tools --init', ['tools', '--init']],
  ])('becomes one with "parley %s", and then every command works', async (_name, command) => {
    using folder = scratchFolder();
    const data = ['--data', join(folder.path, 'new')];
    expect((await runParley([...command, ...data], { ...plain, input: list })).code).toBe(0);
    const later = await runParley(['mcp', ...data], { ...plain, input: list });
    expect({ code: later.code, stderr: later.stderr }).toEqual({ code: 0, stderr: '' });
    expect(later.stdout).toContain('parley_whoami');
  });
});

test('parley mcp works in the folder of a server that ran once, without any flag', async () => {
  using folder = scratchFolder();
  const server = await startParley(folder.path, plain);
  await server.stop();
  const { code, stdout } = await runParley(['mcp', '--data', folder.path], { ...plain, input: list });
  expect(code).toBe(0);
  expect(stdout).toContain('parley_whoami');
});
