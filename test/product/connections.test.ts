/** Connections of a started server to real upstream servers, on both databases. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { serveForTest } from '@parley/test-support/scripted-server';
import { saveToken } from '@parley/connections';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { loadOwnToolsets } from '../../apps/server/src/toolsets.ts';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { startParley } from './parley.ts';

beforeAll(ensureBuilt);

interface Item {
  readonly id: string;
  readonly organization_id: string;
  readonly tools: readonly { readonly name: string }[] | null;
  readonly catalog: { readonly stale: boolean; readonly last_error: string | null };
  readonly status: string;
}

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'checks 11, 13, 16 and 18: a started server and its upstreams (%s)',
  async (engine) => {
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl } = database.options;
    const reach = ['--allow-egress', '127.0.0.1', '--log-level', 'debug'];
    const args = [...reach, ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl])];
    await using server = await startParley(dataDir, { args });
    const self = { mcp: `${server.mcp}/self`, key: server.key };
    const texts: string[] = [];
    const call = async (name: string, input: Record<string, unknown>) => {
      const { text, body } = await callTool(self, name, input);
      texts.push(text);
      const { isError, structuredContent = {} } = body.result ?? {};
      return { isError, text, item: structuredContent['item'] as Item, ...structuredContent };
    };
    // What every Parley serves at /mcp is the id of no connection.
    for (const { name: id } of await loadOwnToolsets()) {
      const data = { id, title: 'X', connection_type: 'HTTP', connection_url: 'https://x.example' };
      const { isError, text } = await call('COLLECTION_CONNECTIONS_CREATE', { data });
      expect([id, isError]).toEqual([id, true]);
      expect(JSON.parse(text).result).toMatchObject({
        _meta: { 'dev.parley/code': 'invalid' },
        content: [{ text: `Error: id: "${id}" stands for something else here. Choose another one.` }],
      });
    }
    const secrets = { token: 'canary-token-1', header: 'canary-header-2', client: 'canary-client-3' };

    await using upstream = await startUpstream({
      era: '2026',
      tools: [plainTool('ALPHA')],
      authorization: `Bearer ${secrets.token}`,
    });
    const { item } = await call('COLLECTION_CONNECTIONS_CREATE', {
      data: {
        title: 'Upstream',
        connection_type: 'HTTP',
        connection_url: upstream.url,
        connection_token: secrets.token,
        connection_headers: { headers: { 'X-Secret': secrets.header } },
        oauth_config: {
          authorizationEndpoint: 'https://a.example/authorize',
          tokenEndpoint: 'https://a.example/token',
          clientId: 'me',
          clientSecret: secrets.client,
          scopes: [],
          grantType: 'authorization_code',
        },
      },
    });
    expect(item).toMatchObject({ status: 'active', tools: [{ name: 'ALPHA' }] });
    const { id } = item;

    const kept = { connection_headers: { headers: { 'X-Secret': '[secret]', 'X-More': '1' } } };
    await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: kept });
    expect(upstream.seen.at(-1)?.headers).toMatchObject({
      'x-secret': secrets.header,
      'x-more': '1',
      authorization: `Bearer ${secrets.token}`,
    });

    upstream.script.fault = (_request, response) => {
      response.destroy();
      return true;
    };
    const moved = { id, data: { connection_url: `${upstream.url}?moved=1` } };
    const { item: stale } = await call('COLLECTION_CONNECTIONS_UPDATE', moved);
    expect(stale).toMatchObject({ tools: [{ name: 'ALPHA' }], catalog: { stale: true } });

    const started = join(dataDir, 'started');
    const program = {
      command: process.execPath,
      args: ['-e', `require('fs').writeFileSync('${started}', '')`],
    };
    const refused = await call('COLLECTION_CONNECTIONS_CREATE', {
      data: { title: 'Program', connection_type: 'STDIO', connection_headers: program },
    });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('--allow-stdio');
    expect(existsSync(started)).toBe(false);

    await call('COLLECTION_CONNECTIONS_LIST', { include_virtual: true });
    await call('COLLECTION_CONNECTIONS_GET', { id });
    const { stdout, stderr, code } = await server.stop();
    expect(code).toBe(0);
    for (const secret of Object.values(secrets)) {
      for (const text of [...texts, stdout, stderr]) expect(text).not.toContain(secret);
      for (const name of readdirSync(dataDir).filter((each) => statSync(join(dataDir, each)).isFile()))
        expect(readFileSync(join(dataDir, name)).includes(secret), name).toBe(false);
    }
  },
);

test.each<StoreEngine>(['sqlite', 'postgres'])(
  'check 17: CONNECTION_TEST is healthy when an MCP server answered a handshake, and never otherwise (%s)',
  async (engine) => {
    const database = await scratchDatabase(engine);
    onTestFinished(() => database.remove());
    const { dataDir, databaseUrl } = database.options;
    const url = databaseUrl === undefined ? [] : ['--database-url', databaseUrl];
    await using server = await startParley(dataDir, { args: ['--allow-egress', '127.0.0.1', ...url] });
    const call = async (name: string, input: object) => {
      const { body } = await callTool({ mcp: `${server.mcp}/self`, key: server.key }, name, { ...input });
      return body.result?.structuredContent ?? {};
    };
    const make = async (connection_type: string, connection_url: string) => {
      const data = { title: 'Tested', connection_type, connection_url };
      return (await call('COLLECTION_CONNECTIONS_CREATE', { data }))['item'] as Item;
    };
    const test17 = async (id: string) => {
      const { healthy, status } = await call('CONNECTION_TEST', { id });
      return [healthy, status];
    };

    const absent = await serveForTest((_request, response) => response.writeHead(404).end());
    const talkative = await serveForTest((_request, response) => response.end('{"jsonrpc":"2.0"}'));
    for (const type of ['HTTP', 'SSE']) {
      expect(await test17((await make(type, absent.origin)).id)).toEqual([false, 'invalid_protocol']);
      expect(await test17((await make(type, talkative.origin)).id)).toEqual([false, 'invalid_protocol']);
    }

    await using upstream = await startUpstream({
      era: '2026',
      tools: [plainTool('ALPHA')],
      authorization: 'Bearer granted',
    });
    const { id, organization_id: organizationId } = await make('HTTP', upstream.url);
    expect(await test17(id)).toEqual([false, 'auth_required']);
    const store = await openStore(database.options);
    const owner = { organizationId, connectionId: id, userId: null };
    await saveToken({ store, now: Date.now }, owner, { access: 'granted' });
    await store.close();
    expect(await test17(id)).toEqual([true, 'ok']);
    await call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'inactive' } });
    expect(await test17(id)).toEqual([false, 'disabled']);

    // This server answers for itself and for virtual MCPs.
    expect(await test17(`${organizationId}_self`)).toEqual([true, 'ok']);
    const data = { title: 'All', connections: [{ connection_id: id }] };
    const { id: virtual } = (await call('COLLECTION_VIRTUAL_MCP_CREATE', { data }))['item'] as Item;
    const { id: standIn } = await make('VIRTUAL', `virtual://${virtual}`);
    for (const each of [virtual, standIn]) expect(await test17(each)).toEqual([true, 'ok']);
    await call('COLLECTION_VIRTUAL_MCP_UPDATE', { id: virtual, data: { status: 'inactive' } });
    expect(await test17(virtual)).toEqual([false, 'disabled']);
    expect(await test17(standIn)).toEqual([false, 'unreachable']);
  },
);

test('who is no administrator cannot have stored secrets sent to another server', async () => {
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  await using server = await startParley(database.options.dataDir, { args: ['--allow-egress', '127.0.0.1'] });
  const mcp = `${server.mcp}/self`;
  const call = async (name: string, input: object, key = server.key) => {
    const { body, text } = await callTool({ mcp, key }, name, { ...input });
    return { ...body.result?.structuredContent, text } as Record<string, unknown> & { text: string };
  };
  const permissions = { self: ['COLLECTION_CONNECTIONS_UPDATE'] };
  const { key: narrow } = await call('API_KEY_CREATE', { name: 'Narrow', permissions });
  await using upstream = await startUpstream({ era: '2026', tools: [plainTool('ON_MCP_CONFIGURATION')] });
  const thief = await serveForTest((_request, response) => response.writeHead(404).end());
  const oauth = (host: string, clientSecret: string) => ({
    authorizationEndpoint: `https://${host}/authorize`,
    tokenEndpoint: `https://${host}/token`,
    clientId: 'me',
    clientSecret,
    scopes: [],
    grantType: 'authorization_code',
  });
  const make = async (more: object) => {
    const data = { title: 'Kept', connection_type: 'HTTP', connection_url: upstream.url, ...more };
    return (await call('COLLECTION_CONNECTIONS_CREATE', { data }))['item'] as Item;
  };
  const stolen: [name: string, more: object, data: object][] = [
    ['token', { connection_token: 't' }, {}],
    ['header', { connection_headers: { headers: { A: 'b' } } }, {}],
    [
      'parameter',
      { connection_url: `${upstream.url}?key=k` },
      { connection_url: `${thief.origin}?key=[secret]` },
    ],
    ['state', { configuration_state: { pin: 1234 } }, { configuration_scopes: [] }],
    ['client', { oauth_config: oauth('a.example', 's') }, { oauth_config: oauth('b.example', '[secret]') }],
  ];
  for (const [name, more, data] of stolen) {
    const { id } = await make(more);
    const change = { id, data: { ...(name !== 'client' && { connection_url: thief.origin }), ...data } };
    const refused = await call('COLLECTION_CONNECTIONS_UPDATE', change, String(narrow));
    expect([name, refused.text]).toEqual([name, expect.stringContaining('belong')]);
    expect([name, thief.seen.length]).toEqual([name, 0]);
  }
  const { id, organization_id: organizationId } = await make({});
  const store = await openStore(database.options);
  const owner = { organizationId, connectionId: id, userId: null };
  await saveToken({ store, now: Date.now }, owner, { access: 'granted' });
  await store.close();
  const moved = { id, data: { connection_url: thief.origin } };
  expect((await call('COLLECTION_CONNECTIONS_UPDATE', moved, String(narrow))).text).toContain('belong');
  expect(thief.seen).toEqual([]);
  // Without secrets there is nothing to keep.
  const { id: open } = await make({});
  await call('COLLECTION_CONNECTIONS_UPDATE', { ...moved, id: open }, String(narrow));
  expect(thief.seen.length).toBeGreaterThan(0);
});

test('a program is started where the server allows it, and ends with the question', async () => {
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  await using server = await startParley(database.options.dataDir, { env: { PARLEY_ALLOW_STDIO: '1' } });
  const self = { mcp: `${server.mcp}/self`, key: server.key };
  const code = `
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined) return;
      const results = {
        initialize: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } },
        'tools/list': { tools: [{ name: 'PARLEY' in process.env ? 'BAD' : process.env.GREETING, inputSchema: { type: 'object' } }] },
      };
      const result = results[method];
      console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }));
    });`;
  const data = {
    title: 'Program',
    connection_type: 'STDIO',
    connection_headers: { command: process.execPath, args: ['-e', code], envVars: { GREETING: 'HELLO' } },
  };
  const { body } = await callTool(self, 'COLLECTION_CONNECTIONS_CREATE', { data });
  expect(body.result?.structuredContent).toMatchObject({
    item: {
      status: 'active',
      tools: [{ name: 'HELLO' }],
      connection_headers: { envVars: { GREETING: '[secret]' } },
    },
  });
  expect((await server.stop()).code).toBe(0);
});
