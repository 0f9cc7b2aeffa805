import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../define/tool.ts';
import { defineToolset } from '../define/toolset.ts';
import type { Scenario } from './scenarios.ts';
import { scenarios } from './scenarios.ts';

const halve = defineTool({
  name: 'halve',
  title: 'Halve',
  description: 'Halves an even number.',
  effect: 'read',
  input: z.object({ value: z.number() }),
  output: z.object({ result: z.number() }),
  errors: { odd: 'The number is odd.' },
  run({ value }, ctx) {
    if (value % 2 === 1) throw ctx.error('odd', 'It is odd.');
    return { result: value / 2 };
  },
});
const toolset = defineToolset({ name: 'maths', title: 'Maths', tools: [halve] });

const EVEN = { name: 'even', call: ['halve', { value: 4 }] } as const;
const ODD = { name: 'odd', call: ['halve', { value: 3 }] } as const;
const AWAY = { name: 'away', call: ['melt', {}] } as const;

test.each<[says: string, row: Scenario, holds: boolean]>([
  ['what it gives', { ...EVEN, gives: { result: 2 } }, true],
  ['something else that it gives', { ...EVEN, gives: { result: 3 } }, false],
  ['what it gives, of a call that fails', { ...ODD, gives: {} }, false],
  ['its error', { ...ODD, fails: 'odd' }, true],
  ['another error', { ...ODD, fails: 'even' }, false],
  ['an error, of a call that ends well', { ...EVEN, fails: 'odd' }, false],
  ['words', { ...EVEN, shows: ['"result":2'] }, true],
  ['words that are not there', { ...EVEN, shows: ['"result":3'] }, false],
  ['words, of a call that fails with them', { ...ODD, shows: ['It is odd.'] }, false],
  ['words, of a tool that is not there', { ...AWAY, shows: ['Unknown tool'] }, false],
  ['an unknown tool', { ...AWAY, unknown: true }, true],
  ['an unknown tool that is known', { ...EVEN, unknown: true }, false],
  ['words that must not appear and do', { ...EVEN, gives: { result: 2 }, hides: ['result'] }, false],
  ['records that there are not', { ...EVEN, gives: { result: 2 }, records: { ok: 2 } }, false],
  ['a call that is made late', { ...EVEN, call: () => ['halve', { value: 8 }], gives: { result: 4 } }, true],
])('a row that expects %s', async (_says, row, holds) => {
  const bodies: (() => Promise<void>)[] = [];
  const runner = { expect, test: (_name: string, body: () => Promise<void>) => bodies.push(body) };
  scenarios(runner, toolset, () => ({}), [row]);
  expect(bodies).toHaveLength(2);
  for (const body of bodies) {
    const passed = body().then(
      () => true,
      () => false,
    );
    expect(await passed).toBe(holds);
  }
});
