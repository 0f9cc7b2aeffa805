/** Questions of 2025 servers to 2026 clients, over HTTP: the call waits, for its own client, for a while, and once. */
import { randomBytes } from 'node:crypto';
import type { InputRequest, OutsideCall, ToolError } from '@parley/kit';
import { createStateSealer } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { eventually } from '@parley/test-support/eventually';
import { modern, modernCall, open, sendModern, modernHeaders } from '@parley/test-support/wire';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../test/scripted-links.ts';
import type { TestGateway } from '../../test/start-gateway.ts';
import { startGateway } from '../../test/start-gateway.ts';
import type { LinkRequest } from './link.ts';

const question: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const capabilities = { elicitation: {} };
const REFUSED = { code: -32602, message: 'Invalid or expired requestState' };

let now: number;
let bed: Bed;
let gateway: TestGateway;
let to: { port: number; key: string; path: string };
/** Signals of calls that reached the upstream. */
let signals: AbortSignal[];

async function start(limits: { perCaller?: number; keepMs?: number } = {}): Promise<void> {
  bed = startBed({ limits });
  gateway = await startGateway({
    connections: bed.gateway,
    sealer: createStateSealer([randomBytes(32)], () => now),
  });
  to = { port: gateway.port, key: gateway.ownerKey, path: '/mcp/conn_1' };
  give();
}

function give(hash = 'h1', era: 'modern' | 'legacy' = 'legacy'): void {
  const tool = { ...servedTool('work'), hash };
  const { organizationId } = gateway.owner;
  bed.give(organizationId, served('conn_1', { organizationId, era, tools: [tool] }));
}

beforeEach(async () => {
  now = Date.now();
  signals = [];
  await start();
  bed.answer = asks;
});

afterEach(async () => {
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
});

async function asks({ onAsk, signal }: LinkRequest) {
  signals.push(signal);
  const cancelled = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  const answer =
    onAsk === undefined ? 'nobody to ask' : await Promise.race([cancelled, onAsk(question, signal)]);
  return text(JSON.stringify(answer));
}

async function begin(
  args: Record<string, unknown> = { topic: 'tea' },
): Promise<{ state: string; key: string }> {
  const { json } = await sendModern(to, modernCall('work', args, { capabilities }));
  expect(json.result).toMatchObject({ resultType: 'input_required' });
  const [key = ''] = Object.keys(json.result.inputRequests);
  return { state: json.result.requestState, key };
}

interface Retry {
  readonly state: string;
  readonly key: string;
}

async function retry({ state, key }: Retry, more: { as?: string; args?: object } = {}) {
  const params = {
    name: 'work',
    arguments: more.args ?? { topic: 'tea' },
    requestState: state,
    inputResponses: { [key]: { action: 'accept', content: { name: 'Ada' } } },
  };
  const message = modern('tools/call', params, { capabilities });
  return (await sendModern({ ...to, key: more.as ?? to.key }, message)).json;
}

const ANSWERED = text('{"action":"accept","content":{"name":"Ada"}}');

test('the call waits without a place and without its client, and the answer finishes it', async () => {
  const asked = await begin();
  expect(bed.gateway.parked.size).toBe(1);
  expect(signals[0]?.aborted).toBe(false);
  expect(await retry(asked)).toMatchObject({ result: ANSWERED });
  expect(bed.sent).toHaveLength(1);
  expect(bed.gateway.parked.size).toBe(0);
  const records = await gateway.records();
  expect(records.map(({ code }) => code)).toEqual(['input_required', null]);
});

/** A server of 2026 asks with its result, and gets the answer with another request. */
const asksAnew: Bed['answer'] = ({ params }) =>
  params['requestState'] === undefined
    ? { resultType: 'input_required', inputRequests: { name: question }, requestState: 'of its own' }
    : { resultType: 'complete', ...text(JSON.stringify(params['inputResponses'])) };

/** Before anybody has asked for anything. */
function giveModern(): void {
  give('h1', 'modern');
  bed.answer = asksAnew;
}

