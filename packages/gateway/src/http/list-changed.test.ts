/** Who is told that a list has changed, in both eras: whoever sees another list than before, of the lists that they see change. */
import { modern, modernHeaders, sendModern } from '@parley/test-support/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { EventStream } from '../../test/event-stream.ts';
import { openStream } from '../../test/event-stream.ts';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed } from '../../test/scripted-links.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';

const MARK = 'lab://note';
const [TOOLS, RESOURCES, PROMPTS] = ['tools', 'resources', 'prompts'].map(
  (what) => `notifications/${what}/list_changed`,
);
const ALL = { toolsListChanged: true, resourcesListChanged: true, promptsListChanged: true };

let bed: Bed;
let gateway: TestGateway;
let organizationId: string;
const streams: EventStream[] = [];

beforeEach(async () => {
  bed = startBed();
  gateway = await startGateway({ connections: bed.gateway });
  ({ organizationId } = gateway.owner);
  give();
});
afterEach(async () => {
  for (const stream of streams.splice(0)) await stream.close();
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  expect(bed.faults).toEqual([]);
});

const A = { tools: [servedTool('a1'), servedTool('a2')] };
const B = {
  capabilities: { tools: {}, resources: {}, prompts: {} },
  tools: [servedTool('b1')],
  resources: [{ name: 'one', uri: 'b://1' }],
  templates: [],
  prompts: [{ name: 'p1' }],
};

/** Two connections: the first has tools and nothing else, the second has something of everything. */
function give(a: object | null = {}, b: object = {}): void {
  const first = a === null ? [] : [served('conn_a', { organizationId, ...A, ...a })];
  bed.give(organizationId, ...first, served('conn_b', { organizationId, ...B, ...b }));
}

type Listen = (key: string, path?: string) => Promise<EventStream>;
const ERAS: Record<string, Listen> = {
  async modern(key, path = '/mcp') {
    const notifications = { ...ALL, resourceSubscriptions: [MARK] };
    const message = modern('subscriptions/listen', { notifications });
    const body = JSON.stringify(message);
    const stream = await openStream({
      port: gateway.port,
      key,
      path,
      headers: modernHeaders(message),
      body,
    });
    expect((await stream.next()).method).toContain('acknowledged');
    return stream;
  },
  async legacy(key, path = '/mcp') {
    const to = { port: gateway.port, key, path };
    const session = await openSession(to);
    await session.request('resources/subscribe', { uri: MARK });
    return openStream({ ...to, method: 'GET', headers: session.headers });
  },
};

