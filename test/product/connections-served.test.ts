/** Connections in the whole server: over MCP, over plain HTTP, on record, and in what operators see. */
import { readFileSync } from 'node:fs';
import type { ServedConnection } from '@parley/connections';
import { CONNECTIONS_CHANGED } from '@parley/connections';
import { createLinks } from '@parley/gateway';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { upstreamWays } from '../../apps/server/src/start/upstream-ways.ts';
import { callTool, message, post } from './mcp-messages.ts';

const SECRET = 'a-secret-of-the-upstream-1';

function connection(organizationId: string, more: Partial<ServedConnection> = {}): ServedConnection {
  const definition = { name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } };
  const made = {
    id: 'conn_1',
    organizationId,
    title: 'Echo',
    type: 'HTTP' as const,
    revision: 1,
    status: 'active' as const,
    settings: {},
    era: null,
    instructions: null,
    capabilities: { tools: {} },
    tools: [{ definition, hash: 'h', state: 'approved' as const }],
    resources: [],
    templates: [],
    prompts: [],
    skills: [],
    isKnown: true,
    degraded: null,
    ...more,
  };
  return { version: JSON.stringify(made), ...made };
}

test('a stored connection is listed, called, recorded and watched over', async () => {
  const upstream = await serveWire({
    era: '2026',
    methods: {
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
  const { config } = loadConfig(['--port', '0', '--data', dataDir, '--log-level', 'silent'], { env: {} });
  let more: Partial<ServedConnection> = {};
  const app = await createApp({
    config,
    upstreams: upstreamWays(({ egress, onFault }) => ({
      links: createLinks({ egress, info: { name: 'parley', version: '0' }, onFault }),
      load: async (organizationId) => [connection(organizationId, more)],
      credentials: (_caller, { id, organizationId }) => ({
        target: {
          id,
          organizationId,
          type: 'HTTP',
          url: upstream.url,
          token: SECRET,
          headers: {},
          program: null,
          secrets: [SECRET],
          principal: '',
          allow: ['127.0.0.1'],
          era: null,
          maxResultBytes: 1024 * 1024,
        },
      }),
    })),
  });
  try {
    const { url, mcp } = await app.listen();
    const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
    const said = '{"a":1} Bearer [secret]';
    const called = await callTool({ mcp, key }, 'echo', { a: 1 });
    expect(called.body.result?.content).toEqual([{ type: 'text', text: said }]);
    const listed = await post(`${mcp}/conn_1`, key, message(2, 'tools/list'));
    expect(listed.body.result?.tools).toMatchObject([{ name: 'echo' }]);

    const plain = await fetch(`${mcp}/conn_1/call-tool/echo`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{"a":1}',
    });
    expect(await plain.json()).toEqual({ content: [{ type: 'text', text: said }] });

    const verbose = (headers: Record<string, string>) => fetch(`${url}/ready?verbose`, { headers });
    expect((await verbose({})).status).toBe(401);
    const ready = async () => (await verbose({ authorization: `Bearer ${key}` })).json();
    expect(await ready()).toEqual({ status: 'ready', degraded: [] });
    more = { degraded: { reason: 'It did not answer.', since: '2026-01-01T00:00:00.000Z' } };
    await app.host.store.signal.publish(CONNECTIONS_CHANGED);
    const told = { connectionId: 'conn_1', title: 'Echo', ...more.degraded };
    await eventually(async () => expect(await ready()).toEqual({ status: 'ready', degraded: [told] }));
    expect(await (await fetch(`${url}/ready`)).json()).toEqual({ status: 'ready' });

    more = { status: 'inactive' };
    await app.host.store.signal.publish(CONNECTIONS_CHANGED);
    await eventually(async () => {
      const off = await fetch(`${mcp}/conn_1/call-tool/echo`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{}',
      });
      expect(off.status).toBe(503);
    });
  } finally {
    await app.close();
  }
});
