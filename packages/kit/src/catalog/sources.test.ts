/** Two organizations with equal grants and different sources: neither ever sees anything of the other. */
import { describe, expect, test } from 'vitest';
import type { Caller } from '../access/caller.ts';
import type { Engine } from '../call/engine.ts';
import { createEngine } from '../call/engine.ts';
import type { Change } from '../changes.ts';
import { defineOutsidePrompt, defineOutsideResource } from '../define/outside-document.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { testCaller } from '../testing/callers.ts';
import { scriptedSource } from '../testing/scripted-source.ts';
import { toolsetSource } from './source.ts';

type Side = 'a' | 'b';
const exchange = {
  info: { id: '1', era: 'local', client: null },
  signal: () => AbortSignal.any([]),
} as const;

const tool = (name: string, says: string) =>
  defineOutsideTool({
    name,
    title: name,
    description: name,
    effect: 'read',
    inputSchema: { type: 'object' },
    call: () => ({ content: [{ type: 'text', text: says }] }),
  });
const resource = (name: string, place: { uri: string } | { uriTemplate: string }, says: string) =>
  defineOutsideResource({
    definition: { name, ...place },
    read: async (uri) => ({ contents: [{ uri, text: says }] }),
    complete: () => [says],
  });
const prompt = (name: string, says: string) =>
  defineOutsidePrompt({
    definition: { name },
    get: async () => ({ messages: [{ role: 'user', content: { type: 'text', text: says } }] }),
    complete: () => [says],
  });
/** What one side has: something under a name of its own, and something under a name that both have. */
const setOf = (side: Side) =>
  defineToolset({
    name: `conn_${side}`,
    title: side,
    instructions: `about ${side}`,
    tools: [tool(`only_${side}`, side), tool('both', side)],
    resources: [
      resource('only', { uri: `${side}://page` }, side),
      resource('page', { uri: 'both://page' }, side),
      resource('pages', { uriTemplate: `${side}://pages/{id}` }, side),
    ],
    prompts: [prompt(`ask_${side}`, side), prompt('ask', side)],
  });
const common = toolsetSource(
  install(defineToolset({ name: 'own', title: 'Own', tools: [tool('ours', 'own')] })),
);
const callerOf = (side: Side): Caller => testCaller({ id: `key_${side}`, organizationId: `org_${side}` });
const other = (side: Side): Side => (side === 'a' ? 'b' : 'a');

/** Each looks at one way to what a source has; a refusal is text like any other. */
const LOOKS: readonly (readonly [string, (engine: Engine, caller: Caller, side: Side) => unknown])[] = [
  ['the list of tools', (engine, caller) => engine.list(caller).json],
  ['a call', (engine, caller) => engine.call(caller, 'both', {}, exchange)],
  ['a call of its own', (engine, caller, side) => engine.call(caller, `only_${side}`, {}, exchange)],
  ['a tool that is found', (engine, caller) => engine.find(caller, 'both')?.call({}, exchange)],
  [
    'resources',
    (engine, caller) =>
      engine
        .view(caller)
        .resources(caller)
        .map(({ definition }) => definition),
  ],
  ['a read', (engine, caller) => engine.documents.read(caller, 'both://page', exchange)],
  [
    'a read by template',
    (engine, caller, side) => engine.documents.read(caller, `${side}://pages/1`, exchange),
  ],
  [
    'prompts',
    (engine, caller) =>
      engine
        .view(caller)
        .prompts(caller)
        .map(({ definition }) => definition),
  ],
  ['a prompt', (engine, caller) => engine.documents.get(caller, 'ask', {}, exchange)],
  [
    'completions of a prompt',
    (engine, caller) =>
      engine.documents.complete(caller, { ref: { prompt: 'ask' }, argument: 'x', typed: '' }, exchange),
  ],
  [
    'completions of a template',
    (engine, caller, side) => {
      const ref = { resource: `${side}://pages/{id}` };
      return engine.documents.complete(caller, { ref, argument: 'id', typed: '' }, exchange);
    },
  ],
  ['what there is', (engine, caller) => engine.catalogFor(caller).toolsets],
  [
    'the list at the URL of its own',
    (engine, caller, side) => engine.narrow([`conn_${side}`]).list(caller).json,
  ],
];

