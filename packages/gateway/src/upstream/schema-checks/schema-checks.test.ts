/** Schemas that freeze whoever checks them, as arguments and as results: nobody else waits for them. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonSchema } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bed } from '../../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../../test/scripted-links.ts';
import type { SchemaChecks } from './checker.ts';
import { createSchemaChecks } from './checker.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
const ORGANIZATION = 'org_test';
const LATE_ARGUMENTS =
  'The arguments could not be checked in time. Send less, or ask who runs the upstream to simplify its schema.';

const doubling = {
  type: 'object',
  properties: { value: { $ref: '#/$defs/n0' } },
  $defs: Object.fromEntries(
    Array.from({ length: 31 }, (_each, at) => {
      const next = { $ref: `#/$defs/n${at + 1}` };
      return [`n${at}`, at === 30 ? { type: 'boolean' } : { anyOf: [next, next] }];
    }),
  ),
};
const HOSTILE: readonly { name: string; schema: JsonSchema; value: unknown; harmless: unknown }[] = [
  {
    name: 'everything compared with everything',
    schema: { type: 'object', properties: { value: { type: 'array', uniqueItems: true } } },
    value: Array.from({ length: 40_000 }, (_each, a) => ({ a })),
    harmless: [1, 2],
  },
  {
    name: 'an expression that goes back and back',
    schema: { type: 'object', properties: { value: { pattern: '^(a+)+$' } } },
    value: `${'a'.repeat(60)}!`,
    harmless: 'aaa',
  },
  { name: 'choices that double', schema: doubling, value: 'x', harmless: undefined },
];
const PLAIN = { type: 'object', properties: { n: { type: 'number' }, constructor: { type: 'object' } } };
const PATTERN = {
  type: 'object',
  properties: { n: { type: 'string', pattern: '^[a-z]+$' } },
  required: ['n'],
};

let bed: Bed;
let checks: SchemaChecks;
let clock: { nowMs: number };

beforeEach(() => {
  clock = { nowMs: 1_000_000 };
  checks = createSchemaChecks({ now: () => clock.nowMs });
  bed = startBed({ checks });
});

afterEach(async () => {
  await bed[Symbol.asyncDispose]();
  await checks.close();
  expect(checks.threads).toBe(0);
  expect(bed.faults).toEqual([]);
});

/** Calls a plain tool again and again until the work is over, and says how often it was answered meanwhile. */
async function answeredMeanwhile<T>(work: Promise<T>, call: () => Promise<unknown>): Promise<[T, number]> {
  const state = { isOver: false };
  const over = work.finally(() => (state.isOver = true));
  let count = 0;
  while (!state.isOver) {
    await call();
    // The calls are answered within this process; what else is due has its turn too.
    await nextTurn();
    if (!state.isOver) count += 1;
  }
  return [await over, count];
}

function connected(tool: { inputSchema?: JsonSchema; outputSchema?: JsonSchema }) {
  bed.give(
    ORGANIZATION,
    served('conn_1', { tools: [servedTool('work', tool), servedTool('plain', { inputSchema: PLAIN })] }),
  );
  return connect(nothing, { era: 'modern', sources: [bed.gateway.source] });
}

