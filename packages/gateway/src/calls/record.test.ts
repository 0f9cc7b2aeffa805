/** Every call and every denial is on record: who, what, when, how it ended, by which client, in which era. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { LEGACY, openSession } from '../../test/session.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

const client = { 'io.modelcontextprotocol/clientInfo': { name: 'recorder', version: '1' } };

/** A fresh key, and what is on record for it. */
async function callerWithRecords() {
  const { text: key, id } = await gateway.key({ lab: ['*'] });
  const to = { port: gateway.port, key };
  const records = async () => (await gateway.records()).filter(({ callerId }) => callerId === id);
  return { to, records, id };
}

test('a call is recorded whole', async () => {
  const { to, records, id } = await callerWithRecords();
  const before = Date.now();
  await sendModern(to, modernCall('echo', { text: 'a secret text' }, { id: 'req-1', meta: client }));
  const [record, ...others] = await records();
  expect(others).toEqual([]);
  expect(record).toEqual({
    id: expect.any(Number),
    at: expect.any(Number),
    organizationId: gateway.owner.organizationId,
    callerId: id,
    userId: gateway.owner.userId,
    source: 'key',
    toolset: 'lab',
    tool: 'echo',
    method: 'tools/call',
    effect: 'read',
    outcome: 'ok',
    code: null,
    durationUs: expect.any(Number),
    era: 'modern',
    client: 'recorder',
    requestId: 'req-1',
    virtualMcpId: null,
  });
  expect(record?.at).toBeGreaterThanOrEqual(before);
  expect(JSON.stringify(record)).not.toContain('secret');
});

test('each way a call ends has its outcome and its code', async () => {
  const { to, records } = await callerWithRecords();
  const calls = [
    modernCall('fail', {}),
    modernCall('echo', { text: 7 }),
    modernCall('broken', {}),
    modernCall('explode', {}),
    modernCall('ask', { topic: 'tea' }),
    modernCall('ask', { topic: 'tea' }, { capabilities: { elicitation: {} } }),
    modernCall('absent', {}),
    modernCall('echo', { text: 'hi' }, { meta: { progressToken: 1 } }),
    modern('resources/read', { uri: 'lab://note' }),
    modern('resources/read', { uri: 'vault://secret' }),
    modern('prompts/get', { name: 'greet', arguments: { name: 'Ada' } }),
    modern('prompts/get', { name: 'absent' }),
  ];
  for (const call of calls) await sendModern(to, call);
  const seen = (await records()).map(({ method, tool, outcome, code }) => [method, tool, outcome, code]);
  expect(seen).toEqual([
    ['tools/call', 'fail', 'error', 'too_late'],
    ['tools/call', 'echo', 'error', 'invalid'],
    ['tools/call', 'broken', 'error', 'invalid_output'],
    ['tools/call', 'explode', 'error', 'internal'],
    ['tools/call', 'ask', 'error', '-32021'],
    ['tools/call', 'ask', 'ok', 'input_required'],
    ['tools/call', 'absent', 'denied', 'unknown'],
    ['tools/call', 'echo', 'ok', null],
    ['resources/read', 'lab://note', 'ok', null],
    ['resources/read', 'vault://secret', 'denied', 'no_grant'],
    ['prompts/get', 'greet', 'ok', null],
    ['prompts/get', 'absent', 'denied', 'unknown'],
  ]);
});

test('a call in a 2025 session names the revision that was agreed on and the client of the session', async () => {
  const { to, records } = await callerWithRecords();
  const session = await openSession(to);
  await session.request('tools/call', { name: 'echo', arguments: { text: 'hi' } }, 'legacy-1');
  await session.request('tools/call', { name: 'absent', arguments: {} }, 'legacy-2');
  const seen = (await records()).map(({ era, client: name, requestId, outcome }) => ({
    era,
    name,
    requestId,
    outcome,
  }));
  expect(seen).toEqual([
    { era: LEGACY, name: 'session-test', requestId: 'legacy-1', outcome: 'ok' },
    { era: LEGACY, name: 'session-test', requestId: 'legacy-2', outcome: 'denied' },
  ]);
});

test('lists, refusals and mismatches run nothing and leave no record', async () => {
  const { to, records } = await callerWithRecords();
  await sendModern(to, modern('tools/list'));
  await sendModern({ ...to, headers: { 'mcp-name': 'other' } }, modernCall('echo', { text: 'hi' }));
  expect(await records()).toEqual([]);
});

test('one organization never sees the records of another', async () => {
  const stranger = await gateway.stranger('other');
  await sendModern({ port: gateway.port, key: stranger.text }, modernCall('echo', { text: 'hi' }));
  const theirs = await gateway.records(stranger.caller.organizationId);
  expect(theirs.map(({ callerId }) => callerId)).toEqual([stranger.caller.id]);
  expect((await gateway.records()).some(({ callerId }) => callerId === stranger.caller.id)).toBe(false);
});

test('a very long name does not fill the record', async () => {
  const { to, records } = await callerWithRecords();
  await sendModern(to, modernCall('x'.repeat(5000), {}));
  expect((await records())[0]?.tool).toHaveLength(200);
});
