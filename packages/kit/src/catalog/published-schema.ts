/** The JSON Schemas that a tool publishes: what a model needs to call it, and a true outline of what it returns. */
import * as z from 'zod';
import type { JsonSchema } from '../define/context.ts';

/** The schema of an input: whole, less what is said twice. */
export function inputSchemaOf(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input', override: tidyInput });
  // Not by the override: without their descriptions Zod would write choices as a list of types, which few clients know.
  // Every field of a JSON Schema is a schema.
  for (const field of Object.values(json.properties ?? {})) describeOnce(field as JsonSchema);
  // Neither by the override, for the same reason.
  sayOfObjectsOnce(json);
  return json;
}

/** True when a field on the way to a path is written and never shown. */
export function isWriteOnlyAt(root: JsonSchema, path: readonly PropertyKey[]): boolean {
  let at: JsonSchema = root;
  for (const step of path) {
    const { properties } = followed(at, root);
    const field: unknown =
      isSchema(properties) && Object.hasOwn(properties, step) ? Reflect.get(properties, step) : undefined;
    if (!isSchema(field)) return false;
    if (field['writeOnly'] === true) return true;
    at = field;
  }
  return false;
}

/** Leaves out what keys look like where any are allowed, and that anything is allowed where nothing else is said. */
function sayOfObjectsOnce(schema: JsonSchema): void {
  if (isSchema(schema.propertyNames) && schema.propertyNames.enum === undefined) delete schema.propertyNames;
  if (JSON.stringify(schema.additionalProperties) === '{}') delete schema.additionalProperties;
  for (const inner of Object.values(schema)) if (isSchema(inner)) sayOfObjectsOnce(inner);
}

/** Takes the descriptions off the choices of a field that has one itself. */
function describeOnce({ description, anyOf }: JsonSchema): void {
  if (description === undefined || !Array.isArray(anyOf)) return;
  // So is every choice.
  for (const choice of anyOf as JsonSchema[]) delete choice.description;
}

/**
 * The outline of an output. Models pay for every byte of it and every answer is checked by the whole schema anyway,
 * so it names the fields of the answer and of the items of lists that are always there, with their types, and leaves
 * out descriptions, formats, bounds and values. It allows everything that the whole schema allows.
 */
export function outputSchemaOf(schema: z.ZodType): JsonSchema {
  return flatOutline(schema) ?? wholeOutline(schema);
}

/** The outline by way of the whole schema, whatever that is. */
export function wholeOutline(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'output' });
  return shared(outline(json, 'answer', json));
}

/**
 * The outline of an object that has texts, numbers and truths alone, which most answers are; undefined for any other.
 * Writing a schema down only to forget most of it is a good part of a start.
 */
function flatOutline(schema: z.ZodType): JsonSchema | undefined {
  if (!(schema instanceof z.ZodObject) || !isPlain(schema)) return undefined;
  const fields: [string, JsonSchema][] = [];
  for (const [name, field] of Object.entries(schema.shape)) {
    const type = isPlain(field) ? flatType(field) : undefined;
    if (type === undefined) return undefined;
    fields.push([name, { type }]);
  }
  const outlined = { type: 'object', properties: Object.fromEntries(fields) };
  return fields.length === 0 ? outlined : { ...outlined, required: fields.map(([name]) => name) };
}

function flatType(field: z.core.$ZodType): string | undefined {
  if (field instanceof z.ZodString) return 'string';
  if (field instanceof z.ZodBoolean) return 'boolean';
  if (!(field instanceof z.ZodNumber)) return undefined;
  return field.format?.includes('int') === true ? 'integer' : 'number';
}

/** True when nothing was said of a schema besides a description. */
function isPlain(schema: z.core.$ZodType): boolean {
  const said = z.globalRegistry.get(schema);
  return said === undefined || Object.keys(said).every((key) => key === 'description');
}

/** Where a schema stands: the answer, a field of it, an item of one of its lists, or anywhere deeper. */
type Place = 'answer' | 'field' | 'item' | 'deep';

