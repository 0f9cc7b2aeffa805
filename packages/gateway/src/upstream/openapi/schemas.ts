/** Schemas of a document as JSON Schema 2020-12 of one tool: shared ones under `$defs`, within a budget. */
import type { JsonObject } from './json.ts';
import { fieldOf, listIn, objectIn, textIn } from './json.ts';
import { MAX_FIELD_DESCRIPTION } from './limits.ts';
import { Names } from './names.ts';
import { valueAt } from './references.ts';

export type Schema = Record<string, unknown>;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
// The others, such as int32, are OpenAPI's own, and a validator may stumble over them.
const FORMATS = new Set(['date', 'date-time', 'time', 'email', 'uri', 'uuid', 'hostname', 'ipv4', 'ipv6']);
const NUMBERS = ['minimum', 'maximum', 'multipleOf'];
const COUNTS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
const FLAGS = ['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'];
const ONE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames', 'if', 'then', 'else'];
const SEVERAL = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const LONGEST_TITLE = 200;
const LONGEST_EXAMPLE = 300;
const LONGEST_PATTERN = 200;
const MOST_VALUES = 500;

export interface SchemaRules {
  readonly document: JsonObject;
  /** True for 3.0, whose schemas are not quite JSON Schema. */
  readonly isOld: boolean;
  /** Characters that the schemas of one tool may have. */
  readonly budget: { readonly input: number; readonly output: number };
}

/** Writes the schemas of one tool. */
export class SchemaWriter {
  readonly #rules: SchemaRules;
  readonly #names = new Names();
  readonly #known = new Map<string, string>();
  readonly #waiting: { readonly name: string; readonly reference: string }[] = [];
  #left: number;

  constructor(rules: SchemaRules, what: keyof SchemaRules['budget']) {
    this.#rules = rules;
    this.#left = rules.budget[what];
  }

  /** True when the budget was too small, so that something stands for anything. */
  get isCut(): boolean {
    return this.#left < 0;
  }

  /** The schemas that were referred to, and those that they refer to. */
  definitions(): Schema | undefined {
    const definitions: [string, unknown][] = [];
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift())
      definitions.push([next.name, this.write(valueAt(this.#rules.document, next.reference))]);
    return definitions.length === 0 ? undefined : Object.fromEntries(definitions);
  }

  write(given: unknown): Schema | boolean {
    if (typeof given === 'boolean') return given;
    const schema = objectIn(given);
    // What comes once the budget is spent may be anything; the service checks it in any case.
    if (schema === undefined || this.#left < 0) return {};
    const reference = fieldOf(schema, '$ref');
    if (typeof reference !== 'string') return this.#counted(this.#written(schema));
    const target = { $ref: `#/$defs/${this.#nameOf(reference)}` };
    const description = textIn(fieldOf(schema, 'description'), MAX_FIELD_DESCRIPTION);
    // Beside a reference 3.0 knows nothing else.
    return this.#counted(
      this.#rules.isOld || description === undefined ? target : { ...target, description },
    );
  }

  #nameOf(reference: string): string {
    const known = this.#known.get(reference);
    if (known !== undefined) return known;
    // Refuses what is not there, or not in this document, before a name is given to it.
    valueAt(this.#rules.document, reference);
    const name = this.#names.take(reference.slice(reference.lastIndexOf('/') + 1), reference);
    this.#known.set(reference, name);
    this.#waiting.push({ name, reference });
    return name;
  }

  #written(schema: JsonObject): Schema {
    const out: Schema = { ...plainKeywords(schema), ...described(schema) };
    const types = listOrOne(fieldOf(schema, 'type')).filter((type) => TYPES.has(String(type)));
    if (types.length > 0) out['type'] = types.length === 1 ? types[0] : types;
    for (const [keyword, bound] of limitsOf(schema)) out[keyword] = bound;
    const properties = objectIn(fieldOf(schema, 'properties'));
    if (properties !== undefined)
      out['properties'] = Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, this.write(property)]),
      );
    for (const keyword of ONE) {
      const inner = fieldOf(schema, keyword);
      if (typeof inner === 'boolean' || objectIn(inner) !== undefined) out[keyword] = this.write(inner);
    }
    for (const keyword of SEVERAL) {
      const inner = listIn(fieldOf(schema, keyword));
      if (inner.length > 0) out[keyword] = inner.map((one) => this.write(one));
    }
    return this.#rules.isOld && fieldOf(schema, 'nullable') === true ? nullable(out) : out;
  }

  #counted(schema: Schema): Schema {
    for (const [keyword, value] of Object.entries(schema)) {
      // What lies deeper has been counted already, but for the names of properties.
      const isCounted = keyword === 'properties' || ONE.includes(keyword) || SEVERAL.includes(keyword);
      const names = keyword === 'properties' ? Object.keys(objectIn(value) ?? {}).join('","').length : 0;
      this.#left -= keyword.length + 4 + (isCounted ? names : JSON.stringify(value).length);
    }
    return schema;
  }
}

