/** `parley connect`, as it is typed: over real servers, a real program and a real data folder. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { errorText } from './error-text.ts';
import { connect } from './connect.ts';
import { call } from './call.ts';
import { doctor } from './doctor.ts';
import { keys } from './keys.ts';
import type { Command } from './main.ts';

// A program of the 2025 era with two tools; it leaves a file where it is told to, so that its start is seen.
const PROGRAM = `
if (process.env.STARTED) require('node:fs').writeFileSync(process.env.STARTED, '');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const tool = (name) => ({ name, inputSchema: { type: 'object' } });
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    'tools/list': { tools: [tool('read_file'), tool('write_file')] },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

let home = '';
let upstream: McpUpstream;
let out = '';

beforeAll(async () => {
  upstream = await startUpstream({ era: '2026', tools: ['alpha', 'beta', 'gamma'].map(plainTool) });
});
afterAll(() => upstream[Symbol.asyncDispose]());
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'parley-connect-'));
  vi.stubEnv('HOME', home);
  vi.stubEnv('XDG_CONFIG_HOME', undefined);
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true, force: true });
});

const data = () => ['--data', join(home, 'data'), '--init'];

async function run(command: Command, args: readonly string[]): Promise<{ code: number; out: string }> {
  out = '';
  const dashes = args.indexOf('--');
  const at = dashes === -1 ? args.length : dashes;
  const code = await command([...args.slice(0, at), ...data(), ...args.slice(at)], []);
  return { code, out };
}

/** What the command prints as JSON, and how it ends. */
async function json(...args: string[]) {
  const flagged = args.includes('--') ? args.toSpliced(args.indexOf('--'), 0, '--json') : [...args, '--json'];
  const { code, out: text } = await run(connect, flagged);
  return { code, said: JSON.parse(text) };
}

/** The words of a command that fails. */
async function refused(...args: string[]): Promise<string> {
  try {
    await run(connect, args);
  } catch (error) {
    return errorText(error);
  }
  throw new Error(`parley connect ${args.join(' ')} did not fail`);
}

function file(path: string, content: unknown): string {
  const full = join(home, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, typeof content === 'string' ? content : JSON.stringify(content));
  return full;
}

const program = (env: object = {}) => ({ command: process.execPath, args: ['-e', PROGRAM], env });

