/** Pages of tools are remembered under the names of tools, and under nothing that a client makes up. */
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
