import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createEngine } from './engine.ts';
import type { Exchange } from './exchange.ts';
import { defineTool } from '../define/tool.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { testCaller } from '../testing/callers.ts';
import { toolsetSource } from '../catalog/source.ts';
import { connect } from '../testing/connect.ts';
import { scenarios } from '../testing/scenarios.ts';

const effects: string[] = [];

const add = defineTool({
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  effect: 'read',
  input: z.object({
    a: z.number().max(1000).describe('First'),
    b: z.number().default(1).describe('Second'),
  }),
  output: z.object({ sum: z.number() }),
  errors: { odd_sum: 'The sum is odd and odd sums are not allowed.' },
  run({ a, b }, ctx) {
    if (a === 13) throw ctx.error('odd_sum', 'Thirteen is not allowed.', { a });
    if (a === 99) throw new Error('the database password is hunter2');
    return { sum: a === 77 ? ('broken' as unknown as number) : a + b };
  },
});

const greet = defineTool({
  name: 'greet',
  title: 'Greet',
  description: 'Asks for a name, then greets.',
  effect: 'run',
  external: true,
  unattended: 'block',
  input: z.object({}),
  output: z.object({ greeting: z.string() }),
  text: ({ greeting }) => greeting,
  async run(_input, ctx) {
    await ctx.step('note', () => {
      effects.push('noted');
    });
    const [{ name }, { city }] = await Promise.all([
      ctx.ask('name', { message: 'What is your name?', schema: z.object({ name: z.string() }) }),
      ctx.ask('city', { message: 'Where do you live?', schema: z.object({ city: z.string() }) }),
    ]);
    const { colour } = await ctx.ask('colour', {
      message: 'Which colour?',
      schema: z.object({ colour: z.string() }),
    });
    return { greeting: `Hello, ${name} from ${city} in ${colour}!` };
  },
});

const wipe = defineTool({
  name: 'wipe',
  title: 'Wipe',
  description: 'Deletes everything.',
  effect: 'delete',
  privileged: true,
  input: z.object({}),
  output: z.object({ wiped: z.boolean() }),
  run: () => ({ wiped: true }),
});

const asleep = defineTool({
  name: 'asleep',
  title: 'Asleep',
  description: 'Is not available.',
  effect: 'read',
  available: () => false,
  input: z.object({}),
  output: z.object({}),
  run: () => ({}),
});

const toolset = defineToolset({ name: 'sums', title: 'Sums', tools: [add, greet, wipe, asleep] });
const member = { roles: ['member'], grants: { sums: ['*'] } };

describe('a call', () => {
  scenarios({ test, expect }, toolset, () => ({}), [
    {
      name: 'works',
      call: ['add', { a: 1, b: 2 }],
      gives: { sum: 3 },
      shows: ['"{\\"sum\\":3}"'],
      records: { ok: 1 },
    },
    { name: 'fills defaults in', call: ['add', { a: 1 }], gives: { sum: 2 } },
    {
      name: 'names every field that is wrong',
      call: ['add', { a: 1001, b: 'x', c: 1 }],
      fails: 'invalid',
      shows: [
        'Error: a: must be at most 1000 (got 1001); b: must be a number (got \\"x\\"); c: is not a known field',
      ],
      records: { error: 1 },
    },
    {
      name: 'says when there are no arguments',
      call: ['add'],
      fails: 'invalid',
      shows: ['No arguments provided for tool: add'],
    },
    {
      name: 'carries a typed error with its data',
      call: ['add', { a: 13 }],
      fails: 'odd_sum',
      shows: ['"dev.parley/data":{"a":13}'],
    },
    {
      name: 'refuses output that breaks its schema',
      call: ['add', { a: 77 }],
      fails: 'invalid_output',
      hides: ['structuredContent'],
    },
    {
      name: 'is refused for a tool that does not exist',
      call: ['nope', {}],
      unknown: true,
      records: { denied: 1 },
    },
    {
      name: 'is refused for a tool that is not available',
      call: ['asleep', {}],
      unknown: true,
      records: { denied: 1 },
    },
    {
      name: 'is refused without a grant',
      as: { grants: { sums: ['add'] } },
      call: ['greet', {}],
      unknown: true,
    },
    { name: 'reaches a privileged tool as an owner', call: ['wipe', {}], gives: { wiped: true } },
    {
      name: 'does not reach a privileged tool by a wildcard of a member',
      as: member,
      call: ['wipe', {}],
      unknown: true,
    },
    {
      name: 'reaches a privileged tool that is named',
      as: { ...member, grants: { sums: ['wipe'] } },
      call: ['wipe', {}],
      gives: { wiped: true },
    },
    {
      name: 'is blocked when nobody is watching',
      as: { unattended: true },
      call: ['greet', {}],
      unknown: true,
    },
    { name: 'is blocked for a schedule', as: { source: 'schedule' }, call: ['greet', {}], unknown: true },
    {
      name: 'asks and goes on with the answers',
      answers: {
        ask: (message) => ({ name: 'Ada', city: 'London', colour: message.includes('colour') ? 'blue' : '' }),
      },
      call: ['greet', {}],
      shows: ['Hello, Ada from London in blue!'],
    },
    {
      name: 'is declined when the person refuses',
      answers: { ask: () => undefined },
      call: ['greet', {}],
      fails: 'declined',
    },
  ]);

  test.each(['modern', 'legacy'] as const)(
    'a fault inside a tool shows nothing of itself (%s)',
    async (era) => {
      await using client = await connect(toolset, { era });
      const error = await client.raw.callTool({ name: 'add', arguments: { a: 99 } }).catch(String);
      expect(error).toContain('Internal error');
      expect(error).not.toContain('hunter2');
    },
  );

  test.each(['modern', 'legacy'] as const)(
    'a tool that says so answers its fault with a reference to the log (%s)',
    async (era) => {
      const told = defineToolset({ name: 'told', title: 'Told', tools: [{ ...add, faults: 'result' }] });
      await using client = await connect(told, { era });
      const result = await client.raw.callTool({ name: 'add', arguments: { a: 99 } });
      const [{ reference }] = [result._meta?.['dev.parley/data'] as { reference: string }];
      expect(reference).toMatch(/^[0-9a-f-]{36}$/);
      expect(result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'internal' } });
      expect(JSON.stringify(result.content)).toContain(reference);
      expect(JSON.stringify(result)).not.toContain('hunter2');
    },
  );

  test('a step runs once however often the call is entered again', async () => {
    effects.length = 0;
    await using client = await connect(toolset, {
      answers: { ask: () => ({ name: 'A', city: 'B', colour: 'C' }) },
    });
    await client.call('greet', {});
    expect(effects).toEqual(['noted']);
  });

  test('a client that cannot be asked gets the missing capability', async () => {
    await using client = await connect(toolset);
    await expect(client.raw.callTool({ name: 'greet', arguments: {} })).rejects.toMatchObject({
      code: -32021,
    });
  });
});

