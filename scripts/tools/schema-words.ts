/** Owns how a JSON Schema reads in a table: one type per field, short, with its limits. */

type Schema = Readonly<Record<string, unknown>>;

/** A field of an object. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string;
}

const MAX_DEPTH = 2;

/** The fields of an object schema, in its order. */
export function fieldsOf(schema: Schema): Field[] {
  // An object stays one.
  const { properties, required } = partsOf(inPlace(schema, schema, []) as Schema);
  return Object.entries(properties).map(([name, field]) => ({
    name,
    type: typeOf(field) + limitsOf(field),
    isRequired: required.includes(name),
    description: [field['description'], defaultOf(field)]
      .filter((text) => typeof text === 'string')
      .join('; '),
  }));
}

/** The value with definitions in the place of references; one that stands in itself keeps its name. */
function inPlace(value: unknown, root: Schema, open: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => inPlace(each, root, open));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref: ref, ...rest } = value as Schema;
  if (typeof ref !== 'string')
    return Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, inPlace(each, root, open)]));
  const name = nameIn(ref);
  const definition = (root['$defs'] as Record<string, Schema> | undefined)?.[name];
  const isInItself = JSON.stringify(definition)?.includes(`"${ref}"`);
  if (definition === undefined || isInItself || open.includes(name)) return value;
  return { ...(inPlace(definition, root, [...open, name]) as Schema), ...rest };
}

function nameIn(ref: string): string {
  return ref.split('/').at(-1) ?? ref;
}

function partsOf(schema: Schema): { properties: Record<string, Schema>; required: readonly string[] } {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, Schema>;
    required?: string[];
  };
  return { properties, required };
}

function typeOf(schema: Schema, depth = 0): string {
  const { $ref: ref, anyOf, oneOf, enum: choices, const: constant, type, items } = schema;
  if (typeof ref === 'string') return nameIn(ref);
  const union = anyOf ?? oneOf;
  if (Array.isArray(union)) return [...new Set(union.map((each: Schema) => typeOf(each, depth)))].join(' | ');
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(type))
    return type.map((each: unknown) => typeOf({ ...schema, type: each }, depth)).join(' | ');
  if (type === 'array') {
    const item = typeof items === 'object' && items !== null ? typeOf(items as Schema, depth) : 'any';
    return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
  }
  if (type === 'object') return objectType(schema, depth);
  return typeof type === 'string' ? type : 'any';
}

function objectType(schema: Schema, depth: number): string {
  const { properties, required } = partsOf(schema);
  const entries = Object.entries(properties);
  if (entries.length === 0 || depth >= MAX_DEPTH) return 'object';
  const fields = entries.map(
    ([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(field, depth + 1)}`,
  );
  return `{${fields.join(', ')}}`;
}

function limitsOf(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems } = schema;
  const [low, high] = [minLength ?? minimum ?? minItems, maxLength ?? maximum ?? maxItems];
  // Whole numbers without limits of their own have those of the language.
  const shown = [low, high].map((limit) =>
    typeof limit === 'number' && Number.isSafeInteger(limit) && Math.abs(limit) < Number.MAX_SAFE_INTEGER
      ? limit
      : '',
  );
  return shown.every((limit) => limit === '') ? '' : `, ${shown.join('..')}`;
}

function defaultOf(schema: Schema): string | undefined {
  return schema['default'] === undefined ? undefined : `default ${JSON.stringify(schema['default'])}`;
}
