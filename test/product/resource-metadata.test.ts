/** What a client without a key learns from a 401: where it reads what the URL wants, and nothing of what there is. */
import { readFileSync } from 'node:fs';
import { scratchDatabase } from '@parley/store/testing';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

const ORIGIN = 'https://page.example';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';

async function start(...more: string[]) {
  const database = await scratchDatabase('sqlite');
  onTestFinished(() => database.remove());
  const flags = ['--port', '0', '--data', database.options.dataDir, '--log-level', 'silent', ...more];
  const app = await createApp({ config: loadConfig(flags, { env: {} }).config });
  onTestFinished(() => app.close());
  const { url, mcp } = await app.listen();
  const { origin } = new URL(url);
  return { origin, mcp, key: readFileSync(app.ownerKeyFile, 'utf8').trim() };
}

const refusalOf = async (url: string, init: RequestInit = { method: 'POST', body: '{}' }) => {
  const answer = await fetch(url, init);
  await answer.text();
  return { status: answer.status, challenge: answer.headers.get('www-authenticate') };
};

test('a 401 names the document of its very path, which says how to bring a key', async () => {
  const upstream = await serveWire({
    era: '2026',
    methods: { 'tools/list': ({ result }) => result({ tools: [], ttlMs: 0, cacheScope: 'private' }) },
  });
  const { origin, mcp, key } = await start('--allow-egress', new URL(upstream.url).host);
  const data = { id: 'conn_1', title: 'One', connection_type: 'HTTP', connection_url: upstream.url };
  await callTool({ mcp, key }, 'COLLECTION_CONNECTIONS_CREATE', { data });
  expect((await post(`${mcp}/conn_1`, key, message(1, 'tools/list'))).status).toBe(200);
  const paths = ['', '/parley', '/conn_1', '/conn_2', '/nothing', '/virtual-mcp/vir_1', `/${'x'.repeat(64)}`];
  for (const path of paths) {
    const metadata = `${origin}${WELL_KNOWN}/mcp${path}`;
    const expected = { status: 401, challenge: `Bearer realm="parley", resource_metadata="${metadata}"` };
    const wrong = { authorization: 'Bearer wrong' };
    expect(await refusalOf(`${mcp}${path}`)).toEqual(expected);
    expect(await refusalOf(`${mcp}${path}?mode=passthrough`)).toEqual(expected);
    expect(await refusalOf(`${mcp}${path}`, { headers: wrong })).toEqual(expected);
    if (path !== '') expect(await refusalOf(`${mcp}${path}/call-tool/work`)).toEqual(expected);
    const document = await fetch(metadata);
    expect([document.status, document.headers.get('content-type')]).toEqual([200, 'application/json']);
    // The same for what is there and what is not, with a key and without.
    expect(await document.json()).toEqual({
      resource: `${origin}/mcp${path}`,
      resource_name: 'Parley',
      bearer_methods_supported: ['header'],
    });
    const known = await fetch(`${metadata}?x=1`, { headers: { authorization: `Bearer ${key}` } });
    expect([known.status, (await known.text()).includes('authorization_servers')]).toEqual([200, false]);
  }
});

test('what can be no MCP URL has no document, and its refusal names none', async () => {
  const { origin, mcp } = await start();
  const odd = ['/a/b', '/virtual-mcp/a/b', '/a%2Fb', '/a"b', `/${'x'.repeat(65)}`, '/', 'x'];
  for (const path of odd) {
    expect((await refusalOf(`${mcp}${path}`)).challenge, path).toBe('Bearer realm="parley"');
    const document = await fetch(`${origin}${WELL_KNOWN}/mcp${path}`);
    expect([document.status, await document.text()], path).toEqual([
      404,
      expect.stringContaining('There is no OAuth here. Send an API key as a bearer token.'),
    ]);
  }
  for (const path of ['', '/', '/metrics', '/api/v1', '/mcp/parley/.well-known/x'])
    expect((await fetch(`${origin}${WELL_KNOWN}${path}`)).status, path).toBe(404);
  for (const method of ['POST', 'PUT', 'DELETE'])
    expect((await fetch(`${origin}${WELL_KNOWN}/mcp`, { method })).status, method).toBe(404);
  expect((await refusalOf(`${origin}/metrics`, {})).challenge).toBe('Bearer realm="parley"');
});

test('both name the public address where there is one, whatever the Host', async () => {
  const { origin } = await start('--public-url', 'https://parley.example');
  const document = await fetch(`${origin}${WELL_KNOWN}/mcp/parley`);
  expect(await document.json()).toMatchObject({ resource: 'https://parley.example/mcp/parley' });
  expect((await refusalOf(`${origin}/mcp/parley`)).challenge).toContain(
    `resource_metadata="https://parley.example${WELL_KNOWN}/mcp/parley"`,
  );
});

test('a page of a listed origin reads both, and no other page does', async () => {
  const { origin, mcp } = await start('--allow-origin', ORIGIN);
  const listed = { headers: { origin: ORIGIN } };
  const refused = await fetch(mcp, { ...listed, method: 'POST', body: '{}' });
  expect(refused.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(refused.headers.get('access-control-expose-headers')).toContain('www-authenticate');
  const asked = { 'access-control-request-headers': 'mcp-protocol-version' };
  const preflight = await fetch(`${origin}${WELL_KNOWN}/mcp`, {
    method: 'OPTIONS',
    headers: { ...listed.headers, ...asked },
  });
  expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([
    204,
    'mcp-protocol-version',
  ]);
  const document = await fetch(`${origin}${WELL_KNOWN}/mcp`, listed);
  expect([document.status, document.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
  const other = await fetch(`${origin}${WELL_KNOWN}/mcp`, { headers: { origin: 'https://evil.example' } });
  expect([other.status, other.headers.get('access-control-allow-origin')]).toEqual([403, null]);
});