describe.each(HOSTILE)('$name', ({ schema, value }) => {
  test('in arguments: the call fails, others are answered, and the next one fails at once', async () => {
    await using client = await connected({ inputSchema: schema });
    const call = () => client.raw.callTool({ name: 'work', arguments: { value } });
    const plain = () => client.raw.callTool({ name: 'plain', arguments: { n: 1 } });
    const [answer, meanwhile] = await answeredMeanwhile(call(), plain);
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(LATE_ARGUMENTS) }],
    });
    expect(client.records.find(({ name }) => name === 'work')).toMatchObject({
      outcome: 'error',
      code: 'invalid',
    });
    expect(meanwhile).toBeGreaterThan(5);
    // No thread is started for it again.
    expect(checks.threads).toBe(0);
    expect(await call()).toMatchObject(answer);
    expect(checks.threads).toBe(0);
    // After a while it is tried again, and what is harmless passes.
    clock.nowMs += 30_000;
    expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(text('done'));
    expect(bed.sent.filter(({ params }) => params['name'] === 'work')).toHaveLength(1);
  });

  test('in a result: the answer is refused, and others are answered', async () => {
    await using client = await connected({ outputSchema: schema });
    bed.answer = ({ params }) =>
      params['name'] === 'work' ? { ...text('x'), structuredContent: { value } } : text('done');
    const [answer, meanwhile] = await answeredMeanwhile(
      client.raw.callTool({ name: 'work', arguments: {} }),
      () => client.raw.callTool({ name: 'plain', arguments: { n: 1 } }),
    );
    expect(answer).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('for work could not be checked in time.') }],
    });
    expect(client.records.find(({ name }) => name === 'work')).toMatchObject({
      outcome: 'error',
      code: 'invalid_result',
    });
    expect(meanwhile).toBeGreaterThan(5);
  });
});

test('a cheap schema starts no thread, and an object has only what it has itself', async () => {
  await using client = await connected({ inputSchema: PLAIN, outputSchema: PLAIN });
  bed.answer = () => ({ ...text('done'), structuredContent: {} });
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(text('done'));
  const faults = await client.raw.callTool({ name: 'work', arguments: { n: 'x', constructor: 1 } });
  expect(faults).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('data/n must be number, data/constructor must be object') }],
  });
  expect(checks.threads).toBe(0);
});

test('a costly schema that is harmless works, with the usual words', async () => {
  await using client = await connected({ inputSchema: PATTERN, outputSchema: PATTERN });
  bed.answer = ({ params }) => ({
    ...text('done'),
    structuredContent: { n: JSON.stringify(params).includes('good') ? 'fine' : 'FINE' },
  });
  const call = (args: Record<string, unknown>) => client.raw.callTool({ name: 'work', arguments: args });
  expect(await call({ n: 'good' })).toMatchObject({ structuredContent: { n: 'fine' } });
  expect(await call({ n: 'BAD' })).toMatchObject({
    content: [{ text: expect.stringContaining('data/n must match pattern "^[a-z]+$"') }],
  });
  expect(await call({ n: 'other' })).toMatchObject({
    content: [{ text: expect.stringContaining('breaks its own outputSchema: data/n must match pattern') }],
  });
  expect(checks.threads).toBe(1);
});

test.each([
  ['large for a costly schema', PATTERN, { n: 'a'.repeat(1024 * 1024) }, 'large'],
  ['against a cheap schema that cannot be used', { type: 'nonsense' }, {}, 'unusable'],
  ['against a costly schema that cannot be used', { pattern: '(' }, {}, 'unusable'],
  ['against a dialect that nobody knows', { $schema: 'https://example.com/' }, {}, 'unusable'],
])('a value %s is not checked', async (_name, schema, value, reason) => {
  await expect(checks.against(schema, ORGANIZATION)(value)).rejects.toMatchObject({
    name: 'Unchecked',
    reason,
  });
});

test.each(['draft-07/schema#', 'draft/2019-09/schema', 'draft/2020-12/schema'])(
  '%s is known',
  async (name) => {
    const schema = {
      $schema: `https://json-schema.org/${name}`,
      $id: 'https://example.com/a',
      required: ['a'],
    };
    expect(await checks.against(schema, ORGANIZATION)({})).toContain("must have required property 'a'");
    // One of the same name is another one.
    expect(await checks.against({ ...schema, required: [] }, ORGANIZATION)({})).toBeUndefined();
  },
);

test('what is large even for a cheap schema goes to a thread, and only its first fault is told', async () => {
  const names = Array.from({ length: 500 }, (_each, at) => `p${at}`);
  const faultOf = checks.against({ items: { required: names } }, ORGANIZATION);
  expect(await faultOf([{}])).toContain('p1');
  expect(checks.threads).toBe(0);
  expect(await faultOf(Array.from({ length: 100_000 }, () => ({})))).toBe(
    "data/0 must have required property 'p0'",
  );
  expect(checks.threads).toBe(1);
});

