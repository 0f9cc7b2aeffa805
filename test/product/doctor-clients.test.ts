/** `parley doctor` on the client files of a project: a wrong key, path, port, program or data folder is a finding. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { checkClients } from '../../apps/server/src/cli/doctor/clients.ts';
import { checkPort } from '../../apps/server/src/cli/doctor/port.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import { loadOwnToolsets } from '../../apps/server/src/index.ts';
import { ensureBuilt } from './build.ts';
import type { Server } from './parley.ts';
import { LAUNCHER, runParley, scratchFolder, startParley } from './parley.ts';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly fix?: string;
}

const WRONG = `parley_${'w'.repeat(12)}_${'x'.repeat(43)}`;
const home = scratchFolder();
const data = join(home.path, 'data');
let server: Server;
let key: string;
let port: string;
let project: ReturnType<typeof scratchFolder>;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(data);
  ({ port } = new URL(server.url));
  const made = await runParley(['keys', 'create', 'Client', '--data', data, '--json']);
  ({ key } = JSON.parse(made.stdout) as { key: string });
});
afterAll(async () => {
  await server.stop();
  home[Symbol.dispose]();
});
beforeEach(() => {
  project = scratchFolder();
});
afterEach(() => project[Symbol.dispose]());

function write(path: string, content: string | object): void {
  const file = join(project.path, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

/** All findings of the command, none of which may show a key; it runs elsewhere, and is pointed at the project. */
async function doctor(): Promise<Check[]> {
  const args = ['doctor', '--data', data, '--port', port, '--project', project.path, '--json'];
  const { code, stdout } = await runParley(args, { env: { PARLEY_INIT: '' } });
  const { healthy, checks } = JSON.parse(stdout) as { healthy: boolean; checks: Check[] };
  expect(code).toBe(healthy ? 0 : 1);
  refuseSecrets(stdout);
  return checks;
}

function refuseSecrets(text: string): void {
  for (const secret of [key, server.key, WRONG, 'hunter2']) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/<owner key>|owner\.key\)/);
}

/** What the command finds in the files of clients, without a process for each of many rows. */
async function findings(env: Record<string, string> = {}, at = port): Promise<Check[]> {
  const { config } = loadConfig(['--data', data, '--port', at], { env });
  const checks = [
    await checkPort(config),
    ...(await checkClients({
      config,
      project: project.path,
      pageDataDir: data,
      lookup: (name) => env[name],
      toolsets: (await loadOwnToolsets()).map(({ name }) => name),
      paths: [],
      launcher: LAUNCHER,
      vite: undefined,
    })),
  ];
  refuseSecrets(JSON.stringify(checks));
  return checks;
}

async function finding(client: string, env?: Record<string, string>, at?: string): Promise<Check> {
  const check = (await findings(env, at)).find(({ name }) => name.startsWith(client));
  if (check === undefined) throw new Error(`There is no finding for ${client}.`);
  return check;
}

const claude = (parley: object) => write('.mcp.json', { mcpServers: { parley } });
const http = (sent: string, path = '/mcp') => ({
  type: 'http',
  url: server.url + path,
  headers: { Authorization: sent },
});
const stdio = (args: readonly string[], env = {}) => ({ command: 'node', args, env });

