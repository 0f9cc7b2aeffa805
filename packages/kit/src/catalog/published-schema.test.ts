/** What a tool publishes is short, true, and enough to call it. */
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { defineTool } from '../define/tool.ts';
import { defineOutsideTool } from '../define/outside-tool.ts';
import { defineToolset, install } from '../define/toolset.ts';
import { createCatalog } from './catalog.ts';
import { inputSchemaOf, outputSchemaOf, wholeOutline } from './published-schema.ts';

const Person = z.object({ id: z.string().describe('Who'), name: z.string().max(200) });
const Tree = z.object({
  label: z.string(),
  get children() {
    return z.array(Tree);
  },
});

const OUTPUTS: readonly {
  name: string;
  output: z.ZodObject;
  outline: Record<string, unknown>;
  fits: Record<string, unknown>;
}[] = [
  {
    name: 'descriptions, patterns and bounds are left out',
    output: z.object({ at: z.iso.datetime().describe('When'), count: z.int().min(0).max(9) }),
    outline: {
      type: 'object',
      properties: { at: { type: 'string' }, count: { type: 'integer' } },
      required: ['at', 'count'],
    },
    fits: { at: '2026-01-01T00:00:00.000Z', count: 3 },
  },
  {
    name: 'what may be null has a name and no type',
    output: z.object({ id: z.string(), note: z.string().nullable(), who: Person.nullable() }),
    outline: {
      type: 'object',
      properties: { id: { type: 'string' }, note: {}, who: {} },
      required: ['id'],
    },
    fits: { id: 'a', note: null, who: { id: 'b', name: 'c' } },
  },
  {
    name: 'the fields of a list are told, what lies deeper is an object',
    output: z.object({ items: z.array(z.object({ id: z.string(), at: z.object({ x: z.number() }) })) }),
    outline: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          items: { type: 'object', properties: { id: { type: 'string' }, at: { type: 'object' } } },
        },
      },
      required: ['items'],
    },
    fits: { items: [{ id: 'a', at: { x: 1 } }] },
  },
  {
    name: 'a list that is there at times is a list, and of plain things when they are plain',
    output: z.object({ found: z.array(Person).optional(), names: z.array(z.string()).optional() }),
    outline: {
      type: 'object',
      properties: {
        found: { type: 'array', items: { type: 'object' } },
        names: { type: 'array', items: { type: 'string' } },
      },
    },
    fits: { found: [{ id: 'a', name: 'b' }], names: ['c'] },
  },
  {
    name: 'a shape that stands twice is shared',
    output: z.object({ authors: z.array(Person), editors: z.array(Person) }),
    outline: {
      type: 'object',
      properties: {
        authors: { type: 'array', items: { $ref: '#/$defs/d1' } },
        editors: { type: 'array', items: { $ref: '#/$defs/d1' } },
      },
      required: ['authors', 'editors'],
      $defs: { d1: { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } } },
    },
    fits: { authors: [{ id: 'a', name: 'b' }], editors: [{ id: 'c', name: 'd' }] },
  },
  {
    name: 'a shape that holds itself ends',
    output: Tree,
    outline: {
      type: 'object',
      properties: {
        label: { type: 'string' },
        children: {
          type: 'array',
          items: {
            type: 'object',
            properties: { label: { type: 'string' }, children: { type: 'array', items: { type: 'object' } } },
          },
        },
      },
      required: ['label', 'children'],
    },
    fits: { label: 'a', children: [{ label: 'b', children: [{ label: 'c', children: [] }] }] },
  },
  {
    name: 'choices stay choices, values are left to the answer',
    output: z.object({
      kind: z.enum(['a', 'b']),
      answer: z.union([z.object({ done: z.literal(true) }), z.literal('later')]),
    }),
    outline: {
      type: 'object',
      properties: {
        kind: { type: 'string' },
        answer: { anyOf: [{ type: 'object' }, { type: 'string' }] },
      },
      required: ['kind', 'answer'],
    },
    fits: { kind: 'b', answer: { done: true } },
  },
];

describe('an output', () => {
  test.each(OUTPUTS)('$name', async ({ output, outline, fits }) => {
    const published = outputSchemaOf(output);
    expect(published).toEqual(outline);
    const whole = output.parse(fits);
    expect((await fromJsonSchema(published)['~standard'].validate(whole)).issues).toBeUndefined();
  });
});

