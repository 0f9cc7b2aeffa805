/** Connections in the catalog: listed word for word, replaced without a gap, and told only to who sees a difference. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import { connectionMigrations } from '@parley/connections';
import type { Change } from '@parley/kit';
import { createEngine } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { initialize, openSession } from '../../test/session.ts';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../test/scripted-links.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { createKeptResults } from '../virtual/kept-results.ts';
import { effectOf } from './toolset.ts';

const ORGANIZATION = 'org_test';
let bed: Bed;
let changes: Change[];

beforeEach(() => {
  bed = startBed();
  changes = [];
  bed.gateway.source.onChange?.((change) => changes.push(change));
});

afterEach(async () => {
  await bed[Symbol.asyncDispose]();
});

const version = () => bed.gateway.source.catalog(ORGANIZATION)?.version;
const engine = () => createEngine({ sources: [bed.gateway.source] });

test('a definition is listed word for word, and a held one by nobody', async () => {
  const definition = {
    name: 'work',
    title: 'Work',
    description: 'Works.',
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
    annotations: { readOnlyHint: true, vendor: 1 },
    _meta: { 'vendor/x': 1 },
    icons: [{ src: 'data:,' }],
  };
  bed.give(
    ORGANIZATION,
    served('conn_1', { tools: [servedTool('work', definition), servedTool('new', {}, 'held')] }),
  );
  const all = engine();
  const caller = testCaller();
  await all.ready(caller);
  expect(all.list(caller).tools.map((tool) => tool.definition)).toEqual([definition]);
  expect(all.find(caller, 'new')).toBeDefined();
  expect(all.find(testCaller({ id: 'c2', grants: { conn_1: ['work'] }, roles: [] }), 'new')).toBeUndefined();
});

test.each([
  [undefined, 'run', true],
  [{}, 'run', true],
  [{ readOnlyHint: true }, 'read', true],
  [{ readOnlyHint: 'true' }, 'run', true],
  [{ destructiveHint: false }, 'create', true],
  [{ destructiveHint: false, idempotentHint: true, openWorldHint: false }, 'update', false],
  [{ destructiveHint: true, idempotentHint: true }, 'run', true],
])('hints %j are no better than %s', (annotations, effect, external) => {
  expect(effectOf(annotations)).toEqual({ effect, external });
});

describe('a change', () => {
  const first = served('conn_1', { tools: [servedTool('a')] });

  beforeEach(async () => {
    bed.give(ORGANIZATION, first, served('conn_2'));
    await bed.gateway.source.prepare?.(ORGANIZATION);
  });

  test('that is none tells nobody and makes nothing new', async () => {
    const before = version();
    bed.give(ORGANIZATION, first, served('conn_2'));
    bed.give(ORGANIZATION, served('conn_1', { tools: [servedTool('b')] }), served('conn_2'));
    await eventually(() => expect(version()).not.toBe(before));
    expect(changes).toEqual([{ kind: 'tools', organizationId: ORGANIZATION, toolset: 'conn_1' }]);
  });

  test.each([
    ['other words of a row', { title: 'Another' }, []],
    ['a catalog that went stale', { degraded: { reason: 'timeout', since: '2026-01-01T00:00:00Z' } }, []],
    ['a tool that is held', { tools: [servedTool('a'), servedTool('b', {}, 'held')] }, []],
    ['a tool that is not served any more', { tools: [servedTool('a', {}, 'held')] }, ['tools']],
    ['a new prompt', { prompts: [{ name: 'p' }] }, ['prompts']],
    ['a new resource', { resources: [{ name: 'r', uri: 'r://1' }] }, ['resources']],
    ['being switched off', { status: 'inactive' as const }, ['tools']],
  ])('to %s', async (_name, more, kinds) => {
    const before = version();
    bed.give(ORGANIZATION, served('conn_1', { tools: [servedTool('a')], ...more }), served('conn_2'));
    await eventually(() => expect(version()).not.toBe(before));
    expect(changes.map(({ kind }) => kind)).toEqual(kinds);
  });

  test('leaves the toolsets of the others as they are', async () => {
    const toolsets = bed.gateway.source.catalog(ORGANIZATION)?.toolsets;
    bed.give(ORGANIZATION, served('conn_1'), served('conn_2'));
    await eventually(() =>
      expect(bed.gateway.source.catalog(ORGANIZATION)?.toolsets[0]).not.toBe(toolsets?.[0]),
    );
    expect(bed.gateway.source.catalog(ORGANIZATION)?.toolsets[1]).toBe(toolsets?.[1]);
  });

  test('of where it leads ends what is open to it, and so does its end', async () => {
    bed.give(ORGANIZATION, served('conn_1', { revision: 2 }), served('conn_2'));
    await eventually(() => expect(bed.forgotten).toEqual(['conn_1']));
    bed.give(ORGANIZATION, served('conn_1', { revision: 2 }));
    await eventually(() => expect(bed.forgotten).toEqual(['conn_1', 'conn_2']));
  });
});

describe('changes that were missed', () => {
  /** A process that has slept: what is stored is another, and nobody has told it. */
  async function slept() {
    const stored = { connections: [served('conn_1')], loads: 0, isBehind: false };
    const told: ((organizationId: string | undefined) => void)[] = [];
    await inPlace(
      startBed({
        isBehind: () => stored.isBehind,
        async load() {
          stored.loads += 1;
          return stored.connections;
        },
        subscribe(listener) {
          told.push(listener);
          return () => undefined;
        },
      }),
    );
    const all = engine();
    await all.ready(testCaller());
    expect(all.ready(testCaller())).toBeUndefined();
    return { stored, all, tell: (id: string | undefined) => told[0]?.(id) };
  }
  const inPlace = async (own: Bed) => {
    await bed[Symbol.asyncDispose]();
    bed = own;
  };
  const work = (all: ReturnType<typeof engine>) => all.find(testCaller(), 'work');

  test.each([
    ['deleted', []],
    ['switched off', [served('conn_1', { status: 'inactive' })]],
  ])('a connection that was %s meanwhile is called by nobody', async (_name, connections) => {
    const { stored, all } = await slept();
    stored.connections = connections;
    stored.isBehind = true;
    await all.ready(testCaller());
    expect(work(all)).toBeUndefined();
    stored.isBehind = false;
    expect(all.ready(testCaller())).toBeUndefined();
    expect(stored.loads).toBe(2);
  });

  test.each([
    ['that is told late', ORGANIZATION, true],
    ['of which only is known that there were some', undefined, false],
  ])('a change %s is read before the next request, not after it', async (_name, told, isBehind) => {
    const { stored, all, tell } = await slept();
    stored.connections = [];
    stored.isBehind = isBehind;
    tell(told);
    stored.isBehind = false;
    await all.ready(testCaller());
    expect(work(all)).toBeUndefined();
    await eventually(() => expect(all.ready(testCaller())).toBeUndefined());
  });

  test('a change that is told in time makes nobody wait', async () => {
    const { all, tell } = await slept();
    tell(ORGANIZATION);
    expect(all.ready(testCaller())).toBeUndefined();
  });
});