test('a value that is equal to nothing is a fault, and no failure of the server', async () => {
  const faultOf = checks.against({ enum: [{ a: 1 }] }, ORGANIZATION);
  expect(await faultOf({ a: 1 })).toBeUndefined();
  expect(await faultOf({ a: 1, valueOf: 1 })).toMatch(/^data /);
});

test('one organization that waits holds no other up, and too many are refused', async () => {
  const slow = checks.against({ pattern: '^(a+)+$' }, 'org_a');
  const waiting = Array.from({ length: 80 }, () => slow(`${'a'.repeat(60)}!`));
  const ends = Promise.allSettled(waiting);
  expect(await checks.against({ pattern: 'a' }, 'org_b')('a')).toBeUndefined();
  const reasons = (await ends).map((end) => (end.status === 'rejected' ? end.reason.reason : 'fine'));
  expect(reasons.filter((reason) => reason === 'late')).toHaveLength(65);
  expect(reasons.filter((reason) => reason === 'busy')).toHaveLength(15);
});

test.each(HOSTILE)(
  'who sends $name is refused alone, with nothing smaller than that: the tool is there for all others',
  async ({ schema, value, harmless }) => {
    bed.give(ORGANIZATION, served('conn_1', { tools: [servedTool('work', { inputSchema: schema })] }));
    const sources = [bed.gateway.source];
    await using attacker = await connect(nothing, { era: 'modern', sources, as: { id: 'key_attacker' } });
    await using owner = await connect(nothing, { era: 'modern', sources, as: { id: 'key_owner' } });
    const call = (client: typeof attacker, args: Record<string, unknown>) =>
      client.raw.callTool({ name: 'work', arguments: args });
    const late = { isError: true, content: [{ text: expect.stringContaining(LATE_ARGUMENTS) }] };
    expect(await call(attacker, { value })).toMatchObject(late);
    expect(checks.threads).toBe(0);
    expect(await call(attacker, { value })).toMatchObject(late);
    expect(checks.threads).toBe(0);
    expect(await call(attacker, {})).toMatchObject(text('done'));
    expect(await call(owner, { value: harmless })).toMatchObject(text('done'));
  },
);

test('a check that took too long is held against its caller, for values of its size and larger', async () => {
  const faultOf = checks.against({ pattern: '^(a+)+$' }, ORGANIZATION);
  const bad = `${'a'.repeat(60)}!`;
  const late = { reason: 'late' };
  await expect(faultOf(bad, 'key_a')).rejects.toMatchObject(late);
  await expect(faultOf('b'.repeat(70), 'key_a')).rejects.toMatchObject(late);
  await expect(faultOf('b'.repeat(700), 'key_a')).rejects.toMatchObject(late);
  expect(checks.threads).toBe(0);
  expect(await faultOf('aaa', 'key_a')).toBeUndefined();
  expect(await faultOf('a'.repeat(70), 'key_b')).toBeUndefined();
  // A smaller one that takes too long draws the line there.
  await expect(faultOf(`${'a'.repeat(36)}!`, 'key_a')).rejects.toMatchObject(late);
  await expect(faultOf('b'.repeat(40), 'key_a')).rejects.toMatchObject(late);
  expect(await faultOf('aaa', 'key_a')).toBeUndefined();
  clock.nowMs += 30_000;
  expect(await faultOf('a'.repeat(70), 'key_a')).toBeUndefined();
});

test('closing ends what is being checked', async () => {
  const going = checks.against({ pattern: '^(a+)+$' }, ORGANIZATION)(`${'a'.repeat(60)}!`);
  const end = Promise.allSettled([going]);
  await expect.poll(() => checks.threads).toBe(1);
  await checks.close();
  expect(await end).toMatchObject([{ status: 'rejected', reason: { reason: 'busy' } }]);
  await expect(checks.against({ pattern: 'a' }, ORGANIZATION)('a')).rejects.toMatchObject({ reason: 'busy' });
});