describe('an address', () => {
  test.each([
    ['a valid key', () => http(`Bearer ${key}`), 'ok', 'its key sees'],
    ['one toolset', () => http(`Bearer ${key}`, '/mcp/feedback'), 'ok', 'its key sees'],
    ['a valid key from a variable', () => http('Bearer ${GOOD}'), 'ok', 'its key sees'],
    ['a default of a variable', () => http(`Bearer \${NOT_SET:-${key}}`), 'ok', 'its key sees'],
    ['a wrong key', () => http(`Bearer ${WRONG}`), 'fail', 'its key is not valid'],
    ['a wrong key from a variable', () => http('Bearer ${BAD}'), 'fail', 'its key is not valid'],
    ['a variable that is not set', () => http('Bearer ${NOT_SET}'), 'warn', 'NOT_SET, which is not set'],
    ['the syntax of another client', () => http('Bearer ${env:GOOD}'), 'fail', 'its key is not valid'],
    ['no key', () => ({ url: server.mcp }), 'fail', 'sends no API key'],
    ['a placeholder', () => http('Bearer <a key>'), 'fail', 'sends no API key'],
    ['a path that is not served', () => http(`Bearer ${key}`, '/mpc'), 'fail', 'nothing is served'],
    ['a toolset that is not there', () => http(`Bearer ${key}`, '/mcp/feedbak'), 'fail', '/mcp/feedback'],
    ['a wrong port', () => ({ url: 'http://localhost:9/mcp' }), 'fail', 'not at http://127.0.0.1'],
    ['no address', () => ({ type: 'http' }), 'fail', 'points at no address'],
    [
      'another machine',
      () => ({ url: 'http://u:hunter2@192.0.2.1/mcp' }),
      'warn',
      'points at http://192.0.2.1',
    ],
  ])('with %s', async (_name, entry, state, found) => {
    claude(entry());
    const check = await finding('Claude Code', { GOOD: key, BAD: WRONG });
    expect(check).toMatchObject({ state, found: expect.stringContaining(found) });
    if (state === 'ok') return;
    expect(check.fix).toContain('parley keys create');
    expect(check.fix).toContain('Bearer ${PARLEY_KEY}');
  });

  test('counts under whatever name it has', async () => {
    write('.mcp.json', { mcpServers: { parley: http(`Bearer ${key}`), feedback: http(`Bearer ${WRONG}`) } });
    const checks = await doctor();
    const named = (name: string) => checks.find((check) => check.name === name);
    expect(named('Claude Code (.mcp.json)')).toMatchObject({ state: 'ok' });
    expect(named('Claude Code (.mcp.json, feedback)')).toMatchObject({ state: 'fail' });
  });

  test('is held against the database while no server runs', async () => {
    claude({ ...http(''), url: 'http://127.0.0.1:9/mcp', headers: { authorization: `Bearer ${WRONG}` } });
    expect(await finding('Claude Code', {}, '9')).toMatchObject({ state: 'fail' });
    claude({ ...http(''), url: 'http://127.0.0.1:9/mcp', headers: { authorization: `Bearer ${key}` } });
    expect(await finding('Claude Code', {}, '9')).toMatchObject({ state: 'ok' });
  });
});

describe('a program', () => {
  const args = (...more: string[]) => [LAUNCHER, 'mcp', ...more];
  const inData = () => args('--data', data);
  test.each([
    ['the right folder', () => stdio(inData()), 'ok', 'as its owner'],
    ['a valid key', () => stdio(inData(), { PARLEY_KEY: key }), 'ok', 'its key is valid'],
    [
      'a valid key from a variable',
      () => stdio(inData(), { PARLEY_KEY: '${GOOD}' }),
      'ok',
      'its key is valid',
    ],
    ['a wrong key', () => stdio(inData(), { PARLEY_KEY: WRONG }), 'fail', 'its key is not valid'],
    ['a wrong key as a flag', () => stdio([...inData(), `--key=${WRONG}`]), 'fail', 'its key is not valid'],
    ['a variable that is not set', () => stdio(inData(), { PARLEY_KEY: '${NOT_SET}' }), 'warn', 'NOT_SET'],
    ['a script that is not there', () => stdio(['/nope/parley.js', 'mcp']), 'fail', '/nope/parley.js'],
    ['a program that is not there', () => ({ command: '/nope/node', args: inData() }), 'fail', '/nope/node'],
    [
      'npx outside of the checkout',
      () => ({ command: 'npx', args: ['parley', 'mcp'] }),
      'fail',
      'by npx outside of the checkout',
    ],
    [
      'a folder without data',
      () => stdio(args('--data', '/nope')),
      'fail',
      '/nope, which holds no installation',
    ],
    ['no folder', () => stdio(args()), 'fail', '.parley, which holds no installation'],
    ['a folder to be made', () => stdio(args('--init')), 'ok', 'makes an installation'],
    [
      'another server behind it',
      () => stdio(args('feedback', '--url', 'https://a.example')),
      'ok',
      'another server',
    ],
  ])('with %s', async (_name, entry, state, found) => {
    claude(entry());
    const check = await finding('Claude Code', { GOOD: key });
    expect(check).toMatchObject({ state, found: expect.stringContaining(found) });
    expect(check.fix === undefined).toBe(state === 'ok');
  });

  test('under another name is found too', async () => {
    write('.mcp.json', { mcpServers: { notes: stdio(args('--data', '/nope')), other: stdio(['x.js']) } });
    const names = (await doctor()).map(({ name }) => name).filter((name) => name.startsWith('Claude'));
    expect(names).toEqual(['Claude Code (.mcp.json, notes)']);
  });
});