describe('an upstream of which nothing was ever read', () => {
  const unread = served('conn_1', { isKnown: false, tools: [] });

  test('is waited for by lists until it is known', async () => {
    bed.give(ORGANIZATION, unread);
    const all = engine();
    await all.ready(testCaller());
    const waiting = all.settled(testCaller());
    expect(waiting).toBeDefined();
    bed.give(ORGANIZATION, served('conn_1'));
    await waiting;
    expect(all.list(testCaller()).tools).toHaveLength(1);
    expect(all.settled(testCaller())).toBeUndefined();
  });

  test('is waited for once, for a time, and not at all when it failed', async () => {
    let nowMs = 0;
    await using short = startBed({ limits: { firstWaitMs: 10 }, now: () => nowMs });
    short.give(ORGANIZATION, unread);
    const all = createEngine({ sources: [short.gateway.source] });
    await all.ready(testCaller());
    await all.settled(testCaller());
    expect(all.list(testCaller()).tools).toEqual([]);
    nowMs = 2 * 60_000;
    expect(all.settled(testCaller())).toBeUndefined();
    bed.give(ORGANIZATION, served('conn_1', { isKnown: false, tools: [], status: 'error' }));
    const failed = engine();
    await failed.ready(testCaller());
    expect(failed.settled(testCaller())).toBeUndefined();
  });
});