/** Each asks for what only the other side has. */
const REACHES: readonly (readonly [
  string,
  (engine: Engine, caller: Caller, foreign: Side) => unknown,
  unknown,
])[] = [
  [
    'a call',
    (engine, caller, foreign) => engine.call(caller, `only_${foreign}`, {}, exchange),
    'Unknown tool',
  ],
  ['a tool', (engine, caller, foreign) => engine.find(caller, `only_${foreign}`), undefined],
  [
    'a task',
    (engine, caller, foreign) =>
      engine.run(caller, { toolset: `conn_${foreign}`, name: 'both' }, {}, { ...exchange, ...TASK }),
    'Unknown tool',
  ],
  [
    'a read',
    (engine, caller, foreign) => engine.documents.read(caller, `${foreign}://page`, exchange),
    'not found',
  ],
  ['a watch', (engine, caller, foreign) => engine.documents.canRead(caller, `${foreign}://page`), false],
  [
    'a watch by template',
    (engine, caller, foreign) => engine.documents.canRead(caller, `${foreign}://pages/1`),
    false,
  ],
  [
    'a prompt',
    (engine, caller, foreign) => engine.documents.get(caller, `ask_${foreign}`, {}, exchange),
    'Unknown prompt',
  ],
  [
    'completions',
    (engine, caller, foreign) => {
      const ref = { prompt: `ask_${foreign}` };
      return engine.documents.complete(caller, { ref, argument: 'x', typed: '' }, exchange);
    },
    'Nothing to complete',
  ],
  ['a URL', (engine, caller, foreign) => engine.serves(caller, `conn_${foreign}`), false],
  [
    'the list at that URL',
    (engine, caller, foreign) => engine.narrow([`conn_${foreign}`]).list(caller).json,
    '[]',
  ],
  ['why it is missing', (engine, caller, foreign) => engine.explain(caller, `only_${foreign}`), 'unknown'],
];
const TASK = {
  channel: { capabilities: {}, request: never, step: never },
  task: { id: 't', prepared: null, isFollowed: false },
};
function never(): never {
  throw new Error('Nobody asks.');
}

function start() {
  const told: Change[] = [];
  const source = scriptedSource('connections');
  source.give('org_a', setOf('a'));
  source.give('org_b', setOf('b'));
  const engine = createEngine({
    sources: [common, source],
    changes: { publish: (change) => told.push(change) },
  });
  return { engine, source, told };
}

const textOf = async (look: () => unknown): Promise<string> => {
  try {
    return JSON.stringify(await look()) ?? 'undefined';
  } catch (error) {
    return String(error);
  }
};

/** The sides in both orders, each once and then again from what is remembered. */
const ORDERS: readonly (readonly Side[])[] = [
  ['a', 'b', 'a', 'b'],
  ['b', 'a', 'b', 'a'],
];

describe.each(ORDERS.map((order) => ({ order })))('two organizations, asked as $order', ({ order }) => {
  test.each(LOOKS)('%s holds what is its own', async (_name, look) => {
    const { engine } = start();
    for (const side of order) {
      const caller = callerOf(side);
      await engine.ready(caller);
      const text = await textOf(() => look(engine, caller, side));
      expect(text).toMatch(new RegExp(`"${side}"|_${side}\\b|${side}://`));
      expect(text).not.toMatch(new RegExp(`"${other(side)}"|_${other(side)}\\b|\\b${other(side)}://`));
    }
  });

  test.each(REACHES)('%s of the other one is not there', async (_name, reach, expected) => {
    const { engine } = start();
    for (const side of order) {
      const caller = callerOf(side);
      await engine.ready(caller);
      const text = await textOf(() => reach(engine, caller, other(side)));
      expect(text).toContain(typeof expected === 'string' ? expected : String(expected));
    }
  });
});

test('each part is loaded once, by whoever comes first, and nobody waits after that', async () => {
  const { engine, source } = start();
  const ready = async (side: Side) => engine.ready(callerOf(side));
  await Promise.all([ready('a'), ready('a'), ready('b')]);
  expect(source.loads).toEqual(['org_a', 'org_b']);
  expect(engine.ready(callerOf('a'))).toBeUndefined();
  expect(await engine.call(callerOf('b'), 'only_b', {}, exchange)).toMatchObject({
    content: [{ text: 'b' }],
  });
});

test('a call, a read and a prompt load the part by themselves', async () => {
  const looks = [
    (engine: Engine) => engine.call(callerOf('a'), 'only_a', {}, exchange),
    (engine: Engine) => engine.documents.read(callerOf('a'), 'a://page', exchange),
    (engine: Engine) => engine.documents.get(callerOf('a'), 'ask_a', {}, exchange),
  ];
  for (const look of looks) expect(await textOf(() => look(start().engine))).toContain('"a"');
});

test('a new version is served at once, to the same caller and only there; its organization alone is told', async () => {
  const { engine, source, told } = start();
  const [a, b] = [callerOf('a'), callerOf('b')];
  for (const caller of [a, b]) await engine.ready(caller);
  const before = engine.list(b);
  expect(engine.list(a).json).toContain('only_a');
  told.length = 0;
  source.give('org_a', defineToolset({ name: 'conn_a', title: 'a', tools: [tool('newer', 'a')] }));
  expect(engine.list(a).tools.map(({ name }) => name)).toEqual(['newer', 'ours']);
  expect(await textOf(() => engine.call(a, 'only_a', {}, exchange))).toContain('Unknown tool');
  expect(engine.list(b)).toBe(before);
  expect(told).toEqual([{ kind: 'tools', organizationId: 'org_a' }]);
  source.give('org_a');
  expect(engine.list(a).tools.map(({ name }) => name)).toEqual(['ours']);
  expect(engine.serves(a, 'conn_a')).toBe(false);
});

test('organizations without parts of their own share one view', async () => {
  const { engine } = start();
  const callers = ['org_c', 'org_d'].map((organizationId) => testCaller({ organizationId }));
  for (const caller of callers) await engine.ready(caller);
  const [c, d] = callers.map((caller) => engine.view(caller));
  expect(c).toBe(d);
  await engine.ready(callerOf('a'));
  expect(engine.view(callerOf('a'))).not.toBe(c);
});
