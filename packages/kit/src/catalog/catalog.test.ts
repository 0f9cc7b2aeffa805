/** What a catalog refuses, and how it lists. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createEngine } from '../call/engine.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { definePrompt } from '../define/prompt.ts';
import { defineResource } from '../define/resource.ts';
import { toolsetSource } from './source.ts';
import { testCaller } from '../testing/callers.ts';
import { defineTool } from '../define/tool.ts';
import { defineToolset, install } from '../define/toolset.ts';

const tool = (name: string) =>
  defineTool({
    name,
    title: name,
    description: name,
    effect: 'read',
    input: z.object({ count: z.int().describe('How many') }),
    output: z.object({}),
    run: () => ({}),
  });
const engineOf = (...names: string[]) =>
  createEngine({
    sources: [toolsetSource(install(defineToolset({ name: 'many', title: 'Many', tools: names.map(tool) })))],
  });

describe('a catalog', () => {
  test.each(['', 'has space', 'ümlaut', 'a/b', 'x'.repeat(129), 'line\nbreak'])(
    'refuses the tool name %j',
    (name) => {
      expect(() => engineOf(name)).toThrow('must be 1 to 128 letters');
    },
  );

  test('refuses two tools of one name in one toolset', () => {
    expect(() => engineOf('same', 'same')).toThrow('The tool name "same" is defined twice in "many".');
  });

  test('refuses two sources of one name', () => {
    const sets = ['one', 'two'].map((title) => install(defineToolset({ name: 'twin', title, tools: [] })));
    expect(() => createEngine({ sources: sets.map(toolsetSource) })).toThrow('two sources named "twin"');
  });

  test.each(['Upper', 'has_underscore', '1st', ''])('refuses the toolset name %j', (name) => {
    const toolset = defineToolset({ name, title: name, tools: [] });
    expect(() => createEngine({ sources: [toolsetSource(install(toolset))] })).toThrow('Toolset name');
  });

  test('refuses two resources of one URI', () => {
    const resource = (name: string) =>
      defineResource({ name, title: name, description: name, uri: 'x://same', read: () => ({ text: '' }) });
    const toolset = defineToolset({
      name: 'r',
      title: 'R',
      tools: [],
      resources: [resource('a'), resource('b')],
    });
    expect(() => createEngine({ sources: [toolsetSource(install(toolset))] })).toThrow(
      '"x://same" is defined twice',
    );
  });

  test('lists by name whatever the order of definition', () => {
    const page = engineOf('zebra', 'apple', 'mango').list(testCaller());
    expect(page.tools.map(({ name }) => name)).toEqual(['apple', 'mango', 'zebra']);
  });

  test('gives equal bytes to equal grants', () => {
    const engine = engineOf('a', 'b');
    const grants = { many: ['a', 'b'] };
    const first = engine.list(testCaller({ id: 'one', grants }));
    const second = engine.list(testCaller({ id: 'two', grants: { many: ['b', 'a'] } }));
    expect(second.json).toBe(first.json);
  });

  test('pages a long list by name and refuses a cursor it never gave', () => {
    const names = Array.from({ length: 2500 }, (_, index) => `tool_${String(index).padStart(4, '0')}`);
    const engine = engineOf(...names);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = engine.list(testCaller(), cursor);
      seen.push(...page.tools.map(({ name }) => name));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(names);
    expect(() => engine.list(testCaller(), 'not base64!')).toThrow('Invalid cursor');
    expect(() => engine.list(testCaller(), '')).toThrow('Invalid cursor');
  });

  test('narrows to the toolsets of a URL', () => {
    const sets = ['one', 'two'].map((name) =>
      install(defineToolset({ name, title: name, tools: [tool(name)] })),
    );
    const narrowed = createEngine({ sources: sets.map(toolsetSource) }).narrow(['two']);
    expect(narrowed.list(testCaller()).tools.map(({ name }) => name)).toEqual(['two']);
  });

  test('does not list the range of safe integers', () => {
    expect(engineOf('a').list(testCaller()).json).toContain(
      '"count":{"type":"integer","description":"How many"}',
    );
  });

  test('keeps the schema of an outside tool word for word and checks it', async () => {
    const inputSchema = {
      type: 'object',
      properties: { n: { type: 'number', $comment: 'kept' } },
      required: ['n'],
    };
    const outside = defineOutsideTool({
      name: 'foreign',
      title: 'Foreign',
      description: 'From outside.',
      effect: 'read',
      inputSchema,
      call: ({ n }) => ({ content: [{ type: 'text', text: `n=${String(n)}` }] }),
    });
    const engine = createEngine({
      sources: [toolsetSource(install(defineToolset({ name: 'o', title: 'O', tools: [outside] })))],
    });
    expect(engine.list(testCaller()).tools[0]?.definition.inputSchema).toEqual(inputSchema);
    const exchange = {
      info: { id: '1', era: 'local', client: null },
      signal: () => AbortSignal.any([]),
    } as const;
    expect(await engine.call(testCaller(), 'foreign', { n: 1 }, exchange)).toMatchObject({
      content: [{ text: 'n=1' }],
    });
    expect(await engine.call(testCaller(), 'foreign', { n: 'x' }, exchange)).toMatchObject({ isError: true });
  });

  test('lists prompts and resources by their own grants', () => {
    const toolset = defineToolset({
      name: 'docs',
      title: 'Docs',
      tools: [tool('read_docs')],
      resources: [
        defineResource({
          name: 'page',
          title: 'P',
          description: 'P',
          uri: 'docs://page',
          read: () => ({ text: '' }),
        }),
      ],
      prompts: [
        definePrompt({
          name: 'sum_up',
          title: 'S',
          description: 'S',
          arguments: z.object({}),
          get: () => 'x',
        }),
      ],
    });
    const engine = createEngine({ sources: [toolsetSource(install(toolset))] });
    const narrow = testCaller({ roles: [], grants: { docs: ['read_docs'] } });
    const { documents } = engine;
    expect(engine.view(narrow).resources(narrow)).toEqual([]);
    expect(engine.view(narrow).prompts(narrow)).toEqual([]);
    expect(documents.canRead(testCaller({ grants: { docs: ['page'] } }), 'docs://page')).toBe(true);
    expect(documents.canRead(narrow, 'docs://page')).toBe(false);
  });
});
