/** What the gateway gives to the engine: a lost database is told as such, whatever was asked for and in both eras. */
import { definePrompt, defineResource, defineTool, defineToolset } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';

const away = new StoreUnavailableError('lost');
const lost = () => {
  throw away;
};
const named = <const Name extends string>(name: Name) => ({ name, title: name, description: name });
const toolset = defineToolset({
  name: 'away',
  title: 'Away',
  tools: [
    defineTool({
      ...named('look'),
      effect: 'read',
      input: z.object({}),
      output: z.object({}),
      run: lost,
    }),
  ],
  resources: [defineResource({ ...named('page'), uri: 'away://page', read: lost })],
  prompts: [definePrompt({ ...named('greet'), arguments: z.object({}), get: lost })],
});

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ toolsets: [toolset] });
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const asResult = {
  result: {
    isError: true,
    content: [{ text: expect.stringContaining(away.message) }],
    _meta: { 'dev.parley/data': { retryAfterMs: 5000 } },
  },
};
const asFault = {
  error: { code: -32000, message: away.message, data: { code: 'unavailable', retryAfterMs: 5000 } },
};
const ASKED = [
  { method: 'tools/call', params: { name: 'look', arguments: {} }, told: asResult },
  { method: 'resources/read', params: { uri: 'away://page' }, told: asFault },
  { method: 'prompts/get', params: { name: 'greet', arguments: {} }, told: asFault },
];

test.each(ASKED)('$method says that the database is away, and reports no fault', async (row) => {
  const { method, params, told } = row;
  const to = { port: gateway.port, key: gateway.ownerKey };
  const session = await openSession(to);
  const stateless = await sendModern(
    to,
    method === 'tools/call' ? modernCall('look', {}) : modern(method, params),
  );
  expect([stateless.status, stateless.headers['retry-after']]).toEqual(
    method === 'tools/call' ? [200, undefined] : [503, '5'],
  );
  const answers = [stateless, await session.request(method, params)];
  for (const { json } of answers) expect(json).toMatchObject(told);
  const recorded = (await gateway.records()).filter((record) => record.method === method);
  expect(recorded.map(({ outcome, code }) => `${outcome} ${code}`)).toEqual([
    'error unavailable',
    'error unavailable',
  ]);
  expect(gateway.faults).toEqual([]);
});
