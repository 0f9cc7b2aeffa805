/** `parley connect` beside a server that runs: what is stored on the machine may reach what nobody may say over a protocol. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

const PROGRAM = `
require('node:fs').writeFileSync(process.env.STARTED, '');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const results = {
    initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'p', version: '1' } },
    'tools/list': { tools: [{ name: 'read_file', inputSchema: { type: 'object' } }] },
  };
  const answer = results[method] ? { result: results[method] } : { error: { code: -32601, message: 'Method not found' } };
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
});`;

interface Item {
  readonly id: string;
  readonly title: string;
  readonly connection_headers: object | null;
}

test('servers of a client are taken over, and a running server uses them within what the machine allowed', async () => {
  using folder = scratchFolder();
  const data = join(folder.path, 'data');
  const env = { HOME: folder.path };
  const canaries = ['canary-token-1', 'canary-header-2', 'canary-variable-3'];
  const [token = '', header = '', variable = ''] = canaries;
  await using upstream = await startUpstream({
    era: '2025',
    tools: ['alpha', 'beta'].map(plainTool),
    authorization: `Bearer ${token}`,
  });
  // Neither --allow-egress nor --allow-stdio.
  await using server = await startParley(data, { env });
  const texts: string[] = [];
  const connect = async (args: readonly string[], input = '') => {
    const ended = await runParley(['connect', ...args], { env: { ...env, PARLEY_DATA: data }, input });
    texts.push(ended.stdout, ended.stderr);
    return ended;
  };
  const self = { mcp: `${server.mcp}/self`, key: server.key };
  const call = async (name: string, input: Record<string, unknown>) => {
    const { text, body } = await callTool(self, name, input);
    texts.push(text);
    return { text, ...body.result?.structuredContent };
  };

  const started = join(folder.path, 'started');
  const program = {
    command: process.execPath,
    args: ['-e', PROGRAM],
    env: { STARTED: started, API_KEY: variable },
  };
  const remote = { url: upstream.url, headers: { Authorization: `Bearer ${token}`, 'X-Key': header } };
  const itself = { type: 'http', url: server.mcp };
  const config = JSON.stringify({ mcpServers: { files: program, notes: remote, itself } });
  const imported = await connect(['import', '-'], config);
  expect(imported.stderr).toBe('');
  expect(imported.stdout).toMatch(/^added +files +1 tool$/m);
  expect(imported.stdout).toMatch(/^added +notes +2 tools$/m);
  expect(imported.stdout).toMatch(/^skipped +itself +it is Parley itself$/m);
  expect(existsSync(started)).toBe(true);

  const { items } = (await call('COLLECTION_CONNECTIONS_LIST', {})) as unknown as { items: Item[] };
  const byName = Object.fromEntries(items.map((item) => [item.title, item]));
  expect(Object.keys(byName).toSorted()).toEqual(['files', 'notes']);
  const { files, notes } = byName;
  for (const id of [files?.id, notes?.id])
    expect(await call('CONNECTION_TEST', { id })).toMatchObject({ healthy: true, status: 'ok' });

  // What is shown can be sent back; what is not as it was stored needs the right of the server.
  const headers = files?.connection_headers ?? {};
  expect(headers).toEqual({
    command: process.execPath,
    args: ['-e', PROGRAM],
    envVars: { STARTED: '[secret]', API_KEY: '[secret]' },
  });
  const update = (id: string | undefined, fields: object) =>
    call('COLLECTION_CONNECTIONS_UPDATE', { id, data: fields });
  expect(await update(files?.id, { title: 'Files', connection_headers: headers })).toMatchObject({
    item: { title: 'Files' },
  });
  expect(await call('CONNECTION_TEST', { id: files?.id })).toMatchObject({ healthy: true });
  for (const change of [{ args: ['-e', ''] }, { isLocal: true }, { command: '/bin/sh' }])
    expect(await update(files?.id, { connection_headers: { ...headers, ...change } })).not.toHaveProperty(
      'item',
    );
  await using other = await startUpstream({ era: '2025', tools: [] });
  await update(notes?.id, { connection_url: other.url });
  expect(await call('CONNECTION_TEST', { id: notes?.id })).toMatchObject({ healthy: false });
  expect(other.seen).toEqual([]);
  await update(notes?.id, { connection_url: upstream.url });
  expect(await call('CONNECTION_TEST', { id: notes?.id })).toMatchObject({ healthy: false });

  // A token on standard input is on no command line.
  const again = await connect(['add', 'again', upstream.url, '--token-stdin', '--json'], `${token}\n`);
  expect(JSON.parse(again.stdout)).toMatchObject({
    name: 'again',
    status: 'active',
    tools: ['alpha', 'beta'],
  });
  const empty = await connect(['add', 'empty', upstream.url, '--token-stdin']);
  expect([empty.code, empty.stderr]).toEqual([2, expect.stringContaining('Standard input has nothing')]);
  const help = await connect(['--help']);
  expect([help.code, help.stdout]).toEqual([
    0,
    expect.stringContaining('Usage: parley connect add NAME URL'),
  ]);

  const { code, stdout, stderr } = await server.stop();
  expect(code).toBe(0);
  const stored = readdirSync(data)
    .map((name) => join(data, name))
    .filter((path) => statSync(path).isFile());
  for (const canary of canaries) {
    for (const text of [...texts, stdout, stderr]) expect(text).not.toContain(canary);
    for (const path of stored) expect(readFileSync(path).includes(canary), path).toBe(false);
  }
});

test('what VS Code asks for is named where nobody can be asked, and nothing of it is stored or started', async () => {
  using folder = scratchFolder();
  const started = join(folder.path, 'started');
  const file = join(folder.path, 'mcp.json');
  const program = {
    command: process.execPath,
    args: ['-e', PROGRAM],
    env: { STARTED: started, KEY: '${input:key}' },
  };
  writeFileSync(
    file,
    JSON.stringify({ inputs: [{ id: 'key', description: 'Your key' }], servers: { a: program } }),
  );
  const run = (...args: string[]) => runParley(['connect', ...args, '--data', join(folder.path, 'data')]);
  const { code, stdout } = await run('import', file, '--from', 'vscode');
  expect(code).toBe(1);
  expect(stdout).toMatch(/^failed +a +it asks for "Your key"/m);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
  expect(existsSync(started)).toBe(false);
});
