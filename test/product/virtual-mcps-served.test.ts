/** Virtual MCPs in the whole server: over MCP in their modes, over plain HTTP, on record, and for keys that are bound to one. */
import { readFileSync } from 'node:fs';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

const definition = (name: string) => ({ name, inputSchema: { type: 'object' } });

async function serveEcho() {
  const upstream = await serveWire({
    era: '2026',
    capabilities: { tools: {} },
    methods: {
      'tools/list': ({ result }) =>
        result({ tools: ['echo', 'other'].map(definition), ttlMs: 0, cacheScope: 'private' }),
      'tools/call': ({ message: { params }, result }) =>
        result({ content: [{ type: 'text', text: JSON.stringify(params?.['arguments']) }] }),
    },
  });
  const database = await scratchDatabase('sqlite');
  const { dataDir } = database.options;
  const options = ['--port', '0', '--data', dataDir, '--log-level', 'silent', '--allow-egress', '127.0.0.1'];
  const { config } = loadConfig(options, { env: {} });
  const app = await createApp({ config });
  onTestFinished(async () => {
    await app.close();
    await database.remove();
  });
  const { mcp } = await app.listen();
  const key = readFileSync(app.ownerKeyFile, 'utf8').trim();
  const manage = async (name: string, args: Record<string, unknown>) => {
    const { body, text } = await callTool({ mcp: `${mcp}/self`, key }, name, args);
    return body.result?.structuredContent ?? expect.fail(text);
  };
  const create = async (name: string, data: object) => {
    const { item } = await manage(name, { data });
    return (item as { id: string }).id;
  };
  const metadata = { gateway: { resultBudget: 1000 } };
  const connection = {
    id: 'conn_1',
    title: 'Echo',
    connection_type: 'HTTP',
    connection_url: upstream.url,
    metadata,
  };
  await create('COLLECTION_CONNECTIONS_CREATE', connection);
  return { mcp, key, manage, create };
}

test('a virtual MCP is made, called in every way, and on record', async () => {
  const { mcp, key, manage, create } = await serveEcho();
  const data = { title: 'Mine', connections: [{ connection_id: 'conn_1', selected_tools: ['echo'] }] };
  const id = await create('COLLECTION_VIRTUAL_MCP_CREATE', data);
  const code = 'export default async (tools, args) => ({ said: await tools.echo(args) })';
  const tool = { name: 'twice', inputSchema: { type: 'object' }, code };
  await manage('COLLECTION_VIRTUAL_TOOLS_CREATE', { virtual_mcp_id: id, data: tool });

  const at = `${mcp}/virtual-mcp/${id}`;
  const names = async (place: string) =>
    (await post(place, key, message(1, 'tools/list'))).body.result?.tools?.map(({ name }) => name);
  expect(await names(at)).toEqual(['echo', 'twice']);
  expect(await names(`${at}?mode=smart_tool_selection`)).toHaveLength(3);
  const called = async (place: string, name: string, args: object) =>
    (await callTool({ mcp: place, key }, name, { ...args })).body.result;
  expect(await called(at, 'twice', { a: 1 })).toMatchObject({ structuredContent: { said: { a: 1 } } });
  const smart = `${at}?mode=smart_tool_selection`;
  const byName = { name: 'echo', arguments: { b: 2 } };
  expect(await called(smart, 'GATEWAY_CALL_TOOL', byName)).toMatchObject({ content: [{ text: '{"b":2}' }] });
  expect(await called(smart, 'GATEWAY_CALL_TOOL', { name: 'other' })).toMatchObject({ isError: true });
  const plain = await fetch(`${at}/call-tool/echo`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"c":3}',
  });
  expect(await plain.json()).toEqual({ content: [{ type: 'text', text: '{"c":3}' }] });
  expect(
    (
      await fetch(`${mcp}/virtual-mcp/vir_none`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
      })
    ).status,
  ).toBe(404);

  // Records are written after the answer.
  await eventually(async () => {
    const { logs } = await manage('MONITORING_LOGS_LIST', { virtualMcpId: id });
    const rows = logs as {
      connectionId: string;
      connectionTitle: string;
      toolName: string;
      isError: boolean;
    }[];
    const seen = rows.map(
      ({ connectionId, connectionTitle, toolName, isError }) =>
        `${connectionId} ${connectionTitle} ${toolName} ${isError}`,
    );
    expect(seen).toEqual(expect.arrayContaining(['conn_1 Echo echo false', `${id} Mine twice false`]));
    expect(rows.map(({ toolName }) => toolName)).not.toContain('GATEWAY_CALL_TOOL');
  });

  const long = await called(`${mcp}/conn_1`, 'echo', { text: 'x'.repeat(3000) });
  const { uri } = (long?._meta ?? {})['parley/result'] as { uri: string };
  for (const place of [`${mcp}/conn_1`, mcp, at]) {
    const read = await post(place, key, message(5, 'resources/read', { uri: `${uri}?from=0&to=9` }));
    expect([place, read.body.result]).toMatchObject([place, { contents: [{ text: '{"text":"' }] }]);
  }
  // The budget is of the connection, and code has all of what it answers.
  expect(await called(at, 'twice', { text: 'x'.repeat(3000) })).toMatchObject({
    structuredContent: { said: { text: 'x'.repeat(3000) } },
  });
});

