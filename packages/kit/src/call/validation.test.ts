/** Faults of input in words: in one line for tools, by field for REST, and both the same. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeIssues, issuesByField } from './validation.ts';

const shape = z.strictObject({
  title: z.string().min(1).max(5),
  color: z.string().regex(/^#[0-9a-f]{6}$/, 'must be a colour like #3b82f6'),
  steps: z.int().max(10),
  tags: z.array(z.string()),
});

const input = { title: 'too long', color: 'red', steps: 11, tags: ['a', 5], extra: 1, more: 2 };
const { issues } = shape.safeParse(input).error ?? { issues: [] };

test('every field has its messages', () => {
  expect(issuesByField(issues, input)).toEqual({
    title: ['must have at most 5 characters (got "too long")'],
    color: ['must be a colour like #3b82f6 (got "red")'],
    steps: ['must be at most 10 (got 11)'],
    'tags.1': ['must be a string (got 5)'],
    extra: ['is not a known field'],
    more: ['is not a known field'],
  });
});

test('one line says the same', () => {
  const byField = Object.entries(issuesByField(issues, input));
  const line = byField.flatMap(([field, rules]) => rules.map((rule) => `${field}: ${rule}`)).join('; ');
  expect(describeIssues(issues, input)).toBe(line);
});

test('a field may be called like something that every object has', () => {
  const given: unknown = JSON.parse('{"__proto__": 1, "constructor": 2}');
  const found = z.strictObject({}).safeParse(given).error?.issues ?? [];
  expect(Object.entries(issuesByField(found, given))).toEqual([
    ['__proto__', ['is not a known field']],
    ['constructor', ['is not a known field']],
  ]);
});

test('what stands under a secret name is not said back', () => {
  const secret = z.object({
    connection_token: z.string().max(3),
    login: z.object({ password: z.boolean() }),
  });
  const given = { connection_token: 'canary', login: { password: 'canary' } };
  const found = secret.safeParse(given).error?.issues ?? [];
  const line = 'connection_token: must have at most 3 characters; login.password: must be a boolean';
  expect(describeIssues(found, given)).toBe(line);
  expect(JSON.stringify(issuesByField(found, given))).not.toContain('canary');
});

test('an unknown field is answered with the known ones beside it, where they are 15 or fewer', () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, z.string().optional()]));
  const schema = z.strictObject({
    few: z.strictObject({ color: z.string(), size: z.int() }).optional(),
    list: z.array(z.strictObject({ id: z.string() })).default([]),
    many: z.strictObject(fields(16)).nullable(),
    enough: z.record(z.string(), z.strictObject(fields(15))),
  });
  const wrong = {
    few: { color: 'red', size: 1, colour: 1, sise: 2 },
    list: [{ id: 'a', it: 1 }],
    many: { f16: 1 },
    enough: { a: { f15: 1 } },
  };
  const found = schema.safeParse(wrong).error?.issues ?? [];
  const all = Object.keys(fields(15)).join(', ');
  expect(issuesByField(found, wrong, { schema })).toEqual({
    'few.colour': ['is not a known field'],
    'few.sise': ['is not a known field (known: color, size)'],
    'list.0.it': ['is not a known field (known: id)'],
    'many.f16': ['is not a known field'],
    'enough.a.f15': [`is not a known field (known: ${all})`],
  });
  const none = { wish: 1 };
  expect(
    describeIssues(z.strictObject({}).safeParse(none).error?.issues ?? [], none, {
      schema: z.strictObject({}),
    }),
  ).toBe('wish: is not a known field');
});
