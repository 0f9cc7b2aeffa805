/** Policies before tools: what they deny does not run, and one that fails or is slow denies. */
import { defineToolset } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../test/scripted-links.ts';
import type { ApprovableCall } from './approvals.ts';
import { Approvals } from './approvals.ts';
import type { GatewayHooks } from './hooks.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
let beds: Bed[];

beforeEach(() => {
  beds = [];
});

afterEach(async () => {
  for (const bed of beds) await bed[Symbol.asyncDispose]();
});

async function connected(hooks: GatewayHooks, { now = Date.now } = {}) {
  const bed = startBed({ hooks, now });
  beds.push(bed);
  bed.give('org_test', served('conn_1', { tools: [servedTool('work'), servedTool('other')] }));
  const client = await connect(nothing, {
    sources: [bed.gateway.source],
    middleware: bed.gateway.middleware,
  });
  return { bed, client };
}

test('without hooks nothing stands before a tool', () => {
  const bed = startBed();
  beds.push(bed);
  expect(bed.gateway.middleware).toEqual([]);
});

test('what a policy hides is in no list and cannot be called', async () => {
  const { bed, client } = await connected({
    policy: {
      list(_caller, { name }) {
        if (name === 'other') throw new Error('broken');
        return true;
      },
    },
  });
  expect(await client.toolNames()).toEqual(['work']);
  await expect(client.raw.callTool({ name: 'other', arguments: {} })).rejects.toThrow('Unknown tool');
  expect(bed.sent).toEqual([]);
  await client.close();
});

const never = () => new Promise<never>(() => undefined);
test.each<[string, GatewayHooks, string]>([
  ['a policy', { policy: { call: (_caller, _tool, args) => (args as { n: number }).n !== 1 } }, 'forbidden'],
  [
    'a policy that throws',
    {
      policy: {
        call() {
          throw new Error('broken');
        },
      },
    },
    'forbidden',
  ],
  ['a policy that is slow', { policy: { call: never } }, 'forbidden'],
  ['a missing approval', { approval: { required: () => true } }, 'declined'],
  ['an approval that is slow', { approval: { required: never } }, 'forbidden'],
])('%s keeps a call from running', async (_name, hooks, code) => {
  const { bed, client } = await connected(hooks);
  expect(await client.raw.callTool({ name: 'work', arguments: { n: 1 } })).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': code },
  });
  expect(bed.sent).toEqual([]);
  await client.close();
});

test('a result leaves as a hook makes it, and not at all when the hook fails', async () => {
  const { client } = await connected({ result: { after: () => text('without secrets') } });
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(text('without secrets'));
  await client.close();
  const { client: broken } = await connected({
    result: {
      after() {
        throw new Error('broken');
      },
    },
  });
  expect(await broken.raw.callTool({ name: 'work', arguments: {} })).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': 'forbidden' },
  });
  await broken.close();
});

const DAY = 24 * 60 * 60_000;

/** Hooks that want every call approved, with what was asked for. */
function approving(now: () => number = () => 0) {
  const approvals = new Approvals(now);
  const asked: ApprovableCall[] = [];
  const hooks: GatewayHooks = {
    approval: {
      required: () => true,
      policyVersion: () => 'v1',
      take(call) {
        asked.push(call);
        return approvals.take(call);
      },
    },
  };
  return { approvals, asked, hooks };
}

const declined = { isError: true, _meta: { 'dev.parley/code': 'declined' } };

test('an approved call runs once, in whatever order its arguments stand, and not again', async () => {
  const { approvals, asked, hooks } = approving();
  const { bed, client } = await connected(hooks, { now: () => 0 });
  const call = (args: Record<string, unknown>) => client.raw.callTool({ name: 'work', arguments: args });
  expect(await call({ a: 1, b: { c: 2, d: 3 } })).toMatchObject(declined);
  expect(bed.sent).toEqual([]);
  approvals.give(asked[0]!, 60_000);
  expect(await call({ b: { d: 3, c: 2 }, a: 1 })).toMatchObject(text('done'));
  expect(await call({ a: 1, b: { c: 2, d: 3 } })).toMatchObject(declined);
  expect(bed.sent).toHaveLength(1);
  await client.close();
});

