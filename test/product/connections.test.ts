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
  'checks 11, 13, 16, 17 and 18: a started server and its upstreams (%s)',
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

    expect(await call('CONNECTION_TEST', { id })).toMatchObject({ healthy: true, status: 'ok' });
    upstream.script.authorization = 'Bearer granted';
    expect(await call('CONNECTION_TEST', { id })).toMatchObject({ healthy: false, status: 'auth_required' });
    const store = await openStore(database.options);
    const owner = { organizationId: item.organization_id, connectionId: id, userId: null };
    await saveToken({ store, now: Date.now }, owner, { access: 'granted' });
    await store.close();
    expect(await call('CONNECTION_TEST', { id })).toMatchObject({ healthy: true, status: 'ok' });

    const wrong = await serveForTest((_request, response) => response.writeHead(404).end());
    const elsewhere = { title: 'Wrong', connection_type: 'HTTP', connection_url: wrong.origin };
    const bad = await call('COLLECTION_CONNECTIONS_CREATE', { data: elsewhere });
    expect(bad.item).toMatchObject({ status: 'error', tools: null });
    expect(await call('CONNECTION_TEST', { id: bad.item.id })).toMatchObject({
      healthy: false,
      status: 'invalid_protocol',
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
