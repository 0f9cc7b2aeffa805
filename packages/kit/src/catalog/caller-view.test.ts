/** What a view remembers: pages and what stands in them, and nothing that a client makes up; and what clients are told. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { createEngine, defineTool, defineToolset, install, toolsetSource } from '../index.ts';
import { testCaller } from '../testing/index.ts';

const tool = (name: string) =>
  defineTool({
    name,
    title: name,
    description: 'Does nothing.',
    effect: 'read',
    input: z.object({}),
    output: z.object({}),
    run: () => ({}),
  });
const toolset = defineToolset({
  name: 'lab',
  title: 'Lab',
  tools: [tool('alpha'), tool('beta'), tool('gamma')],
});

test('a page is written once for all who see it, and again for another organization when it is not the last', () => {
  const long = defineToolset({
    name: 'long',
    title: 'Long',
    tools: Array.from({ length: 1001 }, (_, at) => tool(`tool_${at}`)),
  });
  const sources = [toolset, long].map((each) => toolsetSource(install(each)));
  const engine = createEngine({ sources });
  const [one, two] = ['org_1', 'org_2'].map((organizationId) => testCaller({ organizationId }));
  const short = engine.narrow(['lab']);
  expect(short.list(one!)).toBe(short.list(two!));
  expect(short.list(one!).nextCursor).toBeUndefined();
  const first = engine.list(one!);
  expect(engine.list({ ...one!, id: 'another key' })).toBe(first);
  expect(engine.list(two!).json).toBe(first.json);
  expect(engine.list(two!).nextCursor).not.toBe(first.nextCursor);
  const { nextCursor } = first;
  expect(engine.list(one!, nextCursor)).toBe(engine.list({ ...one!, id: 'another key' }, nextCursor));
  expect(() => engine.list(two!, nextCursor)).toThrow('Invalid cursor');
});

test('a cursor is known to every process with the keys, and to one whose newest key is another', () => {
  const long = defineToolset({
    name: 'long',
    title: 'Long',
    tools: Array.from({ length: 1001 }, (_, at) => tool(`tool_${at}`)),
  });
  const [old, young] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const engineWith = (...cursorKeys: Buffer[]) =>
    createEngine({ sources: [toolsetSource(install(long))], cursorKeys });
  const { nextCursor } = engineWith(old).list(testCaller());
  for (const keys of [[old], [young, old]])
    expect(engineWith(...keys).list(testCaller(), nextCursor).tools).toHaveLength(1);
  expect(() => engineWith(young).list(testCaller(), nextCursor)).toThrow('Invalid cursor');
});

test('the digest of a list is that of what its caller sees, whoever else sees more', () => {
  const engineOf = (...names: string[]) =>
    createEngine({
      sources: [toolsetSource(install(defineToolset({ name: 'lab', title: 'Lab', tools: names.map(tool) })))],
    });
  const some = testCaller({ roles: [], grants: { lab: ['alpha'] } });
  const digest = (names: string[], caller = some) =>
    engineOf(...names)
      .view(caller)
      .digest('tools', caller);
  expect(digest(['alpha', 'beta'])).toBe(digest(['gamma', 'alpha']));
  expect(digest(['alpha'])).not.toBe(digest(['beta']));
  expect(digest(['alpha', 'beta'], testCaller())).not.toBe(digest(['alpha'], testCaller()));
});

test('a client is told of a toolset only when it has every tool that the text names', () => {
  let isOpen = true;
  const told = defineToolset({
    name: 'told',
    title: 'Told',
    instructions: 'First look, then touch. The rest (move) is there where a grant names it. See told.help.',
    tools: [
      tool('look'),
      { ...tool('touch'), available: () => isOpen },
      { ...tool('move'), privileged: 'by-name' as const },
      tool('other'),
    ],
  });
  const quiet = defineToolset({ name: 'quiet', title: 'Quiet', instructions: 'Be quiet.', tools: [] });
  const engine = createEngine({
    sources: [told, quiet, toolset].map((each) => toolsetSource(install(each))),
  });
  const instructions = (grants: Record<string, string[]>, on = engine) =>
    on.instructionsFor(testCaller({ roles: [], grants }));
  const { instructions: text } = told;
  const table: [grants: Record<string, string[]>, expected: string | undefined][] = [
    [{ '*': ['*'] }, `${text}\n\nBe quiet.`],
    [{ told: ['look', 'touch'] }, `${text}\n\nBe quiet.`],
    [{ told: ['look', 'other', 'move'] }, 'Be quiet.'],
    [{ lab: ['*'] }, 'Be quiet.'],
  ];
  for (const [grants, expected] of table) expect(instructions(grants)).toBe(expected);
  expect(instructions({ '*': ['*'] }, engine.narrow(['told']))).toBe(text);
  expect(instructions({ lab: ['*'] }, engine.narrow(['told']))).toBeUndefined();
  isOpen = false;
  expect(instructions({ '*': ['*'] })).toBe('Be quiet.');
});
