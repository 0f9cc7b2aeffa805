/** The one header that a connection may ask for, in both eras, and who comes with a call-back token. */
import { defineOutsideTool, defineToolset } from '@parley/kit';
import { scriptedSource } from '@parley/kit/testing';
import type { Sending } from '@parley/test-support/wire';
import { modernCall, modern, sendModern } from '@parley/test-support/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { initialize, LEGACY } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { send } from '@parley/test-support/wire';

let gateway: TestGateway;
const NAMES = ['X-My-Key', 'Authorization', 'Cookie', 'X-Parley-Client', 'Mcp-Method', 'Accept'];

const reader = defineToolset({
  name: 'conn_reader',
  title: 'Reader',
  tools: [
    defineOutsideTool({
      name: 'read_headers',
      title: 'Read headers',
      description: 'Reads headers.',
      effect: 'read',
      inputSchema: { type: 'object' },
      call: (_args, call) => {
        const read = NAMES.map((name) => `${name}=${call.header(name) ?? 'nothing'}`);
        return { content: [{ type: 'text', text: read.join(';') }] };
      },
    }),
  ],
});

beforeAll(async () => {
  const source = scriptedSource('connections');
  gateway = await startGateway({ sources: [source] });
  source.give(gateway.owner.organizationId, reader);
});
afterAll(() => gateway[Symbol.asyncDispose]());

const HEADERS = { 'x-my-key': 'key-of-mine', cookie: 'a=b', 'x-parley-client': 'me' };

const WAYS: Record<string, (to: Omit<Sending, 'body'>) => Promise<string>> = {
  'on the hot path': async (to) => (await sendModern(to, modernCall('read_headers', {}))).text,
  'through the SDK': async (to) =>
    (await sendModern(to, modernCall('read_headers', {}, { meta: { progressToken: 1 } }))).text,
  async 'on a 2025 session'(to) {
    const opened = await initialize(to);
    const session = {
      ...to.headers,
      'mcp-session-id': String(opened.headers['mcp-session-id']),
      'mcp-protocol-version': LEGACY,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const params = { name: 'read_headers', arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
    return (await send({ ...to, headers: session, body })).text;
  },
};

test.each(Object.entries(WAYS))('a header is read %s, and none of Parley itself', async (_way, ask) => {
  const text = await ask({ port: gateway.port, key: gateway.ownerKey, headers: HEADERS });
  expect(text).toContain(
    'X-My-Key=key-of-mine;Authorization=nothing;Cookie=nothing;X-Parley-Client=nothing;Mcp-Method=nothing',
  );
  await gateway.store.records.flush();
  const records = await gateway.records();
  expect(JSON.stringify(records)).not.toContain('key-of-mine');
  // What it calls itself is kept, for the record alone.
  expect(records.at(-1)).toMatchObject({ client: 'me', callerId: gateway.owner.id });
});

test('a call-back token is a bearer that has what it was made for, and nothing else', async () => {
  const { identity, owner, port } = gateway;
  const key = identity.callTokenFor(owner, 'conn_reader', { conn_reader: ['read_headers'] }) ?? '';
  const listed = await sendModern({ port, key }, modern('tools/list'));
  const names = (listed.json.result.tools as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(['read_headers']);
  const bent = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  expect((await sendModern({ port, key: bent }, modern('tools/list'))).status).toBe(401);
  const ofAgent = { id: 'a', name: 'A', depth: 1, source: 'agent' };
  expect(identity.callTokenFor({ ...owner, agent: ofAgent }, 'conn_reader', {})).toBeUndefined();
});
