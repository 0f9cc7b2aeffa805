/** The shape of a plugin tool's input: what it publishes, and the check before its handler, for fields of Zod 4 and Zod 3. */
import type { JsonSchema } from '@parley/kit';
import { describeIssues } from '@parley/kit';
import * as z from 'zod';
import type { Zod3Field } from './zod3-schema.ts';
import { isOptional, isZod3Field, zod3Schema } from './zod3-schema.ts';

export type CheckedArguments =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string };

export interface Shape {
  readonly json: JsonSchema;
  check(args: Readonly<Record<string, unknown>>): Promise<CheckedArguments>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws for fields that are of neither. */
export function shapeOf(fields: Fields, tool: string): Shape {
  const all = Object.values(fields);
  if (all.every(isZod4Field)) return zod4Shape(fields);
  if (all.every(isZod3Field)) return zod3Shape(fields as Readonly<Record<string, Zod3Field>>);
  throw new Error(`The fields of the plugin tool "${tool}" must all be schemas of Zod 4, or all of Zod 3.`);
}

function isZod4Field(field: unknown): boolean {
  return typeof field === 'object' && field !== null && '_zod' in field;
}

function zod4Shape(fields: Fields): Shape {
  // Another copy of Zod 4 made them, perhaps; they have the parts that all copies read.
  const schema = z.strictObject(fields as z.ZodRawShape);
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return {
    // The handler's own check has the patterns, which a second engine would read in its own way.
    json: withoutPatterns(json),
    async check(args) {
      const parsed = await schema.safeParseAsync(args);
      if (parsed.success) return { ok: true, value: parsed.data };
      return { ok: false, message: describeIssues(parsed.error.issues, args) };
    },
  };
}

function withoutPatterns(schema: JsonSchema): JsonSchema {
  const copy = (value: unknown, isName: boolean): unknown => {
    if (Array.isArray(value)) return value.map((each) => copy(each, false));
    if (typeof value !== 'object' || value === null) return value;
    const kept = Object.entries(value).filter(([key]) => isName || (key !== 'pattern' && key !== 'format'));
    return Object.fromEntries(
      kept.map(([key, each]) => [key, copy(each, !isName && (key === 'properties' || key === '$defs'))]),
    );
  };
  // A copy of an object is one.
  return copy(schema, false) as JsonSchema;
}

function zod3Shape(fields: Readonly<Record<string, Zod3Field>>): Shape {
  const entries = Object.entries(fields);
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, zod3Schema(field)])),
      required: entries.filter(([, field]) => !isOptional(field)).map(([name]) => name),
      additionalProperties: false,
    },
    async check(args) {
      const faults: string[] = Object.keys(args)
        .filter((name) => !Object.hasOwn(fields, name))
        .map((name) => `${name}: is not a known field`);
      const value: [string, unknown][] = [];
      for (const [name, field] of entries) {
        const parsed = await field.safeParseAsync(args[name]);
        if (!parsed.success)
          faults.push(
            ...parsed.error.issues.map(({ path, message }) => `${[name, ...path].join('.')}: ${message}`),
          );
        else if (parsed.data !== undefined) value.push([name, parsed.data]);
      }
      if (faults.length > 0) return { ok: false, message: faults.join('; ') };
      return { ok: true, value: Object.fromEntries(value) };
    },
  };
}
