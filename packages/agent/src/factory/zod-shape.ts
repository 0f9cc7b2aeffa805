/** The shape of a plugin tool's input: what it publishes, and the check before its handler, for fields of Zod 4 and Zod 3. */
import type { JsonSchema } from '@parley/kit';
import { describeIssues, ToolError } from '@parley/kit';
import * as z from 'zod';
import type { Zod3Field } from './zod3-schema.ts';
import { isOptional, isZod3Field, zod3Schema } from './zod3-schema.ts';

export interface Shape {
  readonly json: JsonSchema;
  /** Returns what the handler gets; throws `invalid`. */
  check(args: unknown): Promise<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws for fields that are of neither. */
export function shapeOf(fields: Fields, tool: string): Shape {
  const all = Object.values(fields);
  if (all.every(isZod4Field)) return zod4Shape(fields);
  // Each of them was just looked at.
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
    json,
    async check(args) {
      const parsed = await schema.safeParseAsync(args);
      if (parsed.success) return parsed.data;
      throw new ToolError('invalid', describeIssues(parsed.error.issues, args));
    },
  };
}

const AnObject = z.record(z.string(), z.unknown());

function zod3Shape(fields: Readonly<Record<string, Zod3Field>>): Shape {
  const entries = Object.entries(fields);
  return {
    json: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, field]) => [name, zod3Schema(field)])),
      required: entries.filter(([, field]) => !isOptional(field)).map(([name]) => name),
      additionalProperties: false,
    },
    async check(given) {
      const args = AnObject.parse(given);
      const faults = Object.keys(args)
        .filter((name) => !Object.hasOwn(fields, name))
        .map((name) => `${name}: is not a known field`);
      const values: [string, unknown][] = [];
      for (const [name, field] of entries) {
        const parsed = await field.safeParseAsync(Object.hasOwn(args, name) ? args[name] : undefined);
        if (parsed.success) values.push([name, parsed.data]);
        else
          faults.push(...parsed.error.issues.map(({ path, message }) => faultOf([name, ...path], message)));
      }
      if (faults.length > 0) throw new ToolError('invalid', faults.join('; '));
      return Object.fromEntries(values.filter(([, value]) => value !== undefined));
    },
  };
}

function faultOf(path: readonly (string | number)[], message: string): string {
  return `${path.join('.')}: ${message}`;
}