describe('one connection', () => {
  test('a private address is added, tested, looked at, found by name and id, and removed', async () => {
    const { said: made } = await json('add', 'notes', upstream.url, '--header', 'X-Key: canary-header-1');
    expect(made).toMatchObject({ name: 'notes', type: 'HTTP', status: 'active', error: null });
    expect(made.tools).toEqual(['alpha', 'beta', 'gamma']);
    expect(upstream.seen.at(-1)?.headers).toMatchObject({ 'x-key': 'canary-header-1' });
    for (const name of ['notes', made.id]) {
      expect(await json('test', name)).toMatchObject({ code: 0, said: { id: made.id, healthy: true } });
      const { said } = await json('tools', name);
      expect(said.tools).toMatchObject(made.tools.map((tool: string) => ({ name: tool, state: 'approved' })));
    }
    const { out: listed } = await run(connect, ['list']);
    expect(listed).toMatch(/^NAME +ID +TYPE +STATUS +TOOLS +WHERE\nnotes +conn_\w+ +HTTP +active +3 +http/);
    expect(listed).not.toContain('canary');
    expect(await refused('add', 'notes', 'https://other.example')).toContain('already');
    expect(await refused('tools', 'nots')).toContain('There are: notes.');
    expect(await json('remove', 'notes')).toMatchObject({ said: { id: made.id, deleted: true } });
    expect((await json('list')).said).toEqual([]);
    expect(await refused('test', 'notes')).toContain('There is none yet');
  });

  test('a program is started without --allow-stdio, with its own variables', async () => {
    const started = join(home, 'started');
    const command = ['--env', `STARTED=${started}`, '--', process.execPath, '-e', PROGRAM];
    const { said } = await json('add', 'files', '--id', 'my-files', ...command);
    expect(said).toMatchObject({ id: 'my-files', type: 'STDIO', tools: ['read_file', 'write_file'] });
    expect(await json('test', 'files')).toMatchObject({ code: 0, said: { healthy: true } });
    const listed = (await run(connect, ['list'])).out;
    expect(listed).toContain(process.execPath);
    expect(listed).not.toContain(started);
  });

  test('the id of a removed one is given to nothing else, since keys may still have grants on it', async () => {
    await json('add', 'notes', upstream.url, '--id', 'chosen');
    await json('remove', 'notes');
    expect(await refused('add', 'other', upstream.url, '--id', 'chosen')).toContain(
      'id: was used before. Choose another one.',
    );
    expect(await json('add', 'notes', upstream.url)).toMatchObject({ code: 0 });
  });

  test('a server that does not answer is stored, with the reason', async () => {
    const { code, out: text } = await run(connect, ['add', 'gone', 'http://127.0.0.1:9/mcp']);
    expect(code).toBe(0);
    expect(text).toContain('has no known tools yet');
    expect(text).toContain('could not be asked yet');
    expect(await json('test', 'gone')).toMatchObject({ code: 1, said: { healthy: false } });
    expect(text).not.toContain('--type sse');
    const { out: older } = await run(connect, ['add', 'older', 'http://127.0.0.1:9/sse']);
    expect(older).toContain('add it with --type sse');
    await using sse = await startUpstream({ era: 'sse', tools: [] });
    const { out: otherwise } = await run(connect, ['add', 'otherwise', sse.url]);
    expect(otherwise).toContain('add it with --type sse');
  });

  test('a program that fails is told with what it wrote, without its secrets, to those who may start it', async () => {
    const code =
      "console.error('no key ' + process.env.API_KEY); console.error('Bearer abcdefgh1'); process.exit(3)";
    const command = ['--env', 'API_KEY=canary-variable-2', '--', process.execPath, '-e', code];
    const { out: added } = await run(connect, ['add', 'broken', ...command]);
    const { code: exit, out: tested } = await run(connect, ['test', 'broken']);
    expect(exit).toBe(1);
    for (const text of [added, tested]) {
      expect(text).toContain('It wrote to its standard error:\n  no key [secret]\n  Bearer [REDACTED]');
      expect(text).not.toContain('canary');
    }
    expect((await json('test', 'broken')).said.stderr).toEqual(['no key [secret]', 'Bearer [REDACTED]']);
  });

  test('a server that refuses everybody needs an authorization, which the list and the doctor say', async () => {
    await using closed = await startUpstream({ era: '2026', tools: [], authorization: 'Bearer other' });
    const { said: made } = await json('add', 'closed', closed.url);
    const { said: good } = await json('add', 'notes', upstream.url);
    expect((await json('list')).said).toMatchObject([
      { name: 'closed', status: 'needs_reauth' },
      { name: 'notes', status: 'active', held: 0 },
    ]);
    const key = JSON.parse((await run(keys, ['create', 'Client', '--json'])).out).key as string;
    const entry = (path: string) => ({
      url: `http://127.0.0.1:9${path}`,
      headers: { Authorization: `Bearer ${key}` },
    });
    const asked = async (path: string) => {
      file('project/.mcp.json', { mcpServers: { parley: entry(path) } });
      await run(doctor, ['--project', join(home, 'project'), '--port', '9', '--json']);
      return JSON.parse(out).checks as { name: string; state: string; found: string; fix?: string }[];
    };
    const checks = await asked(`/mcp/${good.id}`);
    const own = checks.filter(({ name }) => name === 'connections');
    expect(own).toMatchObject([
      { state: 'warn', found: expect.stringMatching(/^1 of 2 /) },
      {
        state: 'warn',
        found: expect.stringContaining(`closed (${made.id}) is needs_reauth`),
        fix: expect.stringContaining(`connect authorise ${made.id}`),
      },
    ]);
    const client = (all: typeof checks) => all.find(({ name }) => name.startsWith('Claude Code'));
    expect(client(checks)).toMatchObject({ state: 'ok', found: expect.stringContaining('valid key') });
    expect(client(await asked('/mcp/conn_none'))).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('nothing is served'),
    });
  });

  test('what is wrong is refused in words, without a secret in them', async () => {
    const wrong: [string, string[], string][] = [
      ['nothing', [], 'Usage: parley connect add'],
      ['no address', ['add', 'x'], 'Usage: parley connect add'],
      ['no command', ['add', 'x', '--'], 'Usage: parley connect add'],
      ['both', ['add', 'x', 'https://x.example', '--', 'node'], 'Usage: parley connect add'],
      [
        'variables of an address',
        ['add', 'x', 'https://x.example', '--env', 'A=1'],
        '--env is for a program',
      ],
      ['a token of a program', ['add', 'x', '--token', 'hush', '--', 'node'], '--token is for an address'],
      [
        'a header without a value',
        ['add', 'x', 'https://x.example', '--header', 'hush'],
        '--header: must look like',
      ],
      ['a type of others', ['add', 'x', 'https://x.example', '--type', 'ws'], '--type: must be'],
      [
        'a pinning of others',
        ['add', 'x', 'https://x.example', '--pinning', 'hard'],
        '--pinning: must be one of',
      ],
      ['an id with blanks', ['add', 'x', 'https://x.example', '--id', 'a b'], 'id: must be 1 to 64'],
      ['no URL', ['add', 'x', 'x.example'], 'connection_url: must be an address'],
      ['Parley itself', ['add', 'x', 'http://localhost:4680/mcp'], 'That is Parley itself'],
      ['Parley as a program', ['add', 'x', '--', 'npx', 'parley', 'mcp'], 'That is Parley itself'],
      ['metadata of a cloud', ['add', 'x', 'http://169.254.169.254/mcp'], 'never reached from here'],
      ['a flag of another command', ['list', '--force'], '--force says nothing to "parley connect list"'],
      ['approving nothing', ['approve', 'x'], 'Usage: parley connect approve'],
      ['a token from nowhere', ['token', 'x'], 'Usage: parley connect token'],
    ];
    for (const [name, args, words] of wrong) {
      const text = await refused(...args);
      expect([name, text]).toEqual([name, expect.stringContaining(words)]);
      expect(text).not.toContain('hush');
    }
  });

  test('check 9: a key without the tools may do none of it, and one of a member starts no program', async () => {
    const made = async (...grants: string[]) => {
      const { out: text } = await run(keys, ['create', 'Narrow', ...grants, '--json']);
      return JSON.parse(text).key as string;
    };
    const narrow = await made('--grant', 'parley:parley_whoami');
    for (const args of [['list'], ['add', 'x', upstream.url], ['import', file('m.json', { a: program() })]])
      expect(await refused(...args, '--key', narrow)).toContain('This key may not do that');
    const scoped = await made('--grant', 'self:COLLECTION_CONNECTIONS_CREATE,COLLECTION_CONNECTIONS_LIST');
    const started = join(home, 'started');
    const command = ['--env', `STARTED=${started}`, '--', process.execPath, '-e', PROGRAM];
    expect(await refused('add', 'x', '--key', scoped, ...command)).toContain(
      'Only owners and administrators',
    );
    expect(await refused('add', 'x', upstream.url, '--key', scoped)).toContain(
      'Only owners and administrators',
    );
    expect((await json('list')).said).toEqual([]);
  });
});

