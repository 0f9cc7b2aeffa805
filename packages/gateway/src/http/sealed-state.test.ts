/** `requestState` is hostile input: whatever was changed about it or around it, the answer is the same -32602. */
import { randomBytes } from 'node:crypto';
import { createStateSealer } from '@parley/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import { modern, modernCall, sendModern } from '@parley/test-support/wire';

let gateway: TestGateway;
let to: { port: number; key: string };
let now = Date.now();
const capabilities = { elicitation: {} };
const REFUSED = {
  code: -32602,
  message: 'Invalid or expired requestState',
  data: { reason: 'invalid_request_state' },
};

beforeAll(async () => {
  gateway = await startGateway({ sealer: createStateSealer([randomBytes(32)], () => now) });
  to = { port: gateway.port, key: gateway.ownerKey };
});

afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
});

beforeEach(() => {
  gateway.lab.steps = 0;
});

interface Retry {
  readonly name?: string;
  readonly topic?: string;
  readonly key?: string;
  readonly answer?: unknown;
}

/** Opens a round and answers its state. */
async function ask(topic = 'tea', key = to.key): Promise<string> {
  const { json } = await sendModern({ ...to, key }, modernCall('ask', { topic }, { capabilities }));
  expect(json.result.resultType).toBe('input_required');
  expect(json.result).not.toHaveProperty('ttlMs');
  return json.result.requestState;
}

/** Repeats the request with a state. */
function retry(requestState: unknown, { name = 'ask', topic = 'tea', key = to.key, answer }: Retry = {}) {
  const inputResponses = { who: answer ?? { action: 'accept', content: { name: 'Ada' } } };
  const args = name === 'ask' ? { topic } : { text: topic };
  return sendModern(
    { ...to, key },
    modern('tools/call', { name, arguments: args, requestState, inputResponses }, { id: 2, capabilities }),
  );
}

test('the state with the answer finishes the call, and its step ran once', async () => {
  const { json } = await retry(await ask());
  expect(json.result).toMatchObject({ resultType: 'complete', structuredContent: { said: 'Ada on tea' } });
  expect(gateway.lab.steps).toBe(1);
});

test('a state is not readable: no answer and no argument stands in it', async () => {
  const state = await ask('a-telling-topic');
  const bytes = Buffer.from(state, 'base64url').toString('latin1');
  for (const word of ['telling', 'ask', 'callId', gateway.owner.id]) expect(bytes).not.toContain(word);
});

test('check 21: every flipped byte is refused', async () => {
  const bytes = Buffer.from(await ask(), 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ 0x01;
    const { status, json } = await retry(flipped.toString('base64url'));
    expect({ at, status, error: json.error }).toEqual({ at, status: 200, error: REFUSED });
  }
  expect(gateway.lab.steps).toBe(1);
});

test('every shortened, lengthened or invented state is refused', async () => {
  const state = await ask();
  const others = [
    state.slice(0, -1),
    state.slice(0, 40),
    `${state}A`,
    `${state}=`,
    ` ${state}`,
    state.replaceAll('-', '+').replaceAll('_', '/').concat('=='),
    '',
    'x',
    '{}',
    Buffer.alloc(64).toString('base64url'),
  ].filter((other) => other !== state);
  for (const other of others) expect((await retry(other)).json.error).toEqual(REFUSED);
});

test.each([[7], [null], [true], [{}], [['x']]])('a state that is %j is refused', async (state) => {
  const { status, json } = await retry(state);
  expect(status).toBeLessThan(500);
  expect(json.error.code).toBe(-32602);
});

test('check 21: another key, another tool and another argument are refused', async () => {
  const state = await ask();
  const twin = (await gateway.key({ '*': ['*'] })).text;
  const stranger = (await gateway.stranger('other')).text;
  for (const key of [twin, stranger]) expect((await retry(state, { key })).json.error).toEqual(REFUSED);
  expect((await retry(state, { topic: 'coffee' })).json.error).toEqual(REFUSED);
  expect((await retry(state, { name: 'echo' })).json.error).toEqual(REFUSED);
  const prompt = modern(
    'prompts/get',
    { name: 'ask', arguments: { topic: 'tea' }, requestState: state },
    { capabilities },
  );
  expect((await sendModern(to, prompt)).json.error.code).toBe(-32602);
  expect((await retry(state)).json.result.structuredContent).toEqual({ said: 'Ada on tea' });
});

test('check 21: a state is good for ten minutes and not a millisecond more', async () => {
  const state = await ask();
  now += 10 * 60_000 - 1;
  expect((await retry(state)).json.result.resultType).toBe('complete');
  now += 1;
  expect((await retry(state)).json.error).toEqual(REFUSED);
});

test.each([
  ['of another kind', { roots: [] }],
  ['of no kind', {}],
  ['that is a request', { method: 'elicitation/create' }],
  ['whose content breaks the schema', { action: 'accept', content: { name: 7 } }],
  ['that is no object', 'Ada'],
])('an answer %s is asked for again or refused, never taken', async (_name, answer) => {
  const { status, json } = await retry(await ask(), { answer });
  expect(status).toBeLessThan(500);
  expect(json.result?.structuredContent).toBeUndefined();
  expect(json.result?.resultType ?? json.error.code).toBeOneOf(['input_required', -32602]);
});

test('a declined question is a tool error', async () => {
  const declined = await retry(await ask(), { answer: { action: 'decline' } });
  expect(declined.json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'declined' } });
});

test('a client that cannot be asked gets -32021 with what is missing, before any state exists', async () => {
  const { status, json } = await sendModern(to, modernCall('ask', { topic: 'tea' }));
  expect(status).toBe(400);
  expect(json.error).toMatchObject({
    code: -32021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
});

// The engine opens the state before it begins to record; once it does so after, this passes.
test('a refused state is on record', async () => {
  const before = (await gateway.records()).length;
  await retry('forged');
  const added = (await gateway.records()).slice(before);
  expect(added.map(({ tool, outcome }) => ({ tool, outcome }))).toEqual([{ tool: 'ask', outcome: 'error' }]);
});
