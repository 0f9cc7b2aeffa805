/** Sources that organizations have of their own, over HTTP in both eras: each sees its own, at once, and nothing else. */
import type { Source } from '@parley/kit';
import { defineOutsideTool, defineToolset } from '@parley/kit';
import { scriptedSource } from '@parley/kit/testing';
import type { ScriptedSource } from '@parley/kit/testing';
import { StoreUnavailableError } from '@parley/store';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStream } from '../../test/event-stream.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { Sending } from '@parley/test-support/wire';
import { modern, modernCall, modernHeaders, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let source: ScriptedSource;
/** Two owners with equal grants. */
let sides: { own: string; organizationId: string; to: { port: number; key: string } }[];

const setOf = (own: string, tool = `only_${own}`) =>
  defineToolset({
    name: `conn_${own}`,
    title: own,
    tools: [tool, 'echo'].map((name) =>
      defineOutsideTool({
        name,
        title: name,
        description: name,
        effect: 'read',
        inputSchema: { type: 'object' },
        call: () => ({ content: [{ type: 'text', text: `from ${own}` }] }),
      }),
    ),
  });

beforeEach(async () => {
  source = scriptedSource('connections');
  gateway = await startGateway({ sources: [source] });
  const stranger = await gateway.stranger('stranger');
  const { port, ownerKey, owner } = gateway;
  sides = [
    { own: 'a', organizationId: owner.organizationId, to: { port, key: ownerKey } },
    { own: 'b', organizationId: stranger.caller.organizationId, to: { port, key: stranger.text } },
  ];
  for (const { own, organizationId } of sides) source.give(organizationId, setOf(own));
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
});

type Ask = (to: Omit<Sending, 'body'>, method: string, params: Record<string, unknown>) => Promise<string>;
const WAYS: readonly { way: string; ask: Ask }[] = [
  {
    way: 'on the hot path',
    ask: async (to, method, params) => (await sendModern(to, modern(method, params))).text,
  },
  {
    way: 'through the SDK',
    ask: async (to, method, params) =>
      (await sendModern(to, modern(method, params, { meta: { progressToken: 1 } }))).text,
  },
  {
    way: 'on a 2025 session',
    async ask({ port, key = '', path }, method, params) {
      const session = await openSession({ port, key, ...(path !== undefined && { path }) });
      return (await session.request(method, params)).text;
    },
  },
];

describe.each(WAYS)('$way', ({ ask }) => {
  test('each organization lists and calls what is its own, and the other is not there', async () => {
    // Twice, so that the second look is one at what is remembered.
    for (const { own, to } of [...sides, ...sides]) {
      const foreign = own === 'a' ? 'b' : 'a';
      const listed = await ask(to, 'tools/list', {});
      expect(listed).toContain(`"only_${own}"`);
      expect(listed).not.toContain(`_${foreign}`);
      // The lab has a tool `echo` of its own, which keeps the name.
      expect(listed).toContain(`"conn_${own}_echo"`);
      const call = (name: string) => ask(to, 'tools/call', { name, arguments: {} });
      expect(await call(`only_${own}`)).toContain(`from ${own}`);
      expect(await call(`conn_${own}_echo`)).toContain(`from ${own}`);
      expect(await call(`only_${foreign}`)).toContain(`Unknown tool: only_${foreign}`);
    }
  });

  test('the URL of a source serves its organization, with bare names', async () => {
    for (const { own, to } of sides) {
      const listed = await ask({ ...to, path: `/mcp/conn_${own}` }, 'tools/list', {});
      expect([...listed.matchAll(/"name":"(\w+)"/g)].map(([, name]) => name)).toEqual([
        'echo',
        `only_${own}`,
      ]);
    }
  });
});

test('the URL of a foreign source answers like one that nobody serves, and one that is gone too', async () => {
  const at = async (to: { port: number; key: string }, name: string) => {
    const { status, text } = await sendModern({ ...to, path: `/mcp/${name}` }, modern('tools/list'));
    return `${status} ${text}`;
  };
  const [a, b] = sides;
  const nobody = await at(a!.to, 'conn_c');
  expect(nobody).toContain('404');
  expect(await at(a!.to, 'conn_b')).toBe(nobody);
  expect(await at(b!.to, 'conn_b')).toContain('only_b');
  source.give(b!.organizationId);
  expect(await at(b!.to, 'conn_b')).toBe(nobody);
});

test('a change is told to its organization alone, and served by the next request', async () => {
  const [a, b] = sides;
  const listen = ({ to }: (typeof sides)[number]) => {
    const notifications = { toolsListChanged: true };
    const message = modern('subscriptions/listen', { notifications }, { id: 'sub' });
    return openStream({ ...to, headers: modernHeaders(message), body: JSON.stringify(message) });
  };
  const streams = await Promise.all([listen(a!), listen(b!)]);
  for (const stream of streams) await stream.next();
  source.give(a!.organizationId, setOf('a', 'newer'));
  expect(await streams[0].next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  const call = modernCall('newer', {});
  expect((await sendModern(a!.to, call)).text).toContain('from a');
  expect((await sendModern(b!.to, call)).text).toContain('Unknown tool');
  // The first notice that the other one gets is its own.
  source.tell({ kind: 'prompts', organizationId: b!.organizationId });
  source.give(b!.organizationId, setOf('b', 'later'));
  expect(await streams[1].next()).toMatchObject({ method: 'notifications/tools/list_changed' });
  expect((await sendModern(b!.to, modernCall('later', {}))).text).toContain('from b');
});

test('a source that cannot be loaded refuses the request with 503, and the next one is served', async () => {
  let isAway = true;
  const away: Source = {
    ...source,
    async prepare(organizationId) {
      if (isAway) throw new StoreUnavailableError('busy');
      await source.prepare?.(organizationId);
    },
  };
  await using another = await startGateway({ sources: [away] });
  source.give(another.owner.organizationId, setOf('a'));
  const list = () => sendModern({ port: another.port, key: another.ownerKey }, modern('tools/list'));
  const refused = await Promise.all([list(), list()]);
  expect(refused.map(({ status }) => status)).toEqual([503, 503]);
  isAway = false;
  expect((await list()).text).toContain('only_a');
  expect(another.faults).toEqual([]);
});
