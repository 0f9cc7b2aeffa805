/** Names that collide at one URL: who keeps the bare one, what the others are called, and what grants call them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createEngine } from '../call/engine.ts';
import { defineOutsidePrompt, defineOutsideResource } from '../define/outside-document.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import type { AnyToolset } from '../define/toolset.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { testCaller } from '../testing/callers.ts';
import type { ScriptedSource } from '../testing/scripted-source.ts';
import { scriptedSource } from '../testing/scripted-source.ts';
import type { Source } from './source.ts';
import { toolsetSource } from './source.ts';

const ORG = 'org_test';
const tool = (name: string, owner: string) =>
  defineOutsideTool({
    name,
    title: name,
    description: `${name} of ${owner}`,
    effect: 'read',
    inputSchema: { type: 'object' },
    call: () => ({ content: [{ type: 'text', text: owner }] }),
  });
const setOf = (name: string, tools: readonly string[]) =>
  defineToolset({ name, title: name, tools: tools.map((one) => tool(one, name)) });
const own = (name: string, ...tools: string[]): Source => toolsetSource(install(setOf(name, tools)));
const outside = (name: string, ...tools: string[]): ScriptedSource => holding(setOf(name, tools));

function holding(...toolsets: readonly AnyToolset[]): ScriptedSource {
  const source = scriptedSource(toolsets[0]?.name);
  source.give(ORG, ...toolsets);
  return source;
}

const exchange = {
  info: { id: '1', era: 'local', client: null },
  signal: () => AbortSignal.any([]),
} as const;

async function shown(sources: readonly Source[], caller = testCaller()): Promise<Record<string, string>> {
  const engine = createEngine({ sources });
  await engine.ready(caller);
  const names = engine.list(caller).tools.map(({ name }) => name);
  const answers = names.map(async (name) => {
    const answer = await engine.call(caller, name, {}, exchange);
    return [name, JSON.stringify(answer.content)] as const;
  });
  return Object.fromEntries(
    (await Promise.all(answers)).map(([name, text]) => [name, /"text":"([\w-]+)"/.exec(text)?.[1] ?? text]),
  );
}

const LONG = 'x'.repeat(70);

describe('names that collide', () => {
  test.each([
    {
      name: 'free names stay',
      sources: [own('aa', 'x'), outside('bb_1', 'y')],
      gives: { x: 'aa', y: 'bb_1' },
    },
    {
      name: 'a toolset of this program wins, whatever the others are called',
      sources: [outside('a_1', 'search'), own('zz', 'search')],
      gives: { search: 'zz', a_1_search: 'a_1' },
    },
    {
      name: 'among others the first by name keeps it',
      sources: [outside('c_2', 'search'), outside('c_1', 'search'), outside('c_3', 'search')],
      gives: { search: 'c_1', c_2_search: 'c_2', c_3_search: 'c_3' },
    },
    {
      name: 'two toolsets of this program are told apart as well',
      sources: [own('two', 'same'), own('one', 'same')],
      gives: { same: 'one', two_same: 'two' },
    },
    {
      name: 'a prefixed name never takes one that somebody has',
      sources: [own('aa', 'search'), outside('b', 'search'), outside('c', 'b_search')],
      gives: { search: 'aa', b_search: 'c', b_search_b465964b: 'b' },
    },
    {
      name: 'a name that is too long is cut and ends with a hash',
      sources: [own('aa', LONG), outside('b_1', LONG)],
      gives: { [LONG]: 'aa', [`b_1_${'x'.repeat(51)}_70808c97`]: 'b_1' },
    },
    {
      name: 'a name of another server that begins with an underscore gets a letter before it',
      sources: [own('aa', '_own', 'x_b'), outside('b_1', '_a', '_b', ' c'), outside('_c', 'x_b')],
      gives: { _own: 'aa', x_b: 'aa', x_a: 'b_1', b_1__b: 'b_1', x_c: 'b_1', x_c_x_b: '_c' },
    },
  ])('$name', async ({ sources, gives }) => {
    expect(await shown(sources)).toEqual(gives);
    expect(await shown(sources.toReversed())).toEqual(gives);
  });

  test('a source with a made id is called by its title, which no other one and no toolset has', async () => {
    const [one, two, three] = ['1', '2', '3'].map((last) => `conn_01m7${'0'.repeat(21)}${last}`);
    const titled = (name = '', title = '') =>
      holding(defineToolset({ name, title, tools: [tool('search', name)] }));
    const sources = [
      own('board', 'search'),
      titled(one, 'My Tracker'),
      titled(two, 'my tracker'),
      titled(three, 'Board'),
    ];
    const names = await shown(sources);
    expect(names).toEqual({
      search: 'board',
      my_tracker_search: one,
      my_tracker_2aba_search: two,
      board_2aac_search: three,
    });
    expect(await shown(sources.toReversed())).toEqual(names);
    const only = testCaller({ roles: [], grants: { [two ?? '']: ['search'] } });
    expect(await shown(sources, only)).toEqual({ my_tracker_2aba_search: two });
  });

  test('a grant names the source and the name that its definition has', async () => {
    const sources = [own('aa', 'search'), outside('b_1', 'search')];
    const only = (grants: Record<string, string[]>) => shown(sources, testCaller({ roles: [], grants }));
    expect(await only({ b_1: ['search'] })).toEqual({ b_1_search: 'b_1' });
    expect(await only({ b_1: ['b_1_search'] })).toEqual({});
    expect(await only({ aa: ['search'] })).toEqual({ search: 'aa' });
  });

  test('a URL that serves one toolset shows the bare name', async () => {
    const engine = createEngine({ sources: [own('aa', 'search'), outside('b_1', 'search')] });
    await engine.ready(testCaller());
    const { tools } = engine.narrow(['b_1']).list(testCaller());
    expect(tools.map(({ name, toolset }) => [toolset, name])).toEqual([['b_1', 'search']]);
  });

  test('a toolset under the name of one of this program is left out, since its grants are not its own', async () => {
    expect(await shown([own('aa', 'x'), holding(setOf('aa', ['y']))].slice(1))).toEqual({ y: 'aa' });
    const twin = scriptedSource('twin');
    twin.give(ORG, setOf('aa', ['y']), setOf('bb', ['z']));
    expect(await shown([own('aa', 'x'), twin])).toEqual({ x: 'aa', z: 'bb' });
  });

  test('what is ill-formed costs nothing but itself, and is reported', async () => {
    const faults: string[] = [];
    const source = scriptedSource('odd');
    source.give(ORG, setOf('c_1', ['fine', 'two words', 'two\nlines', 'fine']), setOf('not a name', ['x']));
    const engine = createEngine({ sources: [source], onFault: (error) => faults.push(String(error)) });
    await engine.ready(testCaller());
    expect(engine.list(testCaller()).tools.map(({ name }) => name)).toEqual(['fine', 'two words']);
    expect(faults).toEqual([
      expect.stringContaining('A tool name of a connection must be 1 to 200 visible characters.'),
      expect.stringContaining('"fine" is defined twice in "c_1"'),
      expect.stringContaining('The name "not a name" of a connection'),
    ]);
  });

  test('prompts and resources are told apart too, and reach the code that they belong to', async () => {
    const documents = (name: string) =>
      defineToolset({
        name,
        title: name,
        tools: [],
        resources: [
          defineOutsideResource({
            definition: { name: 'page', uri: 'docs://page' },
            read: async (uri) => ({ contents: [{ uri, text: `${name} ${uri}` }] }),
          }),
          defineOutsideResource({
            definition: { name: 'part', uriTemplate: 'docs://parts/{id}' },
            read: async (uri) => ({ contents: [{ uri, text: `${name} ${uri}` }] }),
          }),
        ],
        prompts: [
          defineOutsidePrompt({
            definition: { name: 'sum_up' },
            get: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
          }),
        ],
      });
    const told: unknown[] = [];
    const source = holding(documents('a_1'), documents('b_1'));
    const engine = createEngine({ sources: [source], changes: { publish: (change) => told.push(change) } });
    const caller = testCaller();
    await engine.ready(caller);
    const read = async (uri: string) => (await engine.documents.read(caller, uri, exchange)).contents;
    expect(
      engine
        .view(caller)
        .resources(caller)
        .map(({ uri }) => uri),
    ).toEqual([
      'docs://page',
      'parley://b_1/docs%3A%2F%2Fpage',
      'docs://parts/{id}',
      'parley://b_1/docs%3A%2F%2Fparts%2F{id}',
    ]);
    expect(await read('docs://page')).toEqual([{ uri: 'docs://page', text: 'a_1 docs://page' }]);
    const alias = 'parley://b_1/docs%3A%2F%2Fpage';
    expect(await read(alias)).toEqual([{ uri: alias, text: 'b_1 docs://page' }]);
    const part = 'parley://b_1/docs%3A%2F%2Fparts%2Fx%20y';
    expect(await read(part)).toEqual([{ uri: part, text: 'b_1 docs://parts/x%20y' }]);
    const { messages } = (await engine.documents.get(caller, 'b_1_sum_up', {}, exchange)) as {
      messages: { content: { text: string } }[];
    };
    expect(messages[0]?.content.text).toBe('b_1');
    source.tell({ kind: 'resource', uri: 'docs://parts/7', organizationId: ORG });
    expect(told).toEqual([
      { kind: 'resource', uri: 'docs://parts/7', organizationId: ORG },
      { kind: 'resource', uri: 'parley://b_1/docs%3A%2F%2Fparts%2F7', organizationId: ORG },
    ]);
  });

  test('lists are equal with sources in any order', async () => {
    const anyName = fc.constantFrom('a', 'b', 'a_b', 'b_a', 'search', LONG);
    const anySet = fc.record({ isOwn: fc.boolean(), tools: fc.uniqueArray(anyName, { maxLength: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(anySet, { maxLength: 5 }), fc.nat(), async (sets, turn) => {
        const sources = sets.map(({ isOwn, tools }, index) =>
          isOwn ? own(`s${index}`, ...tools) : outside(`s_${index}`, ...tools),
        );
        const at = sources.length === 0 ? 0 : turn % sources.length;
        const listed = await shown(sources);
        expect(await shown([...sources.slice(at), ...sources.slice(0, at)].toReversed())).toEqual(listed);
        expect(Object.keys(listed)).toHaveLength(sets.flatMap(({ tools }) => tools).length);
      }),
      { numRuns: 60 },
    );
  });
});