test('of two calls at once that one approval fits, one runs', async () => {
  const { approvals, asked, hooks } = approving();
  const { bed, client } = await connected(hooks, { now: () => 0 });
  const call = () => client.raw.callTool({ name: 'work', arguments: {} });
  await call();
  approvals.give(asked[0]!, 60_000);
  const answers = await Promise.all([call(), call(), call()]);
  expect(answers.filter(({ isError }) => isError === true)).toHaveLength(2);
  expect(bed.sent).toHaveLength(1);
  await client.close();
});

test.each<[string, Partial<ApprovableCall>]>([
  ['another caller', { callerId: 'key_other' }],
  ['another organization', { organizationId: 'org_other' }],
  ['another connection', { toolset: 'conn_2' }],
  ['another tool', { tool: 'other' }],
  ['another definition', { definitionHash: 'changed' }],
  ['other arguments', { argumentsDigest: 'others' }],
  ['another policy', { policyVersion: 'v2' }],
])('an approval of %s lets nothing run', async (_name, other) => {
  const { approvals, asked, hooks } = approving();
  const { bed, client } = await connected(hooks, { now: () => 0 });
  await client.raw.callTool({ name: 'work', arguments: { n: 1 } });
  approvals.give({ ...asked[0]!, ...other }, 60_000);
  expect(await client.raw.callTool({ name: 'work', arguments: { n: 1 } })).toMatchObject(declined);
  expect(bed.sent).toEqual([]);
  await client.close();
});

test('a definition that has changed since needs another approval', async () => {
  const { approvals, asked, hooks } = approving();
  const { bed, client } = await connected(hooks, { now: () => 0 });
  await client.raw.callTool({ name: 'work', arguments: {} });
  approvals.give(asked[0]!, 60_000);
  const changed = servedTool('work', { description: 'Does something else.' });
  bed.give('org_test', served('conn_1', { tools: [changed] }));
  await expect.poll(() => client.toolNames()).toEqual(['work']);
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(declined);
  expect(bed.sent).toEqual([]);
  await client.close();
});

test('an approval ends at its time, and after a day at the latest', async () => {
  let nowMs = 0;
  const { approvals, asked, hooks } = approving(() => nowMs);
  const { bed, client } = await connected(hooks, { now: () => nowMs });
  const call = () => client.raw.callTool({ name: 'work', arguments: {} });
  await call();
  approvals.give(asked[0]!, 1_000);
  nowMs = 1_000;
  expect(await call()).toMatchObject(declined);
  approvals.give(asked[0]!, 10 * DAY);
  nowMs += DAY;
  expect(await call()).toMatchObject(declined);
  expect(bed.sent).toEqual([]);
  await client.close();
});

test('time and rules that go on while an approval is looked for count at dispatch', async () => {
  for (const goOn of ['time', 'rules']) {
    let [nowMs, version] = [0, 'v1'];
    const approval: GatewayHooks['approval'] = {
      required: () => true,
      policyVersion: () => version,
      async take() {
        if (goOn === 'time') nowMs = 5_000;
        else version = 'v2';
        return { expiresAt: 1_000 };
      },
    };
    const { bed, client } = await connected({ approval }, { now: () => nowMs });
    expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject(declined);
    expect(bed.sent).toEqual([]);
    await client.close();
  }
});

test.each<[string, NonNullable<GatewayHooks['approval']>]>([
  ['is slow', { required: () => true, take: never }],
  ['throws', { required: () => true, take: () => Promise.reject(new Error('broken')) }],
  [
    'does not know its rules',
    {
      required: () => true,
      policyVersion() {
        throw new Error('broken');
      },
      take: () => ({ expiresAt: Infinity }),
    },
  ],
])('a place of approvals that %s lets nothing run', async (_name, approval) => {
  const { bed, client } = await connected({ approval });
  expect(await client.raw.callTool({ name: 'work', arguments: {} })).toMatchObject({
    isError: true,
    _meta: { 'dev.parley/code': 'forbidden' },
  });
  expect(bed.sent).toEqual([]);
  expect(bed.faults).not.toEqual([]);
  await client.close();
});
