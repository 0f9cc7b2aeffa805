/** Definitions that change behind a connection, and lists that fail: what clients see, and what brings it back. */
import { eventually } from '@parley/test-support/eventually';
import type { McpUpstream } from '@parley/test-support/mcp-upstream';
import { plainTool, startUpstream } from '@parley/test-support/mcp-upstream';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { LIST_FAULTS } from './fixtures/faults.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

let server: GatewayServer;
let upstream: McpUpstream;

const WORK = plainTool('work');
const FLIPPED = {
  ...WORK,
  inputSchema: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
};

beforeAll(async () => {
  server = await startGatewayServer();
});

afterAll(() => server[Symbol.asyncDispose]());

beforeEach(async () => {
  upstream = await startUpstream({ era: '2026', tools: [plainTool('other'), WORK] });
  return () => upstream[Symbol.asyncDispose]();
});

const connect = (pinning?: string) =>
  server.connect(
    'Trusted',
    upstream.url,
    pinning === undefined ? {} : { metadata: { gateway: { pinning } } },
  );

async function refresh(id: string) {
  const { status, json } = await server.rest(`POST connections/${id}/refresh`);
  expect(status).toBe(200);
  return json.data;
}

interface Definition {
  readonly tool: string;
  readonly state: string;
  readonly reason: string | null;
  readonly hash: string;
}

async function definition(id: string, tool: string): Promise<Definition> {
  const { json } = await server.rest(`GET connections/${id}/definitions`);
  const found = json.data.definitions.find((each: Definition) => each.tool === tool);
  expect(found, tool).toBeDefined();
  return found;
}

const approve = (id: string, tool: string, hash: string) =>
  server.rest(`POST connections/${id}/definitions/approve`, { definitions: [{ tool, hash }] });
const listed = (id: string, names: readonly string[]) =>
  eventually(async () => expect(await server.names(id)).toEqual(names));
const codeOf = async (id: string, tool: string, args = {}) => {
  const { json } = await server.call(id, tool, args);
  return json.error?.code ?? json.result._meta?.['dev.parley/code'];
};

test('check 10: strict: a flipped schema leaves the list, and comes back with the hash that was shown', async () => {
  const id = await connect();
  const first = await definition(id, 'work');
  upstream.script.tools = [plainTool('other'), FLIPPED];
  expect(await refresh(id)).toMatchObject({ held: 1 });
  await listed(id, ['other']);
  expect(await codeOf(id, 'work', { to: 'x' })).toBe('quarantined');
  expect((await server.plain(id, 'work', { to: 'x' })).status).toBe(409);
  const without = await server.keyOf('member', { [id]: ['other'] });
  const { json: hidden } = await server.call(id, 'work', {}, { key: without });
  const { json: unknown } = await server.call(id, 'nothing', {}, { key: without });
  expect(hidden.error.code).toBe(unknown.error.code);
  expect(upstream.calls).toEqual([]);

  const held = await definition(id, 'work');
  expect(held).toMatchObject({ state: 'held', reason: 'changed' });
  expect((await approve(id, 'work', first.hash)).status).toBe(409);
  await listed(id, ['other']);
  expect((await approve(id, 'work', held.hash)).status).toBe(200);
  await listed(id, ['other', 'work']);
  expect(await codeOf(id, 'work', { to: 'x' })).toBeUndefined();
  expect(upstream.calls).toEqual([{ name: 'work', arguments: { to: 'x' } }]);
});

test('check 10: flag: a flipped schema is served and marked, and told as an event', async () => {
  const id = await connect('flag');
  upstream.script.tools = [plainTool('other'), FLIPPED];
  expect(await refresh(id)).toMatchObject({ held: 0 });
  await eventually(async () => {
    const { json } = await server.ask(id, 'tools/list');
    expect(json.result.tools[1]).toMatchObject(FLIPPED);
  });
  expect(await definition(id, 'work')).toMatchObject({ state: 'changed', reason: 'changed' });
  expect(await codeOf(id, 'work', { to: 'x' })).toBeUndefined();
  const organizationId = await server.app.host.identity.firstOrganizationId();
  const { json } = await server.rest(
    `GET organizations/${organizationId}/events?types=tool.definition_changed&limit=100`,
  );
  const told = json.data.events.filter(
    ({ data }: { data: { connection_id: string } }) => data.connection_id === id,
  );
  expect(told).toMatchObject([{ data: { tool: 'work', fields: [{}, {}] } }]);
});

