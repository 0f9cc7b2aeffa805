/** What the types of `defineTool` and of the test client must refuse. */
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { connect } from '../testing/connect.ts';
import type { Context } from './context.ts';
import type { Settings, SettingsOf } from './setting.ts';
import { defineTool, defineToolFor, defineToolWith } from './tool.ts';
import { toolsIn } from './tools-in.ts';
import { defineToolset } from './toolset.ts';

const base = {
  name: 'double',
  title: 'Double',
  description: 'Doubles a number.',
  input: z.object({ value: z.number(), note: z.string().default('') }),
  output: z.object({ result: z.number() }),
} as const;

const double = defineTool({
  ...base,
  effect: 'read',
  errors: { too_big: 'The number is too big.' },
  run({ value, note }, ctx) {
    expectTypeOf(value).toEqualTypeOf<number>();
    expectTypeOf(note).toEqualTypeOf<string>();
    if (value > 10) throw ctx.error('too_big', 'Too big.');
    return { result: value * 2 };
  },
});
const toolset = defineToolset({ name: 'maths', title: 'Maths', tools: [double] });

test('check 3: a missing effect does not compile', () => {
  // @ts-expect-error -- effect is required
  defineTool({ ...base, run: ({ value }) => ({ result: value }) });
});

test('an unknown effect does not compile', () => {
  // @ts-expect-error -- there are five effects
  defineTool({ ...base, effect: 'write', run: ({ value }) => ({ result: value }) });
});

test('an undeclared error code does not compile', () => {
  defineTool({
    ...base,
    effect: 'read',
    run(_input, ctx) {
      // @ts-expect-error -- the tool declares no such code
      throw ctx.error('nope', 'No.');
    },
  });
});

test('a shared error code needs no declaration', () => {
  defineTool({
    ...base,
    effect: 'read',
    run(_input, ctx) {
      throw ctx.error('not_found', 'No.');
    },
  });
});

test('output of the wrong type does not compile', () => {
  // @ts-expect-error -- result is a number
  defineTool({ ...base, effect: 'read', run: () => ({ result: 'four' }) });
});

test('services have the type they were declared with', () => {
  defineToolFor<{ now(): number }>()({
    ...base,
    effect: 'read',
    run(_input, { services }) {
      expectTypeOf(services.now()).toEqualTypeOf<number>();
      return { result: services.now() };
    },
  });
});

test('the test client knows tools, inputs and outputs', async () => {
  const client = await connect(toolset);
  expectTypeOf(await client.call('double', { value: 2 })).toEqualTypeOf<{ result: number }>();
  // @ts-expect-error -- value is a number
  await client.call('double', { value: 'two' });
  // @ts-expect-error -- value is required
  await client.call('double', {});
  // @ts-expect-error -- there is no such tool
  await client.call('triple', { value: 2 });
});

test('a toolset that begins every call alike gives its tools what that returns, and nothing else', () => {
  const define = defineToolWith(async (_ctx: Context<{ lamps: number }>) => new Date(0));
  const lit = define({
    ...base,
    effect: 'read',
    run({ value }, ctx, given) {
      expectTypeOf(given).toEqualTypeOf<Date>();
      expectTypeOf(ctx.services.lamps).toEqualTypeOf<number>();
      return { result: value };
    },
  });
  expectTypeOf(lit.name).toEqualTypeOf<'double'>();
  // @ts-expect-error -- a date is given, not a text
  define({ ...base, effect: 'read', run: (_input, _ctx, given: string) => ({ result: given.length }) });
  // @ts-expect-error -- one thing is given, not two
  define({ ...base, effect: 'read', run: (_input, _ctx, _given, more: number) => ({ result: more }) });
});

test('the tools of modules keep their names and types, and nothing else counts as one', () => {
  const tools = toolsIn({ double, LIMIT: 5, note: 'text' }, { shape: base.input });
  expectTypeOf(tools).toEqualTypeOf<readonly (typeof double)[]>();
});

test('settings have the values that their kinds and defaults promise', () => {
  const facts = { flag: 'x', value: 'X', help: 'Helps', section: 'reach' } as const;
  const settings = {
    oil: { ...facts, kind: 'number', low: 1, high: 9, fallback: '2' },
    water: { ...facts, kind: 'number', low: 1, high: 9 },
    colour: { ...facts, kind: 'text' },
    lamps: { ...facts, kind: 'list' },
    quiet: { ...facts, kind: 'switch' },
  } as const satisfies Settings;
  expectTypeOf<SettingsOf<typeof settings>>().toEqualTypeOf<{
    readonly oil: number;
    readonly water: number | undefined;
    readonly colour: string | undefined;
    readonly lamps: readonly string[];
    readonly quiet: boolean;
  }>();
});
