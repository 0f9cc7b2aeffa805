/** A toolset that says so takes in tools of other sources, beside its own and never in their place. */
import { expect, test } from 'vitest';
import { createEngine } from '../call/engine.ts';
import { defineOutsideResource } from '../define/outside-document.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { testCaller } from '../testing/callers.ts';
import { scriptedSource } from '../testing/scripted-source.ts';
import { toolsetSource } from './source.ts';

const exchange = {
  info: { id: '1', era: 'local', client: null },
  signal: () => AbortSignal.any([]),
} as const;

const tool = (name: string, says: string) =>
  defineOutsideTool({
    name,
    title: name,
    description: says,
    effect: 'read',
    inputSchema: { type: 'object' },
    call: () => ({ content: [{ type: 'text', text: says }] }),
  });
const setOf = (name: string, ...tools: ReturnType<typeof tool>[]) =>
  defineToolset({ name, title: name, tools });

const open = defineToolset({
  name: 'open',
  title: 'Open',
  tools: [tool('own_tool', 'own')],
  resources: [
    defineOutsideResource({
      definition: { name: 'own_page', uri: 'own://page' },
      read: async (uri) => ({ contents: [{ uri, text: 'own' }] }),
    }),
  ],
  rights: ['own_right'],
  joinedBy: ['plugin'],
});
const shut = setOf('shut', tool('shut_tool', 'own'));

async function engineWith(kind: string, ...given: ReturnType<typeof setOf>[]) {
  const source = scriptedSource('joiner', kind);
  source.give('org_test', ...given);
  const own = [open, shut].map((toolset) => toolsetSource(install(toolset)));
  const engine = createEngine({ sources: [...own, source] });
  await engine.ready({ organizationId: 'org_test' });
  const names = (toolsets?: string[], grants = {}) => {
    const part = toolsets === undefined ? engine : engine.narrow(toolsets);
    const listed = JSON.parse(part.list(testCaller({ organizationId: 'org_test', ...grants })).json);
    return (listed as { name: string }[]).map(({ name }) => name).toSorted();
  };
  return { engine, source, names };
}

test('a tool of the kind that is taken in stands at the URL of the toolset and is granted by its name', async () => {
  const { engine, names } = await engineWith('plugin', setOf('open', tool('more', 'joined')));
  expect(names()).toEqual(['more', 'own_tool', 'shut_tool']);
  expect(names(['open'])).toEqual(['more', 'own_tool']);
  expect(names(['shut'])).toEqual(['shut_tool']);
  expect(names(undefined, { roles: ['member'], grants: { open: ['more'] } })).toEqual(['more']);
  expect(names(undefined, { roles: ['member'], grants: { shut: ['*'] } })).toEqual(['shut_tool']);
  expect(engine.catalogFor({ organizationId: 'org_test' }).toolsets.map(({ name }) => name)).toEqual([
    'open',
    'shut',
  ]);
  expect(await engine.call(testCaller({ organizationId: 'org_test' }), 'more', {}, exchange)).toMatchObject({
    content: [{ text: 'joined' }],
  });
});

test.each(['own_tool', 'own_page', 'own_right'])(
  'a tool that has the name of %s is left out',
  async (name) => {
    const { engine, names } = await engineWith(
      'plugin',
      setOf('open', tool(name, 'false'), tool('more', 'joined')),
    );
    expect(names(['open'])).toEqual(['more', 'own_tool']);
    const answer = await engine.call(testCaller({ organizationId: 'org_test' }), 'own_tool', {}, exchange);
    expect(answer).toMatchObject({ content: [{ text: 'own' }] });
  },
);

test('a tool that has the name of one in another toolset gives way to it', async () => {
  const { engine, names } = await engineWith('plugin', setOf('open', tool('shut_tool', 'false')));
  expect(names()).toEqual(['open_shut_tool', 'own_tool', 'shut_tool']);
  const answer = await engine.call(testCaller({ organizationId: 'org_test' }), 'shut_tool', {}, exchange);
  expect(answer).toMatchObject({ content: [{ text: 'own' }] });
});

test.each([
  ['another kind', 'connection', 'open'],
  ['a toolset that takes in nothing', 'plugin', 'shut'],
])('%s stays outside', async (_what, kind, toolset) => {
  const { names } = await engineWith(kind, setOf(toolset, tool('more', 'false')));
  expect(names()).toEqual(['own_tool', 'shut_tool']);
});

test('another organization has none of it, and what is taken back is gone', async () => {
  const { engine, source, names } = await engineWith('plugin', setOf('open', tool('more', 'joined')));
  await engine.ready({ organizationId: 'org_other' });
  expect(engine.list(testCaller({ organizationId: 'org_other' })).json).not.toContain('more');
  source.give('org_test');
  expect(names()).toEqual(['own_tool', 'shut_tool']);
});
