/** `parley connect`, as it is typed: one connection, its definitions, and keys that use it. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { describe, expect, test, vi } from 'vitest';
import { connectBed, PROGRAM, program } from '../../test/connect-bed.ts';
import { call } from './call.ts';
import { connect } from './connect.ts';
import { doctor } from './doctor.ts';
import { keys } from './keys.ts';

const bed = connectBed();
const { file, json, refused, run } = bed;

describe('one connection', () => {
  test('a private address is added, tested, looked at, found by name and id, and removed', async () => {
    const { said: made } = await json('add', 'notes', bed.upstream.url, '--header', 'X-Key: canary-header-1');
    expect(made).toMatchObject({ name: 'notes', type: 'HTTP', status: 'active', error: null });
    expect(made.tools).toEqual(['alpha', 'beta', 'gamma']);
    expect(bed.upstream.seen.at(-1)?.headers).toMatchObject({ 'x-key': 'canary-header-1' });
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

  test('what to type next is told as it runs in the checkout', async () => {
    const { said: made } = await json('add', 'notes', bed.upstream.url);
    vi.stubEnv('npm_lifecycle_event', 'parley');
    const { out } = await run(connect, ['disable', 'notes']);
    expect(out).toContain(`"npm run -s parley -- connect enable ${made.id}" undoes it`);
  });

  test('a program is started without --allow-stdio, with its own variables', async () => {
    const started = join(bed.home, 'started');
    const command = ['--env', `STARTED=${started}`, '--', process.execPath, '-e', PROGRAM];
    const { said } = await json('add', 'files', '--id', 'my-files', ...command);
    expect(said).toMatchObject({ id: 'my-files', type: 'STDIO', tools: ['read_file', 'write_file'] });
    expect(await json('test', 'files')).toMatchObject({ code: 0, said: { healthy: true } });
    const listed = (await run(connect, ['list'])).out;
    expect(listed).toContain(`${process.execPath} -e ***`);
    expect(listed).not.toContain(started);
  });

  test('where programs are named, others are neither stored nor started, by whatever way they came', async () => {
    const started = join(bed.home, 'started');
    const command = ['--env', `STARTED=${started}`, '--', process.execPath, '-e', PROGRAM];
    const named = ['--allow-command', 'npx,uvx'];
    const words = '--allow-command (PARLEY_ALLOW_COMMAND)';
    expect(await refused('add', 'files', ...named, ...command)).toContain(words);
    expect((await json('list')).said).toEqual([]);
    expect(existsSync(started)).toBe(false);
    // One that was stored before there was a list is not started either.
    await json('add', 'files', ...command);
    rmSync(started);
    const { code, said } = await json('test', 'files', ...named);
    expect({ code, healthy: said.healthy }).toEqual({ code: 1, healthy: false });
    expect(said.message).toContain(words);
    expect(existsSync(started)).toBe(false);
    expect(await json('test', 'files', '--allow-command', process.execPath)).toMatchObject({ code: 0 });
    vi.stubEnv('PARLEY_ALLOW_COMMAND', 'npx');
    expect(await json('test', 'files')).toMatchObject({ code: 1 });
  });

  test('the id of a removed one is given to nothing else, since keys may still have grants on it', async () => {
    await json('add', 'notes', bed.upstream.url, '--id', 'chosen');
    await json('remove', 'notes');
    expect(await refused('add', 'other', bed.upstream.url, '--id', 'chosen')).toContain(
      'id: was used before. Choose another one.',
    );
    expect(await json('add', 'notes', bed.upstream.url)).toMatchObject({ code: 0 });
  });

  test('a server that does not answer is stored, with the reason', async () => {
    const { code, out: text } = await run(connect, ['add', 'gone', 'http://127.0.0.1:9/mcp']);
    expect(code).toBe(0);
    expect(text).toContain('has no known tools yet');
    expect(text).toContain('could not be asked yet');
    expect(await json('test', 'gone')).toMatchObject({ code: 1, said: { healthy: false } });
    expect(text).not.toContain('--type sse');
    const { out: older } = await run(connect, ['add', 'older', 'http://127.0.0.1:9/sse']);
    expect(older).toContain('--type sse');
    await using sse = await startUpstream({ era: 'sse', tools: [] });
    const { out: otherwise } = await run(connect, ['add', 'otherwise', sse.url]);
    expect(otherwise).toMatch(
      /"parley connect change conn_\w+ --type sse"\. If it is an OpenAPI document: --type openapi\./,
    );
    expect((await json('change', 'otherwise', '--type', 'sse')).said).toMatchObject({
      type: 'SSE',
      error: null,
    });
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
    const { out: advised } = await run(connect, ['change', 'closed', '--title', 'closed']);
    expect(advised).toContain(`"parley connect authorise ${made.id}" begins that`);
    expect(advised).toContain(`"parley connect change ${made.id} --token-stdin" gives it a token`);
    const { said: good } = await json('add', 'notes', bed.upstream.url);
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
      const args = ['--project', join(bed.home, 'project'), '--port', '9', '--json'];
      return JSON.parse((await run(doctor, args)).out).checks as {
        name: string;
        state: string;
        found: string;
        fix?: string;
      }[];
    };
    const checks = await asked(`/mcp/${good.id}`);
    const own = checks.filter(({ name }) => name === 'connections');
    expect(own).toMatchObject([
      { state: 'warn', found: expect.stringMatching(/^1 of 2 /) },
      {
        state: 'warn',
        found: expect.stringContaining(`closed (${made.id}) is not authorised`),
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

  test('check 9: a key without the tools may do none of it, and one that has no more than these starts no program', async () => {
    const made = async (...grants: string[]) => {
      const { out: text } = await run(keys, ['create', 'Narrow', ...grants, '--json']);
      return JSON.parse(text).key as string;
    };
    const narrow = await made('--grant', 'parley:parley_whoami');
    for (const args of [
      ['list'],
      ['add', 'x', bed.upstream.url],
      ['import', file('m.json', { a: program() })],
    ])
      expect(await refused(...args, '--key', narrow)).toContain('This key may not do that');
    const scoped = await made('--grant', 'self:COLLECTION_CONNECTIONS_CREATE,COLLECTION_CONNECTIONS_LIST');
    const started = join(bed.home, 'started');
    const command = ['--env', `STARTED=${started}`, '--', process.execPath, '-e', PROGRAM];
    expect(await refused('add', 'x', '--key', scoped, ...command)).toContain(
      'Only owners and administrators',
    );
    expect(await refused('add', 'x', bed.upstream.url, '--key', scoped)).toContain(
      'Only owners and administrators',
    );
    const servers = file('p.json', { mcpServers: { x: program({ STARTED: started }) } });
    expect(await json('import', servers, '--key', scoped)).toMatchObject({
      code: 1,
      said: [{ outcome: 'failed', message: expect.stringContaining('Only owners and administrators') }],
    });
    expect((await json('list')).said).toEqual([]);
    expect(existsSync(started)).toBe(false);
    expect(await json('import', servers)).toMatchObject({ code: 0, said: [{ outcome: 'added' }] });
    expect(existsSync(started)).toBe(true);
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

describe('a key', () => {
  test('for a virtual MCP has the tools of its members, and a typo is refused', async () => {
    const { said: notes } = await json('add', 'My notes', bed.upstream.url);
    const made = await run(connect, ['virtual', 'create', 'My desk', '--with', 'My notes:alpha,beta']);
    expect(made.out).toContain("A key for its tools: parley keys create NAME --grant 'My desk:*'");
    const { said: outer } = await json('virtual', 'create', 'Outer', '--with', 'My desk');
    const tool = { name: 'count', inputSchema: { type: 'object' }, code: 'export default () => 1' };
    await run(call, [
      'COLLECTION_VIRTUAL_TOOLS_CREATE',
      JSON.stringify({ virtual_mcp_id: outer.id, data: tool }),
    ]);
    const create = (...grants: string[]) =>
      run(keys, ['create', 'Desk', ...grants.flatMap((grant) => ['--grant', grant])]);
    const all = await create('My desk:*');
    expect(all.out).toContain('may use: My notes:alpha,beta');
    expect(all.out).toContain('For "My desk" these are grants on what stands behind its tools');
    expect((await create('My desk:beta', 'My notes:gamma')).out).toContain('My notes:beta,gamma');
    const nested = await run(keys, ['create', 'Outer', '--grant', 'Outer:*', '--json']);
    expect(JSON.parse(nested.out).grants).toEqual({ [outer.id]: ['count'], [notes.id]: ['alpha', 'beta'] });
    await expect(create('My desk:betta')).rejects.toThrow(
      '--grant: "My desk" has no tool "betta". It has: alpha, beta.',
    );
  });

  test('gets two tools of a connection by its name', async () => {
    const { said: notes } = await json('add', 'My notes', bed.upstream.url);
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
    await expect(create('nots:alpha')).rejects.toThrow(
      /there is no toolset "nots"\. There are: .+\. Connections and virtual MCPs: .*My notes/,
    );
    await expect(create('nots:alpha')).rejects.toThrow(/virtual MCPs: (?!.*Parley).*My team/);
    expect(await refused('remove', 'My notes')).toMatch(/used by "My team".* --force/);
    expect(await json('remove', 'My notes', '--force')).toMatchObject({ said: { deleted: true } });
    await run(call, ['COLLECTION_VIRTUAL_MCP_DELETE', JSON.stringify({ id })]);
    expect(await refused('add', 'other', bed.upstream.url, '--id', id)).toContain('id: was used before.');
  });
});