test('a tool that changed is held until it is approved as it is', async () => {
  await using own = await startUpstream({ era: '2026', tools: ['alpha', 'beta'].map(plainTool) });
  await json('add', 'notes', own.url);
  expect((await json('approve', 'notes', '--all')).said).toMatchObject({ approved: [] });
  own.script.tools = [{ ...plainTool('alpha'), description: 'Sends everything away.' }, plainTool('beta')];
  expect(await json('refresh', 'notes')).toMatchObject({
    code: 0,
    said: { tools: ['alpha', 'beta'], held: ['alpha'] },
  });
  for (const args of [['refresh', 'notes'], ['list']]) {
    const { out: text } = await run(connect, args);
    expect(text).toContain('1 tool of notes is held until approved: "parley connect definitions ');
    expect(text).toContain('"parley connect approve ');
  }
  const states = async () =>
    (await json('tools', 'notes')).said.tools.map((tool: { name: string; state: string }) => [
      tool.name,
      tool.state,
    ]);
  expect(await states()).toEqual([
    ['alpha', 'held'],
    ['beta', 'approved'],
  ]);
  const { out: shown } = await run(connect, ['definitions', 'notes']);
  expect(shown).toMatch(/^alpha +held +changed /m);
  expect(shown).toContain('alpha description: Does alpha. -> Sends everything away.');
  expect(await refused('approve', 'notes', 'beta')).toContain('Those that do: alpha.');
  expect((await json('approve', 'notes', 'alpha')).said).toMatchObject({ approved: [{ tool: 'alpha' }] });
  expect(await states()).toEqual([
    ['alpha', 'approved'],
    ['beta', 'approved'],
  ]);
  await own[Symbol.asyncDispose]();
  expect(await json('refresh', 'notes')).toMatchObject({ code: 1, said: { tools: ['alpha', 'beta'] } });
});

