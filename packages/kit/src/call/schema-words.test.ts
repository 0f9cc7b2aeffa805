/** What a caller is told whose input does not fit the JSON Schema of a tool of another server. */
import { expect, test } from 'vitest';
import { faultsAgainst } from '../define/schema-fault.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    mode: { enum: ['a', 'b'] },
    'a/b': { type: 'string' },
    word: { type: 'string', pattern: '^x, y$' },
    rows: { type: 'array', items: { type: 'object', properties: { id: {} }, additionalProperties: false } },
  },
  required: ['count'],
  additionalProperties: false,
};

test('of many faults the first are told', async () => {
  const faultOf = await faultsAgainst(SCHEMA);
  const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`x${at}`, 1]));
  expect(faultOf({ count: 1, ...many })?.split('; ')).toHaveLength(10);
});

test.each<[string, unknown, string | undefined]>([
  ['what fits', { count: 1 }, undefined],
  ['a wrong type', { count: 'x' }, 'count: must be integer'],
  ['an absent field', {}, 'count: is required'],
  ['an unknown field', { count: 1, tea: 1 }, 'tea: is not a known field'],
  [
    'two unknown fields',
    { count: 1, tea: 1, cup: 2 },
    'tea: is not a known field; cup: is not a known field',
  ],
  ['one in a list', { count: 1, rows: [{ id: 1 }, { no: 1 }] }, 'rows.1.no: is not a known field'],
  ['a sign of pointers', { count: 1, 'a/b': 1 }, 'a/b: must be string'],
  ['a comma in a rule', { count: 1, word: 'z' }, 'word: must match pattern "^x, y$"'],
  ['several', { mode: 'c' }, 'count: is required; mode: must be equal to one of the allowed values'],
  ['no object', [], 'input: must be object'],
])('%s', async (_name, input, said) => {
  expect((await faultsAgainst(SCHEMA))(input)).toBe(said);
});