describe('an entry of an agent', () => {
  let agent: { id: string; key: string };
  let gone: { id: string; key: string };

  beforeAll(async () => {
    const made = async (...args: string[]) =>
      JSON.parse((await runParley([...args, '--data', data, '--json'])).stdout) as typeof agent;
    agent = await made('agents', 'create', 'Ada');
    gone = await made('agents', 'create', 'Bo');
    const [, publicId = ''] = /^parley_(\w{12})_/.exec(gone.key) ?? [];
    expect((await runParley(['keys', 'revoke', publicId, '--data', data])).code).toBe(0);
  });

  const ada = (entry: object) => write('.mcp.json', { mcpServers: { ada: entry } });
  const at = (url: string, sent: string) => ({ type: 'http', url, headers: { Authorization: sent } });
  const inData = (...more: string[]) => stdio([LAUNCHER, 'mcp', 'agent', ...more, '--data', data]);

  test.each([
    ['a valid key', () => at(`${server.mcp}/agent`, `Bearer ${agent.key}`), 'its key sees'],
    ['a valid key at all toolsets', () => at(server.mcp, `Bearer ${agent.key}`), 'its key sees'],
    ['a program for an agent', () => inData('--agent', 'Ada'), 'as the agent Ada'],
    ['a program with its key', () => ({ ...inData(), env: { PARLEY_KEY: agent.key } }), 'its key is valid'],
  ])('with %s is fine', async (_name, entry, found) => {
    ada(entry());
    const check = await finding('Claude Code');
    expect(check).toMatchObject({ state: 'ok', found: expect.stringContaining(found) });
    expect(JSON.stringify(check)).not.toContain(agent.key);
  });

  test('with a valid key is fine while no server runs', async () => {
    ada(at('http://127.0.0.1:9/mcp/agent', `Bearer ${agent.key}`));
    expect(await finding('Claude Code', {}, '9')).toMatchObject({ state: 'ok' });
  });

  test.each([
    ['another port', () => at('http://localhost:9/mcp/agent', 'Bearer ${ADA_KEY}'), 'agents key NAME'],
    ['no key', () => at(`${server.mcp}/agent`, 'Bearer ${ADA_KEY}'), 'agents key NAME'],
    ['a revoked key', () => at(`${server.mcp}/agent`, 'Bearer ${BO_KEY}'), 'agents key Bo'],
    ['a revoked key at all toolsets', () => at(server.mcp, 'Bearer ${BO_KEY}'), 'agents key Bo'],
  ])('with %s is mended as one: its name, its variable and its agent stay', async (_name, entry, maker) => {
    const given = entry();
    ada(given);
    const { state, fix = '' } = await finding('Claude Code', { BO_KEY: gone.key });
    expect(state).not.toBe('ok');
    expect(fix).toContain(`"parley ${maker}"`);
    expect(fix).not.toContain('keys create');
    const url = new URL(given.url).pathname === '/mcp' ? server.mcp : `${server.mcp}/agent`;
    expect(JSON.parse(fix.slice(fix.indexOf('{')))).toEqual({
      mcpServers: { ada: { type: 'http', url, headers: given.headers } },
    });
    expect(fix).not.toContain(gone.key);
  });

  test.each([
    [['agent', '--agent', 'Ada'], 'mcp agent --agent Ada --data'],
    [['agent', '--agent=Ada L'], "mcp agent --agent 'Ada L' --data"],
    [['feedback'], 'mcp feedback --data'],
    [[], 'mcp --data'],
  ])('whose program is not there starts with what it served: %j', async (args, words) => {
    ada(stdio(['/nope/parley.js', 'mcp', ...args]));
    const { state, fix } = await finding('Claude Code');
    expect([state, fix]).toEqual(['fail', `Start it with: node ${LAUNCHER} ${words} ${data}`]);
  });

  test('whose program lacks its key is told which key it needs', async () => {
    ada({ ...inData(), env: { PARLEY_KEY: '${NOT_SET}' } });
    expect((await finding('Claude Code')).fix).toContain('"parley agents key NAME"');
    ada({ ...inData('--agent', 'Ada'), env: { PARLEY_KEY: '${NOT_SET}' } });
    expect((await finding('Claude Code')).fix).toContain('"parley keys create NAME"');
    ada({ ...inData(), env: { PARLEY_KEY: gone.key } });
    expect((await finding('Claude Code')).fix).toContain('"parley agents key Bo"');
  });
});