describe('what comes to an upstream while a 2025 session is open', () => {
  const later = {
    resources: [{ name: 'r', uri: 'ui://r' }],
    prompts: [{ name: 'p' }],
    capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
  };
  const RESULTS: Record<string, Record<string, unknown>> = {
    'resources/read': { contents: [{ uri: 'ui://r', text: 'words' }] },
    'prompts/get': { messages: [] },
    'completion/complete': { completion: { values: ['one'] } },
  };

  test.each([
    ['was never read', { isKnown: false, tools: [], capabilities: {} }],
    ['had nothing of a kind that it can have', { capabilities: later.capabilities }],
  ])('is there for the session, though the upstream %s when it was opened', async (_name, before) => {
    let nowMs = 0;
    await using own = startBed({ now: () => nowMs, limits: { firstWaitMs: 1 } });
    await using gateway = await startGateway({ connections: own.gateway });
    const { organizationId } = gateway.owner;
    own.answer = ({ method }) => RESULTS[method] ?? {};
    own.give(organizationId, served('conn_1', { organizationId, ...before }));
    await own.gateway.source.prepare?.(organizationId);
    nowMs = 10;
    const session = await openSession({ port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' });
    own.give(organizationId, served('conn_1', { organizationId, ...later }));
    await eventually(() =>
      expect(own.gateway.source.find(organizationId, 'conn_1')?.prompts).toHaveLength(1),
    );
    const asked = async (method: string, params?: Record<string, unknown>) =>
      (await session.request(method, params)).json;
    expect((await asked('resources/list')).result.resources).toHaveLength(1);
    expect((await asked('resources/read', { uri: 'ui://r' })).result.contents[0].text).toBe('words');
    expect((await asked('prompts/list')).result.prompts).toHaveLength(1);
    expect((await asked('prompts/get', { name: 'p' })).result.messages).toEqual([]);
    const completing = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
    expect((await asked('completion/complete', completing)).result.completion.values).toEqual(['one']);
  });

  test('is waited for by the opening, as by lists', async () => {
    await using gateway = await startGateway({ connections: bed.gateway });
    const { organizationId } = gateway.owner;
    bed.give(organizationId, served('conn_1', { organizationId, isKnown: false, tools: [] }));
    await bed.gateway.source.prepare?.(organizationId);
    const to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
    const opening = initialize(to);
    bed.give(organizationId, served('conn_1', { organizationId, instructions: 'Use it well.' }));
    expect((await opening).text).toContain('Use it well.');
  });
});

test('what is too long for an answer is read at the address of a server without resources, in both eras', async () => {
  // Who keeps it is the engine; of it the connection only says that there may be something to read.
  const results = { within: async (_caller: unknown, result: CallToolResult) => result, documents: [] };
  await using own = startBed({ results });
  await using gateway = await startGateway({
    connections: own.gateway,
    migrations: [connectionMigrations],
    longResults: createKeptResults,
  });
  const { organizationId } = gateway.owner;
  own.answer = () => text('x'.repeat(2 * 1024 * 1024));
  own.give(organizationId, served('conn_1', { organizationId }));
  const to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
  const session = await openSession(to);
  const asking = {
    modern: async (method: string, params: Record<string, unknown>) =>
      (await sendModern(to, modern(method, params))).json.result,
    legacy: async (method: string, params: Record<string, unknown>) =>
      (await session.request(method, params)).json.result,
  };
  for (const ask of Object.values(asking)) {
    const { _meta, isError } = await ask('tools/call', { name: 'work', arguments: {} });
    expect(isError).toBeUndefined();
    const uri = `${_meta['parley/result'].uri}?from=0&to=3`;
    expect((await ask('resources/read', { uri })).contents).toEqual([
      { uri, mimeType: 'text/plain', text: 'xxx' },
    ]);
    expect((await ask('resources/templates/list', {})).resourceTemplates).toEqual([]);
  }
});

test('what was read and not told yet is found by the next list, after the time to wait for it is over', async () => {
  const stored = { connections: [served('conn_1', { isKnown: false, tools: [] })], loads: 0 };
  let nowMs = 0;
  await using own = startBed({
    now: () => nowMs,
    async load() {
      stored.loads += 1;
      return stored.connections;
    },
  });
  const all = createEngine({ sources: [own.gateway.source] });
  await all.ready(testCaller());
  nowMs = 10_000;
  stored.connections = [served('conn_1')];
  await Promise.all([all.settled(testCaller()), all.settled(testCaller())]);
  expect(all.list(testCaller()).tools).toHaveLength(1);
  expect(stored.loads).toBe(2);
});

test('a connection that another process has just made is served before the change is heard of, and a foreign one is not', async () => {
  const stored = new Map<string, ReturnType<typeof served>[]>();
  await using own = startBed({ load: async (organizationId) => stored.get(organizationId) ?? [] });
  await using gateway = await startGateway({ connections: own.gateway });
  const { organizationId } = gateway.owner;
  const to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
  expect((await sendModern(to, modern('tools/list'))).status).toBe(404);
  stored.set(organizationId, [served('conn_1', { organizationId })]);
  const stranger = { ...to, key: (await gateway.stranger('stranger')).text };
  expect((await sendModern(stranger, modern('tools/list'))).status).toBe(404);
  const { json } = await sendModern(to, modern('tools/list'));
  expect(json.result.tools).toHaveLength(1);
});

test('of two loads at once the one that began later counts', async () => {
  const loads: PromiseWithResolvers<ReturnType<typeof served>[]>[] = [];
  await using own = startBed({
    load() {
      const loading = Promise.withResolvers<ReturnType<typeof served>[]>();
      loads.push(loading);
      return loading.promise;
    },
  });
  const { source } = own.gateway;
  const both = [source.prepare?.(ORGANIZATION), source.prepare?.(ORGANIZATION)];
  loads[1]?.resolve([served('conn_new')]);
  await both[1];
  loads[0]?.resolve([served('conn_old')]);
  await both[0];
  expect(source.connectionsOf(ORGANIZATION).map(({ id }) => id)).toEqual(['conn_new']);
});

test('lists say which part of them may be out of date, to who has something of it, in both eras', async () => {
  await using gateway = await startGateway({ connections: bed.gateway });
  const { organizationId } = gateway.owner;
  const degraded = { reason: 'The server did not answer in time.', since: '2026-01-01T00:00:00.000Z' };
  const resources = [{ name: 'r', uri: 'r://1' }];
  bed.give(
    organizationId,
    served('conn_1', { organizationId, degraded, resources }),
    served('conn_2', { organizationId }),
  );
  const told = [{ connectionId: 'conn_1', title: 'Title of conn_1', ...degraded }];
  const to = { port: gateway.port, key: gateway.ownerKey };
  const other = { ...to, key: (await gateway.key({ conn_2: ['*'] })).text };
  const metaOf = async (sending: typeof to & { path?: string }, method: string) =>
    (await sendModern(sending, modern(method))).json.result._meta['parley/degraded'];
  expect(await metaOf(to, 'tools/list')).toEqual(told);
  expect(await metaOf(to, 'resources/list')).toEqual(told);
  expect(await metaOf({ ...to, path: '/mcp/conn_2' }, 'tools/list')).toBeUndefined();
  expect(await metaOf(other, 'tools/list')).toBeUndefined();
  const session = await openSession({ ...to, path: '/mcp' });
  const { json } = await session.request('tools/list');
  expect(json.result._meta['parley/degraded']).toEqual(told);
  expect(bed.gateway.source.degradedOf(organizationId)).toEqual(told);
});

test('a breaker that opened is told in lists, and no longer when it has closed', async () => {
  bed.give(ORGANIZATION, served('conn_1'));
  await bed.gateway.source.prepare?.(ORGANIZATION);
  const lane = bed.gateway.isolation.lane('conn_1');
  for (let count = 0; count < 5; count += 1) {
    await lane.enter('x', new AbortController().signal);
    lane.leave('failed');
  }
  await eventually(() =>
    expect(bed.gateway.source.degradedOf(ORGANIZATION)).toMatchObject([{ reason: 'breaker_open' }]),
  );
  bed.gateway.isolation.reset('conn_1');
  await eventually(() => expect(bed.gateway.source.degradedOf(ORGANIZATION)).toEqual([]));
  expect(changes).toEqual([]);
});

test('in strict mode a call waits for a refresh that was announced, and is refused when it changed the tool', async () => {
  const refreshing = Promise.withResolvers<void>();
  let isAnnounced = true;
  await using own = startBed({ refreshing: () => (isAnnounced ? refreshing.promise : undefined) });
  await using gateway = await startGateway({ connections: own.gateway });
  const { organizationId } = gateway.owner;
  own.give(organizationId, served('conn_1', { organizationId }));
  const to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
  const call = sendModern(to, modernCall('work', {}));
  await eventually(() => expect(own.gateway.source.find(organizationId, 'conn_1')).toBeDefined());
  own.give(
    organizationId,
    served('conn_1', { organizationId, tools: [servedTool('work', { title: 'x' }, 'held')] }),
  );
  await eventually(() =>
    expect(own.gateway.source.find(organizationId, 'conn_1')?.tools[0]?.state).toBe('held'),
  );
  isAnnounced = false;
  refreshing.resolve();
  // Whether it came before or after the change, it never reaches the upstream.
  expect((await call).json.result._meta['dev.parley/code']).toBe('quarantined');
  expect(own.sent).toEqual([]);
});

test("check 25: many clients with equal ids get nobody else's answers", async () => {
  await using gateway = await startGateway({ connections: bed.gateway });
  const { organizationId } = gateway.owner;
  bed.give(
    organizationId,
    served('conn_1', { organizationId }),
    served('conn_2', { organizationId, era: 'legacy' }),
  );
  bed.answer = async ({ params }, { id }) => {
    await new Promise(setImmediate);
    return { content: [{ type: 'text', text: JSON.stringify([id, params['arguments']]) }] };
  };
  const calls = Array.from({ length: 60 }, async (_, canary) => {
    const path = `/mcp/conn_${(canary % 2) + 1}`;
    const { json } = await sendModern(
      { port: gateway.port, key: gateway.ownerKey, path },
      modernCall('work', { canary }, { id: 7 }),
    );
    return [json.result.content[0].text, JSON.stringify([`conn_${(canary % 2) + 1}`, { canary }])];
  });
  for (const [given, expected] of await Promise.all(calls)) expect(given).toBe(expected);
});