function outline(schema: JsonSchema, place: Place, root: JsonSchema): JsonSchema {
  const target = followed(schema, root);
  if (isNullable(target)) return {};
  const choices = target.anyOf ?? target.oneOf;
  if (Array.isArray(choices))
    return { anyOf: choices.map((choice: JsonSchema) => outline(choice, place, root)) };
  if (isSchema(target.items)) return { type: 'array', ...itemsOf(target.items, place, root) };
  if (isSchema(target.properties)) return objectOf(target, target.properties, place, root);
  return target.type === undefined ? {} : { type: target.type };
}

function itemsOf(items: JsonSchema, place: Place, root: JsonSchema): JsonSchema {
  const inner = outline(items, place === 'field' ? 'item' : 'deep', root);
  return Object.keys(inner).length === 0 ? {} : { items: inner };
}

function objectOf(target: JsonSchema, properties: JsonSchema, place: Place, root: JsonSchema): JsonSchema {
  if (place === 'field' || place === 'deep') return { type: 'object' };
  const always = new Set(Array.isArray(target.required) ? target.required : []);
  const fields = Object.entries(properties).map(([name, field]): [string, JsonSchema] => [
    name,
    // Every field of a JSON Schema is a schema.
    outline(field as JsonSchema, place === 'answer' && always.has(name) ? 'field' : 'deep', root),
  ]);
  const outlined = { type: 'object', properties: Object.fromEntries(fields) };
  // Which fields are always there is told where a program starts to read, and only of those with a type.
  const told = new Set(fields.filter(([, field]) => Object.keys(field).length > 0).map(([name]) => name));
  const required = [...always].filter((name) => told.has(name));
  return place === 'answer' && required.length > 0 ? { ...outlined, required } : outlined;
}

/** What a reference inside the schema leads to. */
function followed(schema: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof schema.$ref !== 'string') return schema;
  // Zod refers to the root or to a definition below it.
  const [, definition] = /^#\/\$defs\/(.{1,200})$/.exec(schema.$ref) ?? [];
  if (definition === undefined) return root;
  // A reference of Zod's always has its definition.
  return (root.$defs as Record<string, JsonSchema>)[definition] ?? {};
}

function isNullable({ type, anyOf }: JsonSchema): boolean {
  if (Array.isArray(type)) return type.includes('null');
  return Array.isArray(anyOf) && anyOf.some((choice: JsonSchema) => choice.type === 'null');
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

// A reference and its place among the definitions cost about as much.
const WORTH_SHARING = 60;

/** Moves what stands in several places of one schema into `$defs`. */
function shared(schema: JsonSchema): JsonSchema {
  const counts = new Map<string, number>();
  eachObject(schema, (text) => counts.set(text, (counts.get(text) ?? 0) + 1));
  const repeated = [...counts].filter(([text, count]) => count > 1 && text.length > WORTH_SHARING);
  if (repeated.length === 0) return schema;
  const names = new Map(repeated.map(([text], index) => [text, `d${index + 1}`]));
  // An object stays one.
  const replaced = withReferences(schema, names, true) as JsonSchema;
  const $defs = Object.fromEntries(
    repeated.map(([text]) => [names.get(text), withReferences(JSON.parse(text), names, true)]),
  );
  return { ...replaced, $defs };
}

function eachObject(value: unknown, see: (text: string) => void): void {
  if (!isSchema(value)) return;
  if (!Array.isArray(value) && value.type === 'object') see(JSON.stringify(value));
  for (const inner of Object.values(value)) eachObject(inner, see);
}

function withReferences(value: unknown, names: ReadonlyMap<string, string>, isTop: boolean): unknown {
  if (!isSchema(value)) return value;
  if (Array.isArray(value)) return value.map((inner) => withReferences(inner, names, false));
  const name = isTop ? undefined : names.get(JSON.stringify(value));
  if (name !== undefined) return { $ref: `#/$defs/${name}` };
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, withReferences(inner, names, false)]),
  );
}

/** Zod repeats itself: the range of safe integers, the pattern of a format, the description of a list on its items. */
function tidyInput({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  if (jsonSchema.description !== undefined && isSchema(jsonSchema.items)) delete jsonSchema.items.description;
}