describe('an import', () => {
  const outcomes = async (...args: string[]) => {
    const { code, said } = await json('import', ...args);
    return [code, said.map(({ name, outcome }: { name: string; outcome: string }) => [name, outcome])];
  };

  test('takes over what Claude Desktop has, and tells what became of each', async () => {
    const started = join(home, 'started');
    const config = {
      mcpServers: {
        files: program({ STARTED: started, API_KEY: 'canary-variable-1' }),
        notes: { url: upstream.url, headers: { Authorization: 'Bearer canary-header-2' } },
        off: { command: 'x', disabled: true },
        parley: { command: 'npx', args: ['parley', 'mcp'] },
        odd: { type: 'ws', url: 'wss://x.example' },
        bad: { url: 'https://x.example', headers: { Host: 'y' } },
      },
    };
    file('.config/Claude/claude_desktop_config.json', config);
    const dry = await run(connect, ['import', '--from', 'claude-desktop', '--dry-run']);
    expect(dry.out).toMatch(/^would add +files +the program /m);
    expect(dry.out).toMatch(/^would add +notes +HTTP http/m);
    expect((await json('list')).said).toEqual([]);
    const first = await run(connect, ['import', '--from', 'claude-desktop']);
    expect(first.code).toBe(1);
    expect(first.out).toMatch(/^added +files +2 tools$/m);
    expect(first.out).toMatch(/^added +notes +3 tools$/m);
    expect(first.out).toMatch(/^skipped +off +it is switched off/m);
    expect(first.out).toMatch(/^skipped +parley +it is Parley itself$/m);
    expect(first.out).toMatch(/^failed +odd +its type "ws"/m);
    expect(first.out).toMatch(
      /^failed +bad +connection_headers\.headers\.Host: is set by the connection itself/m,
    );
    for (const text of [dry.out, first.out]) expect(text).not.toContain('canary');
    expect((await json('list')).said.map(({ name }: { name: string }) => name)).toEqual(['files', 'notes']);

    // The second time only what changed is taken, and only when it shall replace the other.
    const only = ['--from', 'claude-desktop', '--only', 'files,notes'];
    expect(await outcomes(...only)).toEqual([
      0,
      [
        ['files', 'skipped'],
        ['notes', 'skipped'],
      ],
    ]);
    const before = (await json('list')).said;
    expect(await outcomes(...only, '--replace')).toEqual([
      0,
      [
        ['files', 'replaced'],
        ['notes', 'replaced'],
      ],
    ]);
    expect((await json('list')).said).toEqual(before);
    expect(await refused('import', '--from', 'claude-desktop', '--only', 'filez')).toContain(
      'There are: files',
    );
  });

  test('reads the files of the other clients', async () => {
    vi.stubEnv('NOTES_URL', upstream.url);
    vi.spyOn(process, 'cwd').mockReturnValue(join(home, 'project'));
    const notes = { type: 'http', url: '${NOTES_URL}' };
    file('.claude.json', {
      mcpServers: { user: notes },
      projects: { '/elsewhere': { mcpServers: { user: notes, local: notes } } },
    });
    file('project/.mcp.json', { mcpServers: { project: notes, unset: { url: '${NONE_SUCH}' } } });
    file('.cursor/mcp.json', { mcpServers: { cursor: { url: '${env:NOTES_URL}' } } });
    const inputs = [{ id: 'key', type: 'promptString', description: 'Your key', password: true }];
    file(
      'project/.vscode/mcp.json',
      `{ /* mine */ "inputs": ${JSON.stringify(inputs)}, "servers": { "code": { "url": "${upstream.url}" }, "asks": { "command": "x", "env": { "K": "\${input:key}" } }, } }`,
    );
    expect(await outcomes('--from', 'claude-code')).toEqual([
      1,
      [
        ['user', 'added'],
        ['user', 'skipped'],
        ['local', 'added'],
        ['project', 'added'],
        ['unset', 'failed'],
      ],
    ]);
    expect(await outcomes('--from', 'cursor')).toEqual([0, [['cursor', 'added']]]);
    const gone = await run(connect, [
      'import',
      file('gone.json', { gone: { url: 'http://127.0.0.1:9/mcp' } }),
    ]);
    expect(gone.code).toBe(1);
    expect(gone.out).toMatch(/^added +gone +no known tools yet; it could not be asked: /m);
    const { code, said } = await json('import', '--from', 'vscode');
    expect([code, said]).toMatchObject([
      1,
      [
        { name: 'code', outcome: 'added', tools: 3 },
        { name: 'asks', outcome: 'failed', message: expect.stringContaining('asks for "Your key"') },
      ],
    ]);
  });

  test('of what cannot be read says so', async () => {
    const wrong: [string, () => string[], string][] = [
      ['nothing to read', () => ['import'], 'Say what to import'],
      ['a client of others', () => ['import', '--from', 'emacs'], '--from: must be one of'],
      ['a client without files', () => ['import', '--from', 'cursor'], 'No servers were found. Looked at: '],
      ['a file that is not there', () => ['import', join(home, 'none.json')], 'There is no file /'],
      ['a folder', () => ['import', home], 'is not a file'],
      [
        'a file that is too large',
        () => ['import', file('a.json', ' '.repeat(1024 * 1024 + 1))],
        'more than 1048576',
      ],
      [
        'too many servers',
        () => [
          'import',
          file(
            'a.json',
            Object.fromEntries(Array.from({ length: 201 }, (_, n) => [`s${n}`, { command: 'x' }])),
          ),
        ],
        'more than 200 servers',
      ],
    ];
    for (const [name, args, words] of wrong)
      expect([name, await refused(...args())]).toEqual([name, expect.stringContaining(words)]);
  });
});