describe('a server on another port', () => {
  const look = async (...args: string[]): Promise<Check[]> => {
    const all = ['doctor', '--data', data, '--project', project.path, '--json', ...args];
    const { checks } = JSON.parse((await runParley(all)).stdout) as { checks: Check[] };
    return checks;
  };

  test('is found by its folder, and its address is the one that is handed out', async () => {
    write('.mcp.json', { mcpServers: {} });
    const checks = await look();
    const named = (name: string) => checks.find((check) => check.name.startsWith(name));
    expect(named('port')?.found).toBe(`Parley is running on 127.0.0.1:${port}`);
    expect(named('Claude Code')?.fix).toContain(`"${server.mcp}"`);
    // A port that is asked for is the one that is looked at.
    expect((await look('--port', '9')).find(({ name }) => name === 'port')?.found).not.toContain('running');
  });

  test('leaves its address until it ends, and what a killed one left counts for nothing', async () => {
    const own = join(home.path, 'second');
    const second = await startParley(own);
    expect(readFileSync(join(own, 'server.url'), 'utf8')).toBe(`${second.url}\n`);
    await second.stop('SIGKILL');
    const found = await runParley(['doctor', '--data', own, '--port', '0', '--json']);
    expect(found.stdout).toContain('a free one is picked at start');
    const third = await startParley(own);
    await third.stop();
    expect(existsSync(join(own, 'server.url'))).toBe(false);
  });
});