test('whoever keeps a virtual MCP sees its names and costs, and tries a tool before it is stored', async () => {
  const { mcp, key, manage, create } = await serveEcho();
  const member = { connection_id: 'conn_1', selected_tools: ['echo'], prefix: 'ev_' };
  const id = await create('COLLECTION_VIRTUAL_MCP_CREATE', { title: 'Mine', connections: [member] });
  const code = 'export default async (tools, args) => tools.ev_echo(args)';
  const stored = { name: 'stored', inputSchema: { type: 'object' }, code };
  await manage('COLLECTION_VIRTUAL_TOOLS_CREATE', { virtual_mcp_id: id, data: stored });
  const api = mcp.replace(/\/mcp$/, `/api/virtual-mcps/${id}`);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const dataOf = async (answer: Response) => (await answer.json()).data;

  const told = await dataOf(await fetch(`${api}/tools`, { headers }));
  const connection = { id: 'conn_1', title: 'Echo' };
  expect(told.shown).toMatchObject([
    { name: 'stored', connection: null, effect: 'run' },
    { name: 'ev_echo', upstreamName: 'echo', connection, tokens: expect.any(Number) },
  ]);
  expect(told.modes).toMatchObject([
    { mode: 'passthrough', tools: 2 },
    { mode: 'smart_tool_selection', tools: 3 },
    { mode: 'code_execution', tools: 3 },
  ]);

  const tried = async (draft: object) =>
    dataOf(
      await fetch(`${api}/try`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ inputSchema: { type: 'object' }, ...draft }),
      }),
    );
  const asked = `export default async (tools, args) => { console.log('hm', args.a); return { said: await tools.ev_echo(args) }; }`;
  expect(await tried({ code: asked, arguments: { a: 1 } })).toMatchObject({
    returnValue: { said: { a: 1 } },
    error: null,
    consoleLogs: [{ type: 'log', content: 'hm 1' }],
  });
  for (const [draft, fault] of [
    [{ code: 'export default (tools) => tools.stored({})' }, 'not_found'],
    [{ code: 'export default 3' }, 'invalid'],
    [{ code, inputSchema: { type: 'object', required: ['a'] } }, 'invalid'],
    [{ code: 'export default () => 3', outputSchema: { type: 'object' } }, 'invalid_result'],
  ] as const)
    expect([fault, (await tried(draft)).error]).toMatchObject([fault, { code: fault }]);
  const nobody = await fetch(api.replace(id, 'vir_none').concat('/try'), {
    method: 'POST',
    headers,
    body: JSON.stringify({ code, inputSchema: {} }),
  });
  expect(nobody.status).toBe(404);
});

test('code of a key that is bound to a virtual MCP has its tools alone', async () => {
  const { mcp, manage, create } = await serveEcho();
  const data = { title: 'Mine', connections: [{ connection_id: 'conn_1', selected_tools: ['other'] }] };
  const id = await create('COLLECTION_VIRTUAL_MCP_CREATE', data);
  const permissions = { self: ['CODE_EXECUTION_SEARCH_TOOLS'], conn_1: ['*'] };
  const made = await manage('API_KEY_CREATE', { name: 'Bound', permissions, connectionId: id });
  const found = await callTool(
    { mcp: `${mcp}/self`, key: String(made['key']) },
    'CODE_EXECUTION_SEARCH_TOOLS',
    {
      query: '',
    },
  );
  expect(found.body.result?.structuredContent).toMatchObject({
    results: [{ name: 'other', connection: 'Echo' }],
    totalAvailable: 1,
  });
});

test('a virtual MCP is what it was last made, whatever was asked for before', async () => {
  const { mcp, key, manage, create } = await serveEcho();
  const names = async (place: string) => {
    const { status, body } = await post(place, key, message(1, 'tools/list'));
    return status === 200 ? body.result?.tools?.map(({ name }) => name) : status;
  };
  // Looks the virtual MCPs up, so that they are remembered.
  expect(await names(`${mcp}/nosuch`)).toBe(404);
  const id = await create('COLLECTION_VIRTUAL_MCP_CREATE', {
    title: 'Mine',
    connections: [{ connection_id: 'conn_1' }],
  });
  expect(await names(`${mcp}/virtual-mcp/${id}`)).toEqual(['echo', 'other']);
  const connections = [{ connection_id: 'conn_1', selected_tools: ['echo'] }];
  await manage('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data: { connections } });
  expect(await names(`${mcp}/virtual-mcp/${id}`)).toEqual(['echo']);
});
