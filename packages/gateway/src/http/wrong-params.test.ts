/** Wrong parameters of any method are -32602 with a sentence that names the field, never the dump of a schema. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Session } from '../../test/session.ts';
import { openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let session: Session;

beforeAll(async () => {
  gateway = await startGateway();
  session = await openSession({ port: gateway.port, key: gateway.ownerKey });
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const CURSOR = 'cursor: must be a string (got 5)';
const LEVELS = '"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"';

test.each<[method: string, params: Record<string, unknown>, said: string]>([
  ['initialize', { capabilities: {} }, 'protocolVersion: is required; clientInfo: is required'],
  ['tools/list', { cursor: 5 }, CURSOR],
  ['tools/call', {}, 'name: is required'],
  ['tools/call', { name: 'echo', arguments: 'x' }, 'arguments: must be an object (got "x")'],
  ['resources/list', { cursor: 5 }, CURSOR],
  ['resources/templates/list', { cursor: 5 }, CURSOR],
  ['resources/read', {}, 'uri: is required'],
  ['resources/read', { uri: 5 }, 'uri: must be a string (got 5)'],
  ['resources/subscribe', {}, 'uri: is required'],
  ['resources/unsubscribe', {}, 'uri: is required'],
  ['prompts/list', { cursor: 5 }, CURSOR],
  ['prompts/get', {}, 'name: is required'],
  ['prompts/get', { name: 'greet', arguments: { a: 5 } }, 'arguments.a: must be a string (got 5)'],
  ['completion/complete', {}, 'ref: is required; argument: is required'],
  [
    'completion/complete',
    { ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } },
    'ref: must have the name of a prompt or the uri of a resource (got an object)',
  ],
  ['logging/setLevel', { level: 'loud' }, `level: must be one of ${LEVELS} (got "loud")`],
])('%s %j', async (method, params, said) => {
  const expected = { code: -32602, message: `Invalid params for ${method}: ${said}` };
  expect((await session.request(method, params)).json.error).toEqual(expected);
  const { status, json } = await sendModern(
    { port: gateway.port, key: gateway.ownerKey },
    modern(method, params),
  );
  // 2026 has no such method, or says the same.
  expect(json.error).toEqual(status === 404 ? { code: -32601, message: 'Method not found' } : expected);
});

test('thousands of faults make a short answer', async () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field_${index}`, index]));
  const { json } = await session.request('prompts/get', { name: 'greet', arguments: many });
  expect(json.error.code).toBe(-32602);
  expect(json.error.message.length).toBeLessThanOrEqual(2000);
});
