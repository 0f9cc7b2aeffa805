/** What a view remembers: pages under the names of tools and nothing that a client makes up, and what clients are told. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { encodeCursor } from './cursor.ts';
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

test('a cursor that is no name is answered right and not remembered', () => {
  const engine = createEngine({ sources: [toolsetSource(install(toolset))] });
  const caller = testCaller();
  const page = (after: string) => engine.list(caller, encodeCursor(after));
  expect(page('alpha').tools.map(({ name }) => name)).toEqual(['beta', 'gamma']);
  expect(page('alpha')).toBe(page('alpha'));
  expect(engine.list(caller)).toBe(engine.list(caller));
  expect(page('alphabet').tools.map(({ name }) => name)).toEqual(['beta', 'gamma']);
  expect(page('alphabet')).not.toBe(page('alphabet'));
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
