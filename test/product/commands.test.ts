/** The other commands: tools, call, migrate, help, and what a wrong command line gets. */
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt, ROOT } from './build.ts';
import { runParley, scratchFolder } from './parley.ts';
import { withPeople } from './people.ts';

const folder = scratchFolder();
const data = join(folder.path, 'data');
// What agents need of a server, a process beside it has to be told too.
const AGENTS = ['--runner KIND', '--runner-command JSON', '--project-root DIR'];
const parley = (...args: string[]) => runParley([...args, '--data', data]);

beforeAll(ensureBuilt);
afterAll(() => folder[Symbol.dispose]());

describe('parley migrate', () => {
  test('names what it applied, and then that there is nothing to do', async () => {
    const own = join(folder.path, 'migrate');
    const first = await runParley(['migrate', '--data', own, '--json']);
    expect(first.code).toBe(0);
    expect((JSON.parse(first.stdout) as { applied: string[] }).applied).toContain('identity/001-identity');
    const second = await runParley(['migrate', '--data', own]);
    expect(second).toEqual({ code: 0, stdout: 'The database is up to date.\n', stderr: '' });
  });
});

describe('parley tools', () => {
  test('lists what the key sees, as a table and as JSON', async () => {
    const text = await parley('tools');
    expect(text.code).toBe(0);
    expect(text.stdout.split('\n')[0]).toMatch(/^TOOL +EFFECT +TOOLSET +TITLE$/);
    expect(text.stdout).toMatch(/^parley_whoami +read +parley +Who am I$/m);
    const json = await parley('tools', 'parley', '--json');
    const names = (JSON.parse(json.stdout) as { name: string }[]).map(({ name }) => name);
    expect(names).toEqual(['parley_explain', 'parley_whoami']);
  });
});

describe('parley members', () => {
  test('lists everybody who holds a role of one’s own, counts visitors, and tells invitations from members', async () => {
    await parley('tools');
    await withPeople(data, async (identity, founder) => {
      await identity.roles.save(founder, { name: 'helper', grants: { parley: ['parley_whoami'] } });
      const join = async (name: string, roles: string[]) => {
        const userId = await identity.createUser({ name, email: null });
        await identity.addMember(founder, { userId, roles });
      };
      await join('Vera Visitor', ['user']);
      await join('Hal Helper', ['user', 'helper']);
      await identity.invitations.create(founder, { email: 'bo@example.com' });
    });
    const text = await parley('members', 'list');
    expect(text.stdout).toMatch(/ Hal Helper .*(?:user, helper|helper, user) +joined$/m);
    expect(text.stdout).not.toContain('Vera');
    expect(text.stdout).toMatch(/\nand 1 visitor\n$/);
    const { members, visitors } = JSON.parse((await parley('members', 'list', '--json')).stdout) as {
      members: { name: string }[];
      visitors: number;
    };
    expect([members.map(({ name }) => name), visitors]).toEqual([expect.arrayContaining(['Hal Helper']), 1]);
    const invited = await parley('members', 'role', 'Bo@example.com', 'admin');
    expect([invited.code, invited.stderr]).toEqual([
      1,
      expect.stringContaining('is an invitation that was not accepted yet'),
    ]);
  });
});