test('an input says nothing twice', () => {
  const input = z.object({
    at: z.iso.datetime({ offset: true }).describe('When'),
    ids: z.array(z.string().describe('One id')).describe('The ids'),
    owner: z.string().describe('A member').nullable().describe('Who, or null'),
    count: z.int().describe('How many'),
  });
  expect(inputSchemaOf(input)).toEqual({
    type: 'object',
    properties: {
      at: { type: 'string', format: 'date-time', description: 'When' },
      ids: { type: 'array', items: { type: 'string' }, description: 'The ids' },
      owner: { anyOf: [{ type: 'string' }, { type: 'null' }], description: 'Who, or null' },
      count: { type: 'integer', description: 'How many' },
    },
    required: ['at', 'ids', 'owner', 'count'],
  });
});

test('keys of a record are told where they are choices', () => {
  const input = z.object({
    any: z.record(z.string().max(200), z.unknown()),
    some: z.partialRecord(z.enum(['a', 'b']), z.int()),
  });
  expect(inputSchemaOf(input)).toMatchObject({
    properties: {
      any: { type: 'object' },
      some: { propertyNames: { type: 'string', enum: ['a', 'b'] } },
    },
  });
  expect(JSON.stringify(inputSchemaOf(input))).not.toContain('maxLength');
});

test('a tool that may run as a task names the fields of a handle', () => {
  const handleSchema = {
    type: 'object',
    properties: { taskId: { type: 'string' }, status: { type: 'string' } },
    required: ['taskId', 'status'],
  };
  const wait = defineTool({
    name: 'wait',
    title: 'Wait',
    description: 'Waits.',
    effect: 'read',
    task: 'allowed',
    input: z.object({}),
    output: z.object({ ok: z.boolean() }),
    run: () => ({ ok: true }),
  });
  const installed = [install(defineToolset({ name: 'waits', title: 'Waits', tools: [wait] }))];
  expect(createCatalog(installed, { handleSchema }).tools[0]?.definition.outputSchema).toEqual({
    type: 'object',
    anyOf: [
      { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      { type: 'object', required: ['taskId', 'status'] },
    ],
  });
});

test('hints written by hand are refused', () => {
  const spec = {
    name: 'wipe',
    title: 'Wipe',
    description: 'Wipes.',
    effect: 'delete',
    annotations: { readOnlyHint: true },
  } as const;
  const schemas = { input: z.object({}), output: z.object({}), run: () => ({}) };
  expect(() => defineTool({ ...spec, ...schemas })).toThrow(/"wipe" has a field "annotations"/);
  const outside = { inputSchema: { type: 'object' }, call: () => ({ content: [] }) };
  expect(() => defineOutsideTool({ ...spec, ...outside })).toThrow(/"wipe" has a field "annotations"/);
});

const FLAT: readonly { name: string; output: z.ZodObject }[] = [
  { name: 'nothing', output: z.object({}) },
  {
    name: 'texts and truths',
    output: z.object({ text: z.string().max(9).describe('A text'), ok: z.boolean() }),
  },
  {
    name: 'numbers of all kinds',
    output: z.object({
      a: z.number(),
      b: z.number().int().min(1),
      c: z.int(),
      d: z.int32(),
      e: z.float32(),
      f: z.number().multipleOf(2),
    }),
  },
  { name: 'an object with a description', output: z.strictObject({ id: z.string() }).describe('One') },
  { name: 'a loose object', output: z.looseObject({ id: z.string() }) },
  { name: 'a condition', output: z.object({ id: z.string() }).refine(() => true) },
  { name: 'more said of a field', output: z.object({ id: z.string().meta({ type: 'integer' }) }) },
  { name: 'more said of the object', output: z.object({ id: z.string() }).meta({ required: [] }) },
  {
    name: 'what may be absent',
    output: z.object({ id: z.string().optional(), on: z.boolean().default(true) }),
  },
  { name: 'what is changed', output: z.object({ id: z.string().transform(Number).pipe(z.number()) }) },
  { name: 'formats', output: z.object({ at: z.iso.date(), mail: z.email(), one: z.coerce.number() }) },
];

test.each(FLAT)('a short way to an outline leads where the long one does: $name', ({ output }) => {
  expect(JSON.stringify(outputSchemaOf(output))).toBe(JSON.stringify(wholeOutline(output)));
});
