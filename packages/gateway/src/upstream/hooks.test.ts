/** Policies before tools: what they deny does not run, and one that fails or is slow denies. */
import { defineToolset } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Bed } from '../../test/scripted-links.ts';
import { served, servedTool, startBed, text } from '../../test/scripted-links.ts';
import type { GatewayHooks } from './hooks.ts';

const nothing = defineToolset({ name: 'nothing', title: 'Nothing', tools: [] });
let beds: Bed[];

beforeEach(() => {
  beds = [];
});

afterEach(async () => {
  for (const bed of beds) await bed[Symbol.asyncDispose]();
});

async function connected(hooks: GatewayHooks) {
  const bed = startBed({ hooks });
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
