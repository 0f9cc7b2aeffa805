/** Tools that a program gives to a session: names, checks, and who sees them. */
import { defineTool } from '@parley/kit';
import { afterAll, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { onOneBed } from '../../test/agent-bed.ts';
import { clientOf } from '../../test/session-client.ts';
import type { McpToolContext } from './context.ts';
import { closeAgentStore } from './on-store.ts';
import type { SdkTool } from './plugin-tools.ts';
import { pluginToolsOf } from './plugin-tools.ts';
import { createCorvidMcpServer } from './server.ts';

/** As `tool()` of the Claude Agent SDK makes it. */
function sdkTool(name: string, more: Partial<SdkTool> = {}): SdkTool {
  return {
    name,
    description: 'Says something.',
    inputSchema: {},
    annotations: undefined,
    _meta: undefined,
    handler: async () => ({ content: [{ type: 'text', text: 'said' }] }),
    ...more,
  };
}

const double = defineTool({
  name: 'double',
  title: 'Double',
  description: 'Doubles a number.',
  effect: 'read',
  input: z.object({ number: z.int().max(10).describe('Which') }),
  output: z.object({ doubled: z.number() }),
  run: ({ number }) => ({ doubled: 2 * number }),
});

test.each([
  ['a built-in', [sdkTool('corvid_list_agents')]],
  ['one that is given twice', [sdkTool('say'), { ...double, name: 'say' }]],
  ['a document that every agent holds', [sdkTool('inbox')]],
  ['a right of the routes', [sdkTool('agents_manage')]],
])('a plugin tool with the name of %s throws', (_of, tools) => {
  expect(() => pluginToolsOf(tools)).toThrow('is taken');
});

test('fields of no Zod, or of both, are refused at once', () => {
  for (const inputSchema of [{ a: { type: 'string' } }, { a: z.string(), b: z3.string() }])
    expect(() => pluginToolsOf([sdkTool('say', { inputSchema })])).toThrow('"say" must all be schemas');
});

test('fields of Zod 3 are published as far as JSON Schema says them, with what may be left out', () => {
  const inputSchema = {
    text: z3.string().min(2).max(5),
    kind: z3.enum(['a', 'b']).default('a'),
    many: z3.array(z3.number().int()).describe('Numbers'),
    inner: z3.object({ flag: z3.boolean().optional(), one: z3.literal(1) }),
    either: z3.union([z3.string(), z3.null()]).nullable(),
    even: z3.number().refine((value) => value % 2 === 0),
    any: z3.date().optional(),
    map: z3.record(z3.string()),
  };
  const [tool] = pluginToolsOf([sdkTool('say', { inputSchema })]);
  expect(tool).toMatchObject({
    inputSchema: {
      properties: {
        text: { type: 'string', minLength: 2, maxLength: 5 },
        kind: { type: 'string', enum: ['a', 'b'] },
        many: { type: 'array', items: { type: 'integer' }, description: 'Numbers' },
        inner: { type: 'object', properties: { flag: { type: 'boolean' } }, required: ['one'] },
        either: { anyOf: [{ anyOf: [{ type: 'string' }, {}] }, { type: 'null' }] },
        even: { type: 'number' },
        any: {},
        map: { type: 'object' },
      },
      required: ['text', 'many', 'inner', 'either', 'even', 'map'],
      additionalProperties: false,
    },
  });
});

test('what annotations say decides the effect; without them anything may happen', () => {
  const rows = [
    [undefined, 'run', true],
    [{ readOnlyHint: true, openWorldHint: false }, 'read', false],
    [{ destructiveHint: false }, 'create', true],
    [{ destructiveHint: false, idempotentHint: true }, 'update', true],
    [{ idempotentHint: true }, 'delete', true],
  ] as const;
  const tools = pluginToolsOf(rows.map(([annotations], at) => sdkTool(`say${at}`, { annotations })));
  expect(tools.map(({ effect, external }) => [effect, external])).toEqual(
    rows.map(([, effect, external]) => [effect, external]),
  );
});

onOneBed('plugin tools of a session', (bed) => {
  afterAll(() => closeAgentStore(bed().store));

  const session = async (tools: readonly string[] | null, more: Partial<McpToolContext> = {}) => {
    const { acme, agent, store } = bed();
    const { id } = await agent(acme.owner.caller, { tools });
    return clientOf(createCorvidMcpServer({ agentId: id, store, ...more }, [sdkTool('say'), double]));
  };

  test.each([
    ['an agent without a list', null, {}, []],
    ['a list that names one', ['say', 'corvid_list_agents'], {}, ['say']],
    ['web', null, { sessionSource: 'web' }, ['double', 'say']],
    ['a list that is given', [], { resolvedToolPermissions: ['double'] }, ['double']],
    ['a caller whose grants leave them out', ['say'], 'capped', []],
  ] as const)('%s', async (_who, tools, more, shown) => {
    const { caller } = bed().acme.owner;
    const capped = { caller: { ...caller, grants: { agent: ['corvid_list_agents'] } } };
    await using client = await session(tools, more === 'capped' ? capped : more);
    const names = await client.names();
    for (const name of ['double', 'say']) {
      expect(names.includes(name)).toBe(shown.some((each) => each === name));
      const answer = client.call(name, name === 'double' ? { number: 2 } : {});
      if (names.includes(name)) expect((await answer).isError).not.toBe(true);
      else await expect(answer).rejects.toThrow(name);
    }
  });

  test('a tool of the kit is checked as ever, and what a handler throws stays with the program', async () => {
    const { acme, agent, store } = bed();
    const { id } = await agent(acme.owner.caller, { tools: ['double', 'throws', 'bad'] });
    const faults: string[] = [];
    const handler = async () => {
      throw new Error('Secret detail');
    };
    const given = [double, sdkTool('throws', { handler }), sdkTool('bad', { handler: async () => 7 })];
    const log = (_where: string, error: unknown) => faults.push(String(error));
    await using client = await clientOf(createCorvidMcpServer({ agentId: id, store, log }, given));
    expect((await client.call('double', { number: 4 })).structuredContent).toEqual({ doubled: 8 });
    const [wrong] = (await client.call('double', { number: 11 })).content;
    expect(wrong).toMatchObject({ text: expect.stringContaining('number: must be at most 10') });
    await expect(client.call('throws', {})).rejects.toThrow(/^(?!.*Secret).*Internal error/);
    expect(faults).toEqual(['Error: Secret detail']);
    expect((await client.call('bad', {})).isError).toBe(true);
  });
});
