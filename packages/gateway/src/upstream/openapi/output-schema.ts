/** What a tool promises of its answer: the object that the document describes, held less strictly than it says. */
import type { JsonObject } from './json.ts';
import { fieldOf, objectIn } from './json.ts';
import { isJsonType } from './media-types.ts';
import { followed } from './references.ts';
import type { Schema, SchemaRules } from './schemas.ts';
import { SchemaWriter } from './schemas.ts';
import { Unsupported } from './service.ts';

// With these a service that adds a field, or leaves one out, would break its promise.
const STRICT = new Set([
  'required',
  'additionalProperties',
  'enum',
  'const',
  'format',
  'default',
  'examples',
  'readOnly',
  'writeOnly',
  'uniqueItems',
  'propertyNames',
  'contains',
  'prefixItems',
]);
const NOT_SIMPLE = new Set(['oneOf', 'anyOf', 'not', 'if', 'then', 'else']);
const BOUND = /^(min|max|exclusive|multiple)/;

/** The schema of the one JSON object that an operation answers with; undefined when it is not as simple as that. */
export function outputSchema(rules: SchemaRules, operation: JsonObject): Schema | undefined {
  try {
    const given = answerSchema(rules.document, operation);
    if (given === undefined) return undefined;
    const writer = new SchemaWriter(rules, 'output');
    const schema = lenient(writer.write(given));
    const definitions = writer.definitions();
    if (writer.isCut) return undefined;
    const lenientDefinitions = Object.entries(definitions ?? {}).map(([name, one]) => [
      name,
      orNull(lenient(one)),
    ]);
    return {
      ...schema,
      type: 'object',
      ...(definitions !== undefined && { $defs: Object.fromEntries(lenientDefinitions) }),
    };
  } catch (error) {
    // A tool can do without, and what cannot be said need not be promised.
    if (error instanceof Unsupported) return undefined;
    throw error;
  }
}

/** The schema of the answer, when every success has the same one and it is an object. */
function answerSchema(document: JsonObject, operation: JsonObject): JsonObject | undefined {
  const answers = Object.entries(objectIn(fieldOf(operation, 'responses')) ?? {}).filter(
    ([status]) => /^2(\d\d|XX)$/i.test(status) || status === 'default',
  );
  const successes = answers.filter(([status]) => status !== 'default');
  const [only] = successes.length > 0 ? successes : answers;
  if (only === undefined || successes.length > 1) return undefined;
  const content = objectIn(fieldOf(followed(document, only[1]), 'content'));
  const [media, ...others] = Object.entries(content ?? {});
  if (media === undefined || others.length > 0 || !isJsonType(media[0])) return undefined;
  const schema = followed(document, fieldOf(objectIn(media[1]), 'schema'));
  const isObject =
    fieldOf(schema, 'type') === 'object' && objectIn(fieldOf(schema, 'properties')) !== undefined;
  return isObject && fieldOf(schema, 'nullable') !== true ? schema : undefined;
}

function lenient(given: unknown): Schema {
  const schema = objectIn(given);
  if (schema === undefined) return {};
  const out: Schema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (NOT_SIMPLE.has(keyword)) throw new Unsupported('Its answer has several shapes.');
    if (STRICT.has(keyword) || BOUND.test(keyword)) continue;
    if (keyword === 'properties')
      out[keyword] = Object.fromEntries(
        Object.entries(objectIn(value) ?? {}).map(([name, property]) => [name, orNull(lenient(property))]),
      );
    else if (keyword === 'items') out[keyword] = orNull(lenient(value));
    else if (keyword === 'allOf') out[keyword] = Array.isArray(value) ? value.map(lenient) : [];
    else out[keyword] = value;
  }
  return out;
}

/** Services send null for what they do not have, whatever their document says. */
function orNull(schema: Schema): Schema {
  const { type } = schema;
  if (type === undefined) return schema;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  return { ...schema, type: [...new Set([...types, 'null'])] };
}