test('check 11 and 14: strict: a renamed tool is served nowhere until it is approved, and then wherever all are', async () => {
  const id = await connect();
  const virtual = async (selected_tools: string[] | null) => {
    const data = { title: 'Virtual', connections: [{ connection_id: id, selected_tools }] };
    const { item } = await server.manage('COLLECTION_VIRTUAL_MCP_CREATE', { data });
    return `virtual-mcp/${item.id}`;
  };
  const [all, none] = [await virtual(null), await virtual([])];
  await listed(all, ['other', 'work']);
  await listed(none, []);
  upstream.script.tools = [{ ...WORK, name: 'work_two' }, plainTool('other')];
  await refresh(id);
  await listed(id, ['other']);
  await listed(all, ['other']);
  expect(await codeOf(id, 'work_two')).toBe('quarantined');
  expect(await codeOf(all, 'work_two')).toBe('quarantined');
  expect(upstream.calls).toEqual([]);
  const { hash } = await definition(id, 'work_two');
  expect((await approve(id, 'work_two', hash)).status).toBe(200);
  await listed(id, ['other', 'work_two']);
  expect(await codeOf(id, 'work_two')).toBeUndefined();
  await listed(all, ['other', 'work_two']);
  expect(await codeOf(all, 'work_two')).toBeUndefined();
  await listed(none, []);
  expect(await codeOf(none, 'work_two')).toBe(-32602);
  expect(upstream.calls).toHaveLength(2);
});

describe('what the server calls by itself', () => {
  const ON_EVENTS = plainTool('ON_EVENTS');
  const ON_CONFIGURATION = plainTool('ON_MCP_CONFIGURATION');
  const deliveries = async () => {
    const organizationId = await server.app.host.identity.firstOrganizationId();
    const { json } = await server.rest(`GET organizations/${organizationId}/deliveries`);
    return json.data.deliveries as { lastError: string | null; status: string }[];
  };
  const publish = async (id: string, type: string) => {
    await server.manage('EVENT_SUBSCRIBE', { eventType: type, connectionId: id });
    await server.manage('EVENT_PUBLISH', { type });
  };

  test('a held tool gets no events and no configuration, and an approved one does', async () => {
    upstream.script.tools = [ON_EVENTS, ON_CONFIGURATION];
    const id = await connect();
    const changed = { description: 'Now it sends them elsewhere.' };
    upstream.script.tools = [
      { ...ON_EVENTS, ...changed },
      { ...ON_CONFIGURATION, ...changed },
    ];
    expect(await refresh(id)).toMatchObject({ held: 2 });
    await publish(id, 'trust.held');
    await eventually(async () =>
      expect((await deliveries()).map(({ lastError }) => lastError)).toContainEqual(
        expect.stringContaining('ON_EVENTS of Trusted'),
      ),
    );
    const told = { id, data: { configuration_state: { a: 1 }, configuration_scopes: [] } };
    const tell = async () =>
      JSON.stringify((await server.attempt('COLLECTION_CONNECTIONS_UPDATE', told)).json);
    expect(await tell()).toContain('"delivered":false');
    expect(upstream.calls).toEqual([]);

    for (const tool of ['ON_EVENTS', 'ON_MCP_CONFIGURATION'])
      expect((await approve(id, tool, (await definition(id, tool)).hash)).status).toBe(200);
    expect(await tell()).toContain('"delivered":true');
    await publish(id, 'trust.approved');
    await eventually(() =>
      expect(upstream.calls.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['ON_MCP_CONFIGURATION', 'ON_EVENTS']),
      ),
    );
  });

  test('a server whose breaker is open is left alone', async () => {
    upstream.script.tools = [ON_EVENTS, WORK];
    const id = await connect();
    upstream.script.fault = (_request, response) => {
      response.writeHead(500).end();
      return true;
    };
    for (let turn = 0; turn < 5; turn += 1) expect(await codeOf(id, 'work')).toBe('unavailable');
    const seen = upstream.seen.length;
    await publish(id, 'trust.broken');
    await eventually(async () =>
      expect((await deliveries()).map(({ lastError }) => lastError)).toContainEqual(
        expect.stringContaining('has failed too often'),
      ),
    );
    expect(upstream.seen).toHaveLength(seen);
  });
});

describe('a list that fails', () => {
  test.each(Object.entries(LIST_FAULTS))(
    'check 12: %s: what is known stays and is marked, and the next good answer clears it',
    async (_name, fault) => {
      const id = await connect();
      upstream.script.fault = fault;
      expect(await refresh(id)).toMatchObject({ status: 'degraded', tools: 2, catalog: { stale: true } });
      const degraded = async () =>
        (await server.ask(id, 'tools/list')).json.result._meta?.['parley/degraded'] ?? [];
      await eventually(async () => expect(await degraded()).toMatchObject([{ connectionId: id }]));
      expect(await server.names(id)).toEqual(['other', 'work']);
      expect(await codeOf(id, 'other')).toBeUndefined();
      upstream.script.fault = undefined;
      expect(await refresh(id)).toMatchObject({ status: 'active', tools: 2, catalog: { stale: false } });
      await eventually(async () => expect(await degraded()).toEqual([]));
      expect(await server.names(id)).toEqual(['other', 'work']);
    },
  );
});
