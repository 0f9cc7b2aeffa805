/** Conditions and templates: what they read, and that they evaluate nothing. */
import { expect, test } from 'vitest';
import { holds, render } from './data.ts';

test.each<
  [
    op: 'eq' | 'ne' | 'gt' | 'lt' | 'contains' | 'exists',
    value: string | number | null,
    found: unknown,
    is: boolean,
  ]
>([
  ['eq', '5', 5, true],
  ['eq', 5, '5', true],
  ['eq', null, null, true],
  ['eq', null, undefined, true],
  ['eq', 'a', ['a'], false],
  ['ne', 'a', 'a', false],
  ['ne', 'a', 'b', true],
  ['gt', 3, '4', true],
  ['gt', 3, 'x', false],
  ['gt', 3, null, false],
  ['lt', 3, 2, true],
  ['contains', 'b', 'abc', true],
  ['contains', 2, [1, 2], true],
  ['contains', 'a', { a: 1 }, false],
  ['exists', null, 0, true],
  ['exists', null, null, false],
  ['exists', null, undefined, false],
])('%s %s of %j: %s', (op, value, found, is) => {
  expect(holds({ path: 'input.x', op, value }, { input: { x: found }, nodes: {} })).toBe(is);
});

test('a template is filled with text once', () => {
  const data = {
    input: { name: '{{input.secret}} $& ${1+1}', list: [1], secret: 'S' },
    nodes: { a: { text: 'A' } },
  };
  expect(render('{{input.name}}|{{ input.list }}|{{nodes.a.text}}', data)).toBe(
    '{{input.secret}} $& ${1+1}|[1]|A',
  );
  expect(render('{{input.gone}}{{input.constructor}}{{nodes.__proto__}}{{}}{{a b}}', data)).toBe(
    '{{}}{{a b}}',
  );
});

test('neither a long template nor a long value takes long or much', () => {
  const data = { input: { x: 'y'.repeat(65_536) }, nodes: {} };
  expect(render('{{input.x}}'.repeat(1000), data)).toHaveLength(65_536);
  expect(render('{{'.repeat(8000), data)).toHaveLength(16_000);
});