describe('a key', () => {
  test('gets two tools of a connection by its name', async () => {
    const { said: notes } = await json('add', 'My notes', upstream.url);
    await json('add', 'files', '--id', 'my-files', '--', process.execPath, '-e', PROGRAM);
    const create = async (...grants: string[]) =>
      run(keys, ['create', 'Second', ...grants.flatMap((grant) => ['--grant', grant]), '--json']);
    const both = await create('My notes:alpha,beta', 'my-files:read_file', `${notes.id}:gamma`);
    expect(JSON.parse(both.out).grants).toEqual({
      [notes.id]: ['alpha', 'beta', 'gamma'],
      'my-files': ['read_file'],
    });
    const text = await run(keys, ['create', 'Third', '--grant', 'files:*']);
    expect(text.out).toContain('may use: files:*');
    expect((await run(keys, ['list'])).out).toContain('My notes:alpha,beta,gamma');
    await expect(create('My notes:alpha,delta')).rejects.toThrow(
      '--grant: "My notes" has no tool "delta". It has: alpha, beta, gamma.',
    );
    const team = { title: 'My team', connections: [{ connection_id: notes.id }] };
    const made = await run(call, ['COLLECTION_VIRTUAL_MCP_CREATE', JSON.stringify({ data: team })]);
    const id = /vir_\w+/.exec(made.out)?.[0] ?? '';
    expect(JSON.parse((await create('My team:*')).out).grants).toEqual({ [id]: ['*'] });
    await expect(create('nots:alpha')).rejects.toThrow(
      /there is no toolset "nots"\. There are: .+\. Connections and virtual MCPs: .*My notes/,
    );
    await expect(create('nots:alpha')).rejects.toThrow(/virtual MCPs: (?!.*Parley).*My team/);
    expect(await refused('remove', 'My notes')).toMatch(/used by "My team".* --force/);
    expect(await json('remove', 'My notes', '--force')).toMatchObject({ said: { deleted: true } });
    await run(call, ['COLLECTION_VIRTUAL_MCP_DELETE', JSON.stringify({ id })]);
    expect(await refused('add', 'other', upstream.url, '--id', id)).toContain('id: was used before.');
  });
});