/** What is copied as it is. */
function plainKeywords(schema: JsonObject): Schema {
  const out: Schema = {};
  const title = textIn(fieldOf(schema, 'title'), LONGEST_TITLE);
  if (title !== undefined) out['title'] = title;
  const format = fieldOf(schema, 'format');
  if (typeof format === 'string' && FORMATS.has(format)) out['format'] = format;
  for (const flag of FLAGS) if (fieldOf(schema, flag) === true) out[flag] = true;
  for (const count of COUNTS) {
    const value = fieldOf(schema, count);
    if (Number.isSafeInteger(value) && Number(value) >= 0) out[count] = value;
  }
  const values = listIn(fieldOf(schema, 'enum'));
  if (values.length > 0 && values.length <= MOST_VALUES) out['enum'] = values;
  for (const keyword of ['const', 'default']) {
    const value = fieldOf(schema, keyword);
    if (value !== undefined) out[keyword] = value;
  }
  const required = listIn(fieldOf(schema, 'required')).filter((name) => typeof name === 'string');
  if (required.length > 0) out['required'] = [...new Set(required)];
  const example = fieldOf(schema, 'example') ?? listIn(fieldOf(schema, 'examples'))[0];
  if (example !== undefined && JSON.stringify(example).length <= LONGEST_EXAMPLE) out['examples'] = [example];
  return out;
}

/** A pattern is told and not run: nobody knows how long an expression from outside takes. */
function described(schema: JsonObject): Schema {
  const said = textIn(fieldOf(schema, 'description'), MAX_FIELD_DESCRIPTION);
  const pattern = fieldOf(schema, 'pattern');
  const isShort = typeof pattern === 'string' && pattern.length <= LONGEST_PATTERN;
  const description = [said, isShort ? `Pattern: ${pattern}` : undefined].filter(
    (part) => part !== undefined,
  );
  return description.length === 0 ? {} : { description: description.join('\n') };
}

/** Bounds of numbers; 3.0 says with a flag that a bound itself is excluded. */
function limitsOf(schema: JsonObject): [string, number][] {
  const out: [string, number][] = [];
  for (const keyword of NUMBERS) {
    const value = fieldOf(schema, keyword);
    if (typeof value !== 'number' || (keyword === 'multipleOf' && value <= 0)) continue;
    const exclusive = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`;
    out.push([fieldOf(schema, exclusive) === true ? exclusive : keyword, value]);
  }
  for (const keyword of ['exclusiveMinimum', 'exclusiveMaximum']) {
    const value = fieldOf(schema, keyword);
    if (typeof value === 'number') out.push([keyword, value]);
  }
  return out;
}

function nullable(schema: Schema): Schema {
  const { type, enum: values } = schema;
  if (type === undefined)
    return Object.keys(schema).length === 0 ? {} : { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [...new Set([...listOrOne(type), 'null'])],
    ...(Array.isArray(values) && !values.includes(null) && { enum: [...values, null] }),
  };
}

function listOrOne(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