describe('parley call', () => {
  test('prints the answer and exits with 0', async () => {
    const { code, stdout } = await parley('call', 'parley_whoami');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ source: 'cli', organization: { name: 'Default' } });
    const json = await parley('call', 'parley_whoami', '{}', '--json');
    expect(JSON.parse(json.stdout)).toMatchObject({ structuredContent: { source: 'cli' } });
  });

  test('reads the input from stdin with "-"', async () => {
    const input = JSON.stringify({ caller: 'Owner key', tool: 'parley_whoami' });
    const { code, stdout } = await runParley(['call', 'parley_explain', '-', '--data', data], { input });
    expect(code).toBe(0);
    expect(stdout).toContain('The caller sees the tool and may call it.');
  });

  test('a tool error goes to stderr with code 1', async () => {
    const { code, stdout, stderr } = await parley('call', 'parley_explain', '{"caller":"nobody","tool":"x"}');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^Error: /);
  });

  test('bad input names the field, with code 1', async () => {
    const { code, stderr } = await parley('call', 'parley_explain', '{"caller":7}');
    expect(code).toBe(1);
    expect(stderr).toContain('caller');
    expect(stderr).toContain('tool');
  });

  test('an unknown tool exits with 1', async () => {
    expect(await parley('call', 'no_such_tool')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Error: Unknown tool: no_such_tool\n',
    });
  });

  test.each([
    ['text that is not JSON', ['call', 'parley_whoami', '{oops'], 'The input must be JSON'],
    ['no tool', ['call'], 'Usage: parley call'],
    ['too many arguments', ['call', 'a', '{}', 'b'], 'Usage: parley call'],
  ])('%s exits with 2', async (_name, args, expected) => {
    const { code, stderr } = await parley(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

describe('a wrong command line', () => {
  test.each([
    ['an unknown command', ['dance'], 'There is no command "dance".'],
    ['an inherited name', ['constructor'], 'There is no command "constructor".'],
    ['an unknown flag', ['start', '--colour'], 'Unknown option --colour. --help'],
    ['a flag without its value', ['start', '--port'], '--port: needs a value after it.'],
    ['a switch with a value', ['tools', '--json=yes'], '--json: takes no value.'],
    ['a bad number', ['start', '--port', 'http'], '--port: must be a whole number'],
    ['an argument too many', ['start', 'now'], '"parley start" takes no arguments'],
    ['an unknown toolset', ['mcp', 'nothing'], 'There is no toolset "nothing".'],
    [
      'an unknown toolset to list',
      ['tools', 'nope'],
      'There is no toolset "nope". There are: parley, tasks,',
    ],
    ['a backup without a folder', ['backup'], 'Usage: parley backup FOLDER'],
    ['a key that is none', ['tools', '--key', 'parley_x'], 'The key is not valid here.'],
  ])('%s gets one clear line and code 2', async (_name, args, expected) => {
    const { code, stdout, stderr } = await parley(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(expected);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toMatch(/ at .*\.(js|ts):\d/);
  });

  test('a port in use is said with the way out, and the process ends', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { code, stderr } = await parley('start', '--port', String(port), '--log-level', 'silent');
    other.close();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `parley: Port ${port} is in use. Stop what runs there, or choose another with --port (0 picks a free one).\n`,
    });
  });

  test('a lost owner key is said with the way out, and the process ends', async () => {
    const own = join(folder.path, 'lost');
    await runParley(['tools', '--data', own]);
    rmSync(join(own, 'owner.key'));
    const { code, stderr } = await runParley(['tools', '--data', own]);
    expect(code).toBe(2);
    expect(stderr).toContain('Give a key with --key or PARLEY_KEY.');
  });

  test('a database that cannot be reached is said without its password, and the process ends', async () => {
    const url = 'postgres://someone:hunter2secret@127.0.0.1:1/none';
    const { code, stderr } = await parley('start', '--port', '0', '--database-url', url);
    expect(code).toBe(1);
    expect(stderr).toContain('The database cannot be reached.');
    expect(stderr).not.toContain('hunter2secret');
  });

  test('a data folder that is a file is said, and the process ends', async () => {
    const { code, stderr } = await runParley(['tools', '--data', '/dev/null']);
    expect(code).not.toBe(0);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    mkdirSync(data, { recursive: true });
  });
});

describe('the pages of the documentation', () => {
  const pages = globSync(['README.md', 'docs/*.md'], { cwd: ROOT }).map((path) =>
    readFileSync(join(ROOT, path), 'utf8'),
  );
  const named = (pattern: RegExp) =>
    pages.flatMap((page) => [...page.matchAll(pattern)].map(([, name = '']) => name));

  test('call tools that exist', async () => {
    const { stdout } = await parley('tools', '--extended', '--json');
    const known = (JSON.parse(stdout) as { name: string }[]).map(({ name }) => name);
    // Agents alone have theirs.
    await parley('agents', 'create', 'Pages', '--tools', 'none');
    const agents = JSON.parse((await parley('agents', 'tools', 'Pages', '--json')).stdout);
    known.push(...agents.removed.map(({ name }: { name: string }) => name));
    // The example of docs/tasks.md, and the word for any tool.
    known.push('start_long_running_task', 'TOOL');
    const called = named(/parley (?:-- )?call (\w+)/g);
    expect(called.length).toBeGreaterThan(5);
    expect(called.filter((name) => !known.includes(name))).toEqual([]);
  });

  test('give grants that exist', async () => {
    const grants = named(/^npm run .* --grant '?([\w:*,]+)/gm);
    expect(grants).toContain('annotations:get_all_pending,reply,resolve');
    const flags = grants.flatMap((grant) => ['--grant', grant]);
    // The connections that pages make before; nobody answers there, so that no tool is known to be absent.
    const nobody = { url: 'http://127.0.0.1:9/mcp' };
    const input = JSON.stringify({ files: nobody, filesystem: nobody });
    await runParley(['connect', 'import', '-', '--data', data], { input });
    expect(await parley('keys', 'create', 'Pages', ...flags)).toMatchObject({ code: 0, stderr: '' });
  });

  test('spell commands one way', () => {
    const commands = pages.flatMap((page) =>
      [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) => text.split('\n')),
    );
    const own = commands.filter((line) => /(?:^|npx |-- )parley\b|npm run .*parley/.test(line));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter((line) => !/^(?:PARLEY_\w+=\S+ )?npm run -s parley -- \w/.test(line))).toEqual([]);
  });
});