describe('a file', () => {
  test.each(['{ "mcpServers": ', '', '// nothing', '{"a":1}}'])(
    'that is not JSON fails: %j',
    async (text) => {
      write('.mcp.json', text);
      expect(await finding('Claude Code')).toMatchObject({ state: 'fail', found: 'is not valid JSON' });
    },
  );

  test.each([
    '[]',
    'null',
    '7',
    '{"mcpServers": null}',
    '{"mcpServers": {"parley": null}}',
    '{"mcpServers": 3}',
  ])('that has no entry warns: %j', async (text) => {
    write('.mcp.json', text);
    expect(await finding('Claude Code')).toMatchObject({
      state: 'warn',
      found: 'has no server "parley" under "mcpServers"',
    });
  });

  const headers = (sent: string) => ({ url: server.mcp, headers: { Authorization: `Bearer ${sent}` } });
  test.each([
    [
      'Cursor',
      '.cursor/mcp.json',
      (name: string) => ({ mcpServers: { parley: headers(`\${env:${name}}`) } }),
    ],
    ['VS Code', '.vscode/mcp.json', (name: string) => ({ servers: { parley: headers(`\${env:${name}}`) } })],
    ['opencode', 'opencode.json', (name: string) => ({ mcp: { parley: headers(`{env:${name}}`) } })],
    [
      'Gemini CLI',
      '.gemini/settings.json',
      (name: string) => ({ mcpServers: { parley: { ...headers(`$${name}`), httpUrl: server.mcp } } }),
    ],
    [
      'Codex',
      '.codex/config.toml',
      (name: string) =>
        `# mine\n[mcp_servers.parley]\nurl = "${server.mcp}" # here\nbearer_token_env_var = '${name}'\n`,
    ],
  ])('of %s is read as the client reads it', async (client, path, content) => {
    const env = { GOOD: key, BAD: WRONG };
    write(path, content('GOOD'));
    expect(await finding(client, env)).toMatchObject({ state: 'ok', found: expect.stringContaining('sees') });
    write(path, content('BAD'));
    expect(await finding(client, env)).toMatchObject({ state: 'fail' });
    write(path, content('NOT_SET'));
    expect(await finding(client, env)).toMatchObject({ state: 'warn' });
  });

  test('of Codex may have its program over several lines and its variables in a table', async () => {
    const args = `args = [\n  "${LAUNCHER}", # Parley\n  "mcp", "--data", '${data}',\n]`;
    write(
      '.codex/config.toml',
      `[mcp_servers.parley]\ncommand = "node"\n${args}\nenv = { PARLEY_KEY = "${WRONG}" }\n`,
    );
    expect(await finding('Codex')).toMatchObject({
      state: 'fail',
      found: expect.stringContaining('not valid'),
    });
    write(
      '.codex/config.toml',
      `[mcp_servers.parley]\ncommand = "node"\n${args}\n\n[mcp_servers.parley.env]\nPARLEY_KEY = "${key}"\n`,
    );
    expect(await finding('Codex')).toMatchObject({ state: 'ok' });
  });

  test('of an editor may have comments, and may ask for the key', async () => {
    const entry = JSON.stringify({ ...headers('${input:parley-key}'), note: '// no comment, }' });
    write('.vscode/mcp.json', `// mine\n{ "servers": { /* here */ "parley": ${entry}, }, }\n`);
    expect(await finding('VS Code')).toMatchObject({ state: 'ok', found: expect.stringContaining('asks') });
  });

  test('of an editor keeps its own input, which is where the key goes', async () => {
    const wrong = { ...headers('${input:my-own}'), url: 'http://localhost:9/mcp' };
    write('.vscode/mcp.json', { servers: { parley: wrong } });
    const { fix = '' } = await finding('VS Code');
    expect(fix).toMatch(/^Use this, with a key of "parley keys create NAME" where it asks for it:/);
    expect(fix).not.toContain('PARLEY_KEY');
    expect(JSON.parse(fix.slice(fix.indexOf('{')))).toMatchObject({
      inputs: [{ id: 'my-own' }],
      servers: { parley: { headers: { Authorization: 'Bearer ${input:my-own}' } } },
    });
  });

  test.each([
    ['a long run of variables', `Bearer ${'${A:-'.repeat(700)}`],
    ['more text than a key can have', `Bearer ${'a'.repeat(100_000)}`],
  ])('with %s is answered', async (_name, sent) => {
    claude(http(sent));
    expect(await finding('Claude Code')).toMatchObject({ state: 'fail' });
  });

  test.each([
    ['.mcp.json', `{"a": "${'\\"'.repeat(400_000)}`],
    ['.mcp.json', `{"a": [${', '.repeat(300_000)}`],
    ['.mcp.json', '/*'.repeat(400_000)],
    ['.codex/config.toml', `[mcp_servers.parley]\nurl = "${'\\"'.repeat(400_000)}\\`],
    ['.codex/config.toml', `[mcp_servers.parley]\nargs = [\n${'"a",\n'.repeat(150_000)}`],
    ['.codex/config.toml', `[mcp_servers.parley]\nenv = {${"'".repeat(700_001)}`],
    ['.codex/config.toml', `[mcp_servers.parley]\nenv = { ${'a'.repeat(900_000)}`],
  ])('that is hostile is read once and found wanting: %s %#', async (path, text) => {
    write(path, text);
    const [, check] = (await findings()).filter(
      ({ name }) => /Claude|Codex|^clients/.test(name) || name === 'port',
    );
    expect(check?.state).not.toBe('ok');
  });

  test('that is larger than any configuration is not read', async () => {
    write('.mcp.json', ' '.repeat(2 * 1024 * 1024));
    expect(await finding('Claude Code')).toMatchObject({ state: 'fail' });
  });
});

describe('the key that commands act with', () => {
  test('is a line of its own when it is given, and fails when it is wrong', async () => {
    const at = ['doctor', '--data', data, '--port', port];
    const wrong = await runParley(at, { env: { PARLEY_KEY: WRONG } });
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(/^fail +key +the one in --key or PARLEY_KEY is not valid/m);
    expect(wrong.stdout).toMatch(/fix: Make a key with "parley keys create NAME"/);
    const right = await runParley(at, { env: { PARLEY_KEY: key } });
    expect(right.stdout).toMatch(/^ok +key +the one in --key or PARLEY_KEY is valid/m);
    for (const { stdout } of [wrong, right]) {
      expect(stdout).not.toContain(key);
      expect(stdout).not.toContain(WRONG);
    }
  });
});

test('a project that is not there is a wrong command line', async () => {
  const { code, stderr } = await runParley(['doctor', '--data', data, '--project', '/nope']);
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'parley: --project: /nope is not a folder\n' });
});
