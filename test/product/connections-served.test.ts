/** Connections in the whole server: over MCP, over plain HTTP, on record, and in what operators see. */
import { readFileSync } from 'node:fs';
import type { ConnectionTables } from '@parley/connections';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

const SECRET = 'a-secret-of-the-upstream-1';
const ECHO = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };

test('a stored connection is listed, called, recorded and watched over', async () => {
  let isBroken = false;
  const upstream = await serveWire({
    era: '2026',
    capabilities: { tools: {} },
    fault: (_request, response) => {
      if (isBroken) response.writeHead(500).end();
      return isBroken;
    },
    methods: {
      'tools/list': ({ result }) => result({ tools: [ECHO], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': ({ message: { params }, headers, result }) =>
        result({
          content: [
            { type: 'text', text: `${JSON.stringify(params?.['arguments'])} ${headers.authorization}` },
          ],
        }),
    },
  });
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const { dataDir } = database.options;
  const flags = ['--port', '0', '--data', dataDir, '--log-level', 'silent'];
  const { config } = loadConfig([...flags, '--allow-egress', new URL(upstream.url).host], { env: {} });
  const app = await createApp({ config });
  try {
    const { url, mcp } = await app.listen();
    const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
    const made = await callTool({ mcp, key }, 'COLLECTION_CONNECTIONS_CREATE', {
      data: {
        id: 'conn_1',
        title: 'Echo',
        connection_type: 'HTTP',
        connection_url: upstream.url,
        connection_token: SECRET,
      },
    });
    expect(made.body.result?.structuredContent).toMatchObject({ item: { status: 'active' } });
    const said = '{"a":1} Bearer [secret]';
    const called = await callTool({ mcp, key }, 'echo', { a: 1 });
    expect(called.body.result?.content).toEqual([{ type: 'text', text: said }]);
    const listed = await post(`${mcp}/conn_1`, key, message(2, 'tools/list'));
    expect(listed.body.result?.tools).toMatchObject([{ name: 'echo' }]);

    const plain = (args: string) =>
      fetch(`${mcp}/conn_1/call-tool/echo`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: args,
      });
    expect(await (await plain('{"a":1}')).json()).toEqual({ content: [{ type: 'text', text: said }] });

    const verbose = (headers: Record<string, string>) => fetch(`${url}/ready?verbose`, { headers });
    expect((await verbose({})).status).toBe(401);
    const ready = async () => (await verbose({ authorization: `Bearer ${key}` })).json();
    expect(await ready()).toEqual({ status: 'ready', degraded: [] });
    isBroken = true;
    await fetch(`${url}/api/connections/conn_1/refresh`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    });
    const told = { connectionId: 'conn_1', title: 'Echo' };
    await eventually(async () => expect(await ready()).toMatchObject({ degraded: [told] }));
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'ready' });

    const off = { id: 'conn_1', data: { status: 'inactive' } };
    await callTool({ mcp, key }, 'COLLECTION_CONNECTIONS_UPDATE', off);
    await eventually(async () => expect((await plain('{}')).status).toBe(503));
  } finally {
    await app.close();
  }
});

async function startedOn(dataDir: string) {
  const flags = ['--port', '0', '--data', dataDir, '--log-level', 'silent', '--allow-egress', '127.0.0.1'];
  const app = await createApp({ config: loadConfig(flags, { env: {} }).config });
  const { url, mcp } = await app.listen();
  const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
  return { app, url, mcp, key };
}

test('the era of a server is known after a restart, and found out again when a day is over', async () => {
  const upstream = await serveWire({
    era: '2025',
    capabilities: { tools: {} },
    methods: { 'tools/list': ({ result }) => result({ tools: [ECHO] }) },
  });
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const { dataDir } = database.options;
  const asked = () => upstream.of('server/discover').length;
  const first = await startedOn(dataDir);
  const data = { id: 'conn_1', title: 'Echo', connection_type: 'HTTP', connection_url: upstream.url };
  await callTool(first, 'COLLECTION_CONNECTIONS_CREATE', { data });
  await first.app.close();
  expect(asked()).toBe(1);

  const second = await startedOn(dataDir);
  const called = async ({ mcp, key }: typeof second) =>
    (await callTool({ mcp: `${mcp}/conn_1`, key }, 'echo', { a: 1 })).body.result;
  expect(await called(second)).toMatchObject({ content: [{ type: 'text' }] });
  expect(asked()).toBe(1);
  // As it would be if the server had been down for more than a day.
  const { store } = second.app.host;
  const eras = () => store.db<ConnectionTables>().selectFrom('connection_catalogs').where('kind', '=', 'era');
  const { fetched_at: foundAt } = await eras().select('fetched_at').executeTakeFirstOrThrow();
  await store
    .db<ConnectionTables>()
    .updateTable('connection_catalogs')
    .set({ fetched_at: foundAt - 25 * 60 * 60_000 })
    .where('kind', '=', 'era')
    .execute();
  await second.app.close();

  const third = await startedOn(dataDir);
  expect(await called(third)).toMatchObject({ content: [{ type: 'text' }] });
  expect(asked()).toBe(2);
  await third.app.close();
  const last = await startedOn(dataDir);
  expect(await called(last)).toMatchObject({ content: [{ type: 'text' }] });
  expect(asked()).toBe(2);
  // Another address may be a server of another era.
  const moved = { id: 'conn_1', data: { connection_url: `${upstream.url}?moved` } };
  await callTool(last, 'COLLECTION_CONNECTIONS_UPDATE', moved);
  expect(asked()).toBe(3);
  await last.app.close();
});

test('a secret of one connection does not leave in what the server of another says', async () => {
  const answer = { text: '' };
  const upstream = await serveWire({
    era: '2026',
    capabilities: { tools: {} },
    methods: {
      'tools/list': ({ result }) => result({ tools: [ECHO], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': ({ result }) => result({ content: [{ type: 'text', text: answer.text }] }),
    },
  });
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const { app, url, mcp, key } = await startedOn(database.options.dataDir);
  onTestFinished(() => app.close());
  const make = (id: string, connection_token: string) =>
    callTool({ mcp, key }, 'COLLECTION_CONNECTIONS_CREATE', {
      data: { id, title: id, connection_type: 'HTTP', connection_url: upstream.url, connection_token },
    });
  await make('conn_files', 'the-token-of-files');
  await make('conn_mail', SECRET);
  const said = async (id: string) =>
    (await callTool({ mcp: `${mcp}/${id}`, key }, 'echo', {})).body.result?.content?.[0]?.text;
  answer.text = `MAIL_TOKEN=${SECRET}\nFILES=the-token-of-files\nOTHER=${SECRET.slice(1)}`;
  const clean = `MAIL_TOKEN=[secret]\nFILES=[secret]\nOTHER=${SECRET.slice(1)}`;
  expect(await said('conn_files')).toBe(clean);
  expect(await said('conn_mail')).toBe(clean);
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${key}` } });
  expect(await metrics.text()).toContain('\nparley_secrets_hidden_total 4\n');
});