describe('help', () => {
  test.each([
    'start',
    'mcp',
    'tools',
    'call',
    'keys',
    'doctor',
    'migrate',
    'backup',
    'restore',
    'hold',
    'resume',
  ])('parley %s --help says how to use it and does nothing', async (command) => {
    const own = join(folder.path, 'untouched');
    const { code, stdout, stderr } = await runParley([command, '--help', '--data', own]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`Usage: parley ${command}`);
    expect(stdout).toContain('--database-url URL');
    // What only the server reads would be noise anywhere else.
    for (const option of ['--rate-burst', '--body-limit', '--allow-host', '--demo', '--otlp-endpoint'])
      expect(stdout.includes(option), option).toBe(command === 'start');
  });

  test.each([
    ['mcp', ['--key KEY', '--init', '--json', '--extended', '--allow-egress HOST', ...AGENTS], ['--port']],
    ['call', ['--key KEY', '--extended', '--allow-egress HOST', '--allow-stdio', ...AGENTS], ['--port']],
    ['keys', ['--key KEY', '--init', '--json'], ['--port', '--allow-egress']],
    ['feedback', ['--key KEY', '--port N', '--public-url URL'], ['--rate ']],
    ['doctor', ['--key KEY', '--port N', '--project FOLDER'], ['--init']],
    ['webhooks', ['--key KEY', '--allow-egress HOST'], ['--port', '--rate ', '--allow-stdio']],
    ['connect', ['--key KEY', '--port N', '--token-stdin'], ['--rate ', '--allow-stdio']],
    ['pages', ['--key KEY', '--port N', '--public-url URL'], ['--rate ', '--allow-egress']],
    ['projects', ['--key KEY', '--project-root DIR'], ['--port', '--rate ', '--github-token']],
    ['migrate', ['--data FOLDER', '--json'], ['--key', '--port', '--init']],
    ['backup', ['--data FOLDER', '--json'], ['--key', '--port', '--init']],
    ['restore', ['--into FOLDER', '--data FOLDER', '--json'], ['--key', '--port', '--init']],
    ['resume', ['--data FOLDER', '--json'], ['--key', '--port', '--init']],
    ['start', ['--resume', '--drain SECONDS'], []],
  ])('parley %s --help has the options that it reads', async (command, has, hasNot) => {
    const { stdout } = await runParley([command, '--help']);
    const options = stdout.slice(stdout.indexOf('\nOptions:\n'));
    for (const option of has) expect(stdout).toContain(option);
    for (const option of hasNot) expect(options).not.toContain(option);
  });

  test('parley alone lists every command, and --version the version', async () => {
    const { code, stdout } = await runParley([]);
    expect(code).toBe(0);
    for (const command of [
      'start',
      'mcp',
      'tools',
      'call',
      'keys',
      'doctor',
      'migrate',
      'backup',
      'restore',
    ]) {
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    }
    expect((await runParley(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
