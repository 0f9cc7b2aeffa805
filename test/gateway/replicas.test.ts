/** Two replicas on one database and a client of 2026 that never knows which one it meets. */
import { join } from 'node:path';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { serveWire } from '@parley/test-support/wire-upstream';
import { expect, onTestFinished, test } from 'vitest';
import { openListens } from './fixtures/listens.ts';
import type { GatewayServer } from './fixtures/server.ts';
import { startGatewayServer } from './fixtures/server.ts';

const question = { message: 'Name?', requestedSchema: { type: 'object', properties: {} } };
const text = (value: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
const name = { action: 'accept', content: { name: 'Ada' } };

async function startReplicas(): Promise<[GatewayServer, GatewayServer]> {
  const database = await scratchDatabase('postgres');
  onTestFinished(() => database.remove());
  const { dataDir, databaseUrl = '' } = database.options;
  const flags = ['--allow-egress', '127.0.0.1', '--database-url', databaseUrl];
  const env = { PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url') };
  const one = await startGatewayServer({ flags, env, data: join(dataDir, 'one') });
  onTestFinished(() => one[Symbol.asyncDispose]());
  const two = await startGatewayServer({ flags, env, data: join(dataDir, 'two'), key: one.key });
  onTestFinished(() => two[Symbol.asyncDispose]());
  return [one, two];
}

test('check 34: list, call, a question and its answer, and listening work through either', async () => {
  const [one, two] = await startReplicas();
  const { listen, tell, uris } = openListens();
  const upstream = await serveWire({
    era: '2026',
    capabilities: { tools: {}, resources: { subscribe: true } },
    methods: {
      'tools/list': ({ result }) =>
        result({
          tools: ['ask', 'echo'].map((each) => ({ name: each, inputSchema: { type: 'object' } })),
          ttlMs: 0,
        }),
      'resources/list': ({ result }) => result({ resources: [{ name: 'a', uri: 'doc://a' }], ttlMs: 0 }),
      'resources/templates/list': ({ result }) => result({ resourceTemplates: [], ttlMs: 0 }),
      'tools/call': ({ message: { params }, result }) => {
        if (params?.['name'] === 'echo') return result(text(params['arguments']));
        const heard = params?.['inputResponses'];
        if (heard !== undefined) return result(text(heard));
        const inputRequests = { name: { method: 'elicitation/create', params: question } };
        return result({ resultType: 'input_required', inputRequests, requestState: 'mine' });
      },
      'subscriptions/listen': listen,
    },
  });
  const id = await one.connect('Upstream', upstream.url);
  const capabilities = { elicitation: {} };
  for (const [first, second] of [
    [one, two],
    [two, one],
  ] as const) {
    await eventually(async () => expect(await first.names(id)).toEqual(['ask', 'echo']));
    expect((await first.call(id, 'echo', { a: 1 })).json.result).toMatchObject(text({ a: 1 }));
    const { result: asked } = (await first.call(id, 'ask', {}, { capabilities })).json;
    expect(asked).toMatchObject({ resultType: 'input_required', inputRequests: { name: {} } });
    const retry = {
      name: 'ask',
      arguments: {},
      requestState: asked.requestState,
      inputResponses: { name },
    };
    const given = await second.ask(id, 'tools/call', retry, { capabilities });
    expect(given.json.result, given.text).toMatchObject(text({ name }));
    // What was used is used up, wherever it comes back.
    const calls = upstream.of('tools/call').length;
    for (const at of [first, second])
      expect((await at.ask(id, 'tools/call', retry, { capabilities })).json.error?.code).toBe(-32602);
    expect(upstream.of('tools/call')).toHaveLength(calls);
  }
  const streams = [
    await one.listen(id, { resourceSubscriptions: ['doc://a'] }),
    await two.listen(id, { resourceSubscriptions: ['doc://a'] }),
  ];
  await eventually(() => expect(uris()).toEqual([['doc://a'], ['doc://a']]));
  // One stream for each, that names the document from the beginning.
  expect(upstream.of('subscriptions/listen')).toHaveLength(2);
  tell('notifications/resources/updated', { uri: 'doc://a' });
  for (const stream of streams) expect(await stream.next()).toMatchObject({ params: { uri: 'doc://a' } });
  // A change that is made through one is there through the other.
  await one.manage('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'inactive' } });
  await eventually(async () => expect((await two.call(id, 'echo')).status).toBe(503));
});