describe('a list', () => {
  test.each(['modern', 'legacy'] as const)('holds what the caller may call, by name (%s)', async (era) => {
    await using owner = await connect(toolset, { era });
    expect(await owner.toolNames()).toEqual(['add', 'greet', 'wipe']);
    await using narrow = await connect(toolset, { era, as: { grants: { sums: ['add'] } } });
    expect(await narrow.toolNames()).toEqual(['add']);
    await using unattended = await connect(toolset, { era, as: { source: 'webhook' } });
    expect(await unattended.toolNames()).toEqual(['add', 'wipe']);
  });

  test('derives hints and schemas from the one definition', async () => {
    await using client = await connect(toolset);
    const { tools } = await client.raw.listTools();
    expect(tools[0]).toEqual({
      name: 'add',
      title: 'Add',
      description: 'Adds two numbers.',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'number', maximum: 1000, description: 'First' },
          b: { type: 'number', default: 1, description: 'Second' },
        },
        required: ['a'],
        additionalProperties: false,
      },
      outputSchema: {
        type: 'object',
        properties: { sum: { type: 'number' } },
        required: ['sum'],
      },
      annotations: {
        title: 'Add',
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
    });
    expect(tools[1]?.annotations).toMatchObject({ destructiveHint: true, openWorldHint: true });
  });
});

test('facts about an answer stand in its _meta under our prefix, not in the answer', async () => {
  const cut = defineTool({
    name: 'cut',
    title: 'Cut',
    description: 'Lists a part.',
    effect: 'read',
    input: z.object({}),
    output: z.object({ items: z.array(z.number()) }),
    run(_input, ctx) {
      ctx.addMeta({ truncated: true });
      ctx.addMeta({ count: 3 });
      return { items: [1] };
    },
  });
  for (const era of ['modern', 'legacy'] as const) {
    await using client = await connect(defineToolset({ name: 'cuts', title: 'Cuts', tools: [cut] }), { era });
    const answer = await client.raw.callTool({ name: 'cut', arguments: {} });
    expect(answer._meta).toMatchObject({ 'dev.parley/truncated': true, 'dev.parley/count': 3 });
    for (const bare of ['truncated', 'count']) expect(answer._meta).not.toHaveProperty([bare]);
    expect(answer.structuredContent).toEqual({ items: [1] });
  }
});

describe('the rounds of a call', () => {
  const opened: string[] = [];
  const exchange = (requestState?: string): Exchange => ({
    info: { id: '1', era: 'local', client: null },
    signal: () => AbortSignal.any([]),
    requestState,
    // Only who opens the rounds looks at what the client answered.
    get inputResponses() {
      opened.push('rounds');
      return undefined;
    },
  });
  const engine = createEngine({ sources: [toolsetSource(install(toolset))] });

  test.each([
    { name: 'a call that asks nothing opens none', call: ['add', { a: 1 }], opens: 0 },
    { name: 'a call that asks opens one', call: ['greet', {}], opens: 1 },
    {
      name: 'a state is looked at, whether the tool asks or not',
      call: ['add', { a: 1 }],
      state: 'x',
      opens: 1,
    },
  ] as const)('$name', async ({ call: [name, args], opens, ...more }) => {
    opened.length = 0;
    const state = 'state' in more ? more.state : undefined;
    const answer = await engine.call(testCaller(), name, args, exchange(state)).catch(String);
    expect(opened).toHaveLength(opens);
    expect(JSON.stringify(answer).includes('Invalid or expired requestState')).toBe(state !== undefined);
  });

  test('a tool that was found is called without a second look', async () => {
    const found = engine.find(testCaller(), 'add');
    expect(await found?.call({ a: 1, b: 2 }, exchange())).toMatchObject({ structuredContent: { sum: 3 } });
    expect(engine.find(testCaller({ grants: {} }), 'add')).toBeUndefined();
    expect(engine.find(testCaller(), 'asleep')).toBeUndefined();
  });
});
