/** Which schemas can be checked without a limit, and which cannot. */
import { expect, test } from 'vitest';
import type { JsonSchema } from './context.ts';
import { schemaCost } from './schema-cost.ts';

const chain = (count: number, step: (next: string) => object) => ({
  $ref: '#/$defs/n0',
  $defs: Object.fromEntries(
    Array.from({ length: count }, (_each, at) => [
      `n${at}`,
      at === count - 1 ? { type: 'string' } : step(`#/$defs/n${at + 1}`),
    ]),
  ),
});
const deep = (levels: number): JsonSchema => (levels === 0 ? {} : { items: deep(levels - 1) });

test.each([
  ['nothing', {}],
  [
    'an ordinary one',
    { type: 'object', properties: { a: { type: 'string', format: 'uri' } }, required: ['a'] },
  ],
  ['a property that is named like a costly word', { properties: { pattern: { type: 'string' }, $ref: {} } }],
  ['a costly word as a value', { enum: [{ pattern: '^(a+)+$', uniqueItems: true }] }],
  ['duplicates that are allowed', { items: { uniqueItems: false } }],
  [
    'a reference that is used often',
    { $defs: { a: {} }, allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] },
  ],
  ['a reference with escapes', { $defs: { 'a/b~c d': {} }, $ref: '#/$defs/a~1b~0c%20d' }],
  ['a chain of references', chain(30, (next) => ({ anyOf: [{ $ref: next }] }))],
  ['an unreachable costly part', { $defs: { a: { pattern: 'a' } } }],
  ['an id of its own', { $id: 'https://example.com/a', type: 'object' }],
])('%s is cheap', (_name, schema) => {
  expect(schemaCost(schema)).toEqual({ perPart: expect.any(Number) });
});

test.each([
  ['an expression', { properties: { a: { pattern: '^(a+)+$' } } }],
  ['an expression behind a reference', { $defs: { a: { pattern: 'a' } }, items: { $ref: '#/$defs/a' } }],
  ['an expression for names', { patternProperties: { a: {} } }],
  ['an expression for names in words', { propertyNames: { pattern: 'a' } }],
  ['no duplicates', { anyOf: [{ items: [{ uniqueItems: true }] }] }],
  ['a dependent expression', { dependencies: { a: { pattern: 'a' } } }],
  ['a format that is an expression', { prefixItems: [{ format: 'regex' }] }],
  ['a cycle', { properties: { a: { $ref: '#' } } }],
  ['a reference to itself', { $defs: { a: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }],
  ['a dynamic reference', { items: { $dynamicRef: '#a' } }],
  ['a reference elsewhere', { $ref: 'https://example.com/schema' }],
  ['a reference by anchor', { $ref: '#a', $defs: { a: { $anchor: 'a' } } }],
  ['a reference to nothing', { $ref: '#/$defs/constructor', $defs: {} }],
  ['a reference that cannot be read', { $ref: '#/$defs/%' }],
  ['an id within', { properties: { a: { $id: 'https://example.com/a' } } }],
  ['choices that double', chain(30, (next) => ({ anyOf: [{ $ref: next }, { $ref: next }] }))],
  [
    'items that double',
    chain(30, (next) => ({ allOf: [{ items: { $ref: next } }, { contains: { $ref: next } }] })),
  ],
  ['a long list of values', { enum: Array.from({ length: 5_000 }, (_each, at) => at) }],
  ['a large value', { const: { a: Array.from({ length: 5_000 }, () => 0) } }],
  [
    'many properties',
    { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_each, at) => [at, {}])) },
  ],
  ['many required names', { required: Array.from({ length: 5_000 }, String) }],
  ['too deep', deep(70)],
] satisfies [string, JsonSchema][])('%s is costly', (_name, schema: JsonSchema) => {
  expect(schemaCost(schema)).toBeUndefined();
});

test('what one part costs counts what it is compared with, and not what stands beside it', () => {
  const row = { properties: { a: { type: 'string' }, b: { type: 'number' } }, required: ['a'] };
  expect(schemaCost({ type: 'array', items: row })).toEqual({ perPart: 4 });
  expect(schemaCost({ allOf: [{ items: row }, { items: row }] })).toEqual({ perPart: 8 });
});
