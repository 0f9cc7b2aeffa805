/** Connections in the whole server: over MCP, over plain HTTP, on record, and in what operators see. */
import { readFileSync } from 'node:fs';
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
