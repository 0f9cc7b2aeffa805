/** Tools by module: what is exported is served, whatever else a module holds. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../testing/connect.ts';
import { defineToolWith } from './tool.ts';
import { toolsIn } from './tools-in.ts';
import { defineToolset } from './toolset.ts';

interface Counter {
  begun: number;
}

const defineTool = defineToolWith(async ({ services }: { services: Counter }) => (services.begun += 1));

const simple = {
  title: 'Count',
  description: 'Tells how many calls have begun.',
  effect: 'read',
  input: z.object({}),
  output: z.object({ begun: z.number() }),
} as const;

const first = {
  zebra: defineTool({ ...simple, name: 'zebra', run: (_input, _ctx, begun) => ({ begun }) }),
  LIMIT: 5,
  nothing: null,
  shape: simple.output,
};
const second = { ant: defineTool({ ...simple, name: 'ant', run: (_input, _ctx, begun) => ({ begun }) }) };

const toolset = defineToolset({ name: 'animals', title: 'Animals', tools: toolsIn(first, second) });

test('the tools of all modules are there by name, and nothing else that they export', () => {
  expect(toolset.tools.map(({ name }) => name)).toEqual(['ant', 'zebra']);
});

test('what every call begins with runs once per call, and its result reaches the tool', async () => {
  const services: Counter = { begun: 0 };
  await using client = await connect(toolset, { services });
  expect(await client.call('zebra', {})).toEqual({ begun: 1 });
  expect(await client.call('ant', {})).toEqual({ begun: 2 });
  expect(await client.attempt('ant', { extra: 1 } as never)).toMatchObject({ ok: false });
  expect(services.begun).toBe(2);
});

test('role defaults that give what a toolset does not have are refused by name', () => {
  const spec = { name: 'animals', title: 'Animals', tools: toolsIn(first, second), rights: ['feed'] };
  expect(() => defineToolset({ ...spec, roles: { member: ['ant', 'feed'], user: ['*'] } })).not.toThrow();
  expect(() => defineToolset({ ...spec, roles: { member: ['ant', 'zebu'] } })).toThrow(
    'The toolset "animals" gives members "zebu", which it does not have.',
  );
});