describe.each(['legacy', 'modern'] as const)('check 21: of a server of the %s era', (era) => {
  beforeEach(() => {
    if (era === 'modern') giveModern();
  });

  test.each<[string, (asked: Retry) => Promise<unknown>]>([
    ['a state with one bit flipped', ({ state, key }) => retry({ state: flipped(state), key })],
    ['other arguments', (asked) => retry(asked, { args: { topic: 'coffee' } })],
    [
      'another key',
      async (asked) => retry(asked, { as: (await gateway.key({ '*': ['*'] }, { name: 'Other' })).text }),
    ],
    [
      'ten minutes later',
      (asked) => {
        now += 10 * 60_000;
        return retry(asked);
      },
    ],
    [
      'another definition',
      async (asked) => {
        give('h2', era);
        await eventually(() =>
          expect(bed.gateway.source.find(gateway.owner.organizationId, 'conn_1')?.tools[0]?.hash).toBe('h2'),
        );
        return retry(asked);
      },
    ],
  ])('refused with one text, and nothing is called: %s', async (_name, attempt) => {
    const asked = await begin();
    expect(await attempt(asked)).toMatchObject({ error: REFUSED });
    expect(bed.sent).toHaveLength(1);
  });

  test('good a millisecond before ten minutes are over', async () => {
    const asked = await begin();
    now += 10 * 60_000 - 1;
    expect(await retry(asked)).toHaveProperty('result.content');
  });

  test('refused a second time after it was finished', async () => {
    const asked = await begin();
    await retry(asked);
    const calls = bed.sent.length;
    expect(await retry(asked)).toMatchObject({ error: REFUSED });
    expect(bed.sent).toHaveLength(calls);
  });
});

test('the state of a server of 2026 goes back to it, and nobody else reads it', async () => {
  giveModern();
  const asked = await begin();
  expect(Buffer.from(asked.state, 'base64url').toString('latin1')).not.toContain('of its own');
  expect(await retry(asked)).toMatchObject({
    result: text('{"name":{"action":"accept","content":{"name":"Ada"}}}'),
  });
  expect(bed.sent.at(-1)?.params).toMatchObject({ requestState: 'of its own' });
});

test('a call whose client never comes back is cancelled upstream', async () => {
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  await start({ keepMs: 20 });
  bed.answer = asks;
  const asked = await begin();
  await eventually(() => expect(signals[0]?.aborted).toBe(true));
  expect(bed.gateway.parked.size).toBe(0);
  expect(await retry(asked)).toMatchObject({ error: REFUSED });
});

test('a caller has so many calls waiting, and the next is ended', async () => {
  await gateway[Symbol.asyncDispose]();
  await bed[Symbol.asyncDispose]();
  await start({ perCaller: 1 });
  bed.answer = asks;
  await begin();
  const { json } = await sendModern(to, modernCall('work', { topic: 'tea' }, { capabilities }));
  expect(json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'rate_limited' } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, true]);
});

test('a client that leaves in the middle of a round cancels the call', async () => {
  const message = modernCall('work', {}, { capabilities });
  bed.answer = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signals.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason as Error));
    });
  const req = open({ ...to, method: 'POST', headers: modernHeaders(message), body: JSON.stringify(message) });
  req.on('error', () => undefined);
  await eventually(() => expect(signals).toHaveLength(1));
  req.destroy();
  await eventually(() => expect(signals[0]?.aborted).toBe(true));
});

test('a call that waited in a process that is gone is told as lost', () => {
  const here = bed.gateway.parked;
  const owner = { organizationId: 'o', callerId: 'c', connectionId: 'conn_1' };
  expect(here.take('another-replica.key', owner)).toEqual({
    replicaId: 'another-replica',
    id: 'another-replica.key',
  });
  expect(here.take(`${here.replicaId}.key`, owner)).toBeUndefined();
});

function flipped(state: string): string {
  const bytes = Buffer.from(state, 'base64url');
  bytes[20] = (bytes[20] ?? 0) ^ 1;
  return bytes.toString('base64url');
}

test.each([
  [true, 'Call it again.', undefined],
  [false, 'Its outcome is unknown.', 'unknown'],
])('of such a call that only reads: %s, its client is told what to do', async (isRead, words, outcome) => {
  const wanted = { method: 'tools/call', params: {}, isRead } as const;
  const caller = testCaller();
  // It is lost before anything else of the call is looked at.
  const call = { caller, requestState: 'panother-replica.key' } as unknown as OutsideCall;
  const lost = bed.gateway.bridge.ask(served('conn_1', { era: 'legacy' }), wanted, call);
  const error = await lost.catch((fault: unknown) => fault as ToolError);
  expect(error).toMatchObject({ code: 'unavailable', data: { reason: 'dropped' } });
  expect(error).toHaveProperty('message', `The call of Title of conn_1 was lost while it waited. ${words}`);
  expect((error as ToolError).data).toEqual({ reason: 'dropped', ...(outcome && { outcome }) });
});