describe.each(Object.entries(ERAS))('a %s client', (_era, open) => {
  const listen: Listen = async (...to) => {
    const stream = await open(...to);
    streams.push(stream);
    return stream;
  };
  const keyed = async (grants: Record<string, string[]>) =>
    listen((await gateway.key({ lab: ['*'], ...grants })).text);

  /** All that is heard until a mark that is published now: silence before it is proved. */
  async function heard(...open: EventStream[]): Promise<string[][]> {
    gateway.changes.publish({ kind: 'resource', uri: MARK });
    return Promise.all(
      open.map(async (stream) => {
        const methods: string[] = [];
        for (;;) {
          const message = await stream.next();
          if (message === undefined) return [...methods, 'end'];
          if (message.params?.uri === MARK) return methods;
          methods.push(message.method);
        }
      }),
    );
  }

  test('hears of a tool that it sees, and of no other list of a connection that has none', async () => {
    const owner = await listen(gateway.ownerKey);
    const some = await keyed({ conn_a: ['a1'] });
    const other = await keyed({ conn_b: ['*'] });
    give({ tools: [...A.tools, servedTool('a3')] });
    expect((await owner.next()).method).toBe(TOOLS);
    expect(await heard(owner, some, other)).toEqual([[], [], []]);

    give({ tools: [servedTool('a1', { description: 'Does it otherwise.' }), A.tools[1], servedTool('a3')] });
    expect((await owner.next()).method).toBe(TOOLS);
    expect((await some.next()).method).toBe(TOOLS);
    expect(await heard(owner, some, other)).toEqual([[], [], []]);

    // A connection that goes takes its tools along, and no list besides.
    give(null);
    expect((await owner.next()).method).toBe(TOOLS);
    expect((await some.next()).method).toBe(TOOLS);
    expect(await heard(owner, some, other)).toEqual([[], [], []]);
  });

  test('hears of resources, templates and prompts, each for itself', async () => {
    const owner = await listen(gateway.ownerKey);
    const mine = await keyed({ conn_b: ['*'] });
    const other = await keyed({ conn_a: ['*'] });
    const changes: [object, string | undefined][] = [
      [{ resources: [...B.resources, { name: 'two', uri: 'b://2' }] }, RESOURCES],
      [{ templates: [{ name: 'pages', uriTemplate: 'b://pages/{id}' }] }, RESOURCES],
      [{ prompts: [{ name: 'p1', description: 'Another.' }] }, PROMPTS],
    ];
    const now = {};
    for (const [change, method] of changes) {
      give({}, Object.assign(now, change));
      expect((await mine.next()).method).toBe(method);
      expect((await owner.next()).method).toBe(method);
      expect(await heard(owner, mine, other)).toEqual([[], [], []]);
    }
  });

  test('hears nothing of a change that it does not see: new keys, what is told without reason, other URLs', async () => {
    const owner = await listen(gateway.ownerKey);
    const atB = await listen(gateway.ownerKey, '/mcp/conn_b');
    await gateway.key({ lab: ['*'] });
    for (const kind of ['tools', 'resources', 'prompts'] as const) {
      gateway.changes.publish({ kind });
      gateway.changes.publish({ kind, organizationId, toolset: 'conn_b' });
    }
    expect(await heard(owner)).toEqual([[]]);
    give({ tools: [] });
    expect((await owner.next()).method).toBe(TOOLS);
    give({ tools: [] }, { tools: [] });
    // The first that it hears is of its own connection.
    expect((await atB.next()).method).toBe(TOOLS);
  });

  test('hears of rights that are others', async () => {
    const { owner, identity } = gateway;
    const userId = await identity.createUser({ name: 'Mia', email: null });
    const wide = { lab: ['*'], conn_a: ['a1', 'a2'] };
    await identity.roles.save(owner, { name: 'reader', grants: wide });
    await identity.addMember(owner, { userId, roles: ['reader'] });
    const mia = { ...owner, userId, roles: ['reader'], grants: wide };
    const { text: key } = await gateway.key(wide, { maker: mia });
    const stream = await listen(key);
    await identity.roles.save(owner, { name: 'other', grants: wide });
    await identity.setRoles(owner, { userId, roles: ['other'] });
    await identity.roles.save(owner, { name: 'other', grants: { lab: ['*'], conn_a: ['a1'] } });
    // Of two roles with the same grants nothing is told.
    expect((await stream.next()).method).toBe(TOOLS);
    expect(await heard(stream)).toEqual([[]]);
  });

  test('hears of a name that is another because of a connection that it does not see', async () => {
    const { text: key } = await gateway.key({ lab: ['*'], conn_b: ['*'] });
    const names = async () => {
      const { json } = await sendModern({ port: gateway.port, key }, modern('tools/list'));
      return (json.result.tools as { name: string }[]).map(({ name }) => name);
    };
    const [same, own] = [{ tools: [servedTool('same')] }, { tools: [servedTool('same')] }];
    give(same, own);
    await expect.poll(names).not.toContain('b1');
    const before = await names();
    const stream = await listen(key);
    give({ tools: [] }, own);
    expect((await stream.next()).method).toBe(TOOLS);
    expect(await names()).not.toEqual(before);
    expect(await names()).toContain('same');
  });
});
