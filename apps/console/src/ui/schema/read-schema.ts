/** Owns reading JSON Schema as far as a form needs it; a schema comes from outside, so nothing in it is trusted to be well made. */

/** A JSON Schema as an object; `true` and nonsense are read as one that allows everything. */
export type Schema = Readonly<Record<string, unknown>>;

/** What kind of control a schema asks for. `json` is the way out for everything else. */
export type Kind =
  | 'const'
  | 'enum'
  | 'choice'
  | 'string'
  | 'number'
  | 'boolean'
  | 'array'
  | 'object'
  | 'map'
  | 'null'
  | 'json';

const MOST_STEPS = 12;

/** Reads any value as a schema. */
export function asSchema(value: unknown): Schema {
  // Any object can be read by name
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}

/** What a value holds under a name, which may be that of something every object has. */
export function ownOf(value: Schema, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Follows references inside the document and joins `allOf`; what leads nowhere allows everything. */
export function resolve(value: unknown, root: Schema): Schema {
  let schema = asSchema(value);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const reference = schema['$ref'];
    if (typeof reference === 'string') {
      const { $ref: _reference, ...beside } = schema;
      schema = { ...asSchema(find(reference, root)), ...beside };
    } else if (Array.isArray(schema['allOf'])) {
      const { allOf: _all, ...beside } = schema;
      const parts: unknown[] = schema['allOf'];
      schema = join([beside, ...parts.map((part) => resolveOnce(part, root))]);
    } else break;
  }
  return schema;
}

function resolveOnce(value: unknown, root: Schema): Schema {
  const schema = asSchema(value);
  return typeof schema['$ref'] === 'string' ? asSchema(find(schema['$ref'], root)) : schema;
}

function find(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#')) return {};
  let at: unknown = root;
  for (const part of reference.slice(1).split('/').filter(Boolean)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    at = typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? asSchema(at)[name] : undefined;
  }
  return at;
}

function join(parts: readonly Schema[]): Schema {
  const properties = Object.assign({}, ...parts.map((part) => asSchema(part['properties'])));
  const required = parts.flatMap((part) => textsOf(part['required']));
  const all: Schema = Object.assign({}, ...parts);
  return Object.keys(properties).length > 0 ? { ...all, properties, required } : all;
}

/** The texts of a list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

/** The types that a schema allows, without null. */
function typesOf(schema: Schema): string[] {
  const { type } = schema;
  const types = typeof type === 'string' ? [type] : textsOf(type);
  return types.filter((one) => one !== 'null');
}

/** Whether null is allowed beside what the schema asks for. */
export function allowsNull(schema: Schema, root: Schema): boolean {
  if (textsOf(schema['type']).includes('null')) return true;
  return variantsOf(schema, root).some((variant) => variant['type'] === 'null');
}

/** The variants of `oneOf` and `anyOf`, or of several types; empty where there is no choice. */
export function variantsOf(schema: Schema, root: Schema): Schema[] {
  const listed = schema['oneOf'] ?? schema['anyOf'];
  if (Array.isArray(listed) && listed.length > 0) return listed.map((variant) => resolve(variant, root));
  const types = typesOf(schema);
  return types.length > 1 ? types.map((type) => ({ ...schema, type })) : [];
}

/** The schema without the way around null: of "X or null" it is X. */
export function withoutNull(schema: Schema, root: Schema): Schema {
  const variants = variantsOf(schema, root).filter((variant) => variant['type'] !== 'null');
  const [only] = variants;
  if (variants.length === 1 && only && (schema['oneOf'] ?? schema['anyOf']) !== undefined) {
    const { oneOf: _one, anyOf: _any, ...beside } = schema;
    return { ...beside, ...only };
  }
  return schema;
}

/** What control a schema asks for. */
export function kindOf(schema: Schema, root: Schema): Kind {
  if ('const' in schema) return 'const';
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return 'enum';
  if (variantsOf(schema, root).filter((variant) => variant['type'] !== 'null').length > 1) return 'choice';
  const [type] = typesOf(schema);
  switch (type) {
    case 'string':
    case 'boolean':
      return type;
    case 'integer':
    case 'number':
      return 'number';
    case 'array':
      return 'array';
    case 'object':
      return kindOfObject(schema);
    default:
      if (schema['type'] === 'null') return 'null';
      if (schema['properties'] !== undefined) return kindOfObject(schema);
      return schema['items'] === undefined ? 'json' : 'array';
  }
}

function kindOfObject(schema: Schema): Kind {
  if (Object.keys(asSchema(schema['properties'])).length > 0) return 'object';
  const rest = schema['additionalProperties'];
  return typeof rest === 'object' && rest !== null ? 'map' : 'json';
}

/** What a control begins with when its value is needed: what the schema says, else the emptiest that fits. */
export function initialOf(value: unknown, root: Schema, depth = 0): unknown {
  const schema = withoutNull(resolve(value, root), root);
  if ('default' in schema) return schema['default'];
  if (depth > MOST_STEPS) return undefined;
  switch (kindOf(schema, root)) {
    case 'const':
      return schema['const'];
    case 'choice':
      return initialOf(variantsOf(schema, root)[0], root, depth + 1);
    case 'object': {
      const properties = asSchema(schema['properties']);
      const entries = textsOf(schema['required'])
        .filter((name) => Object.hasOwn(properties, name))
        .map((name) => [name, initialOf(properties[name], root, depth + 1)] as const)
        .filter(([, initial]) => initial !== undefined);
      return Object.fromEntries(entries);
    }
    case 'map':
      return {};
    case 'array':
      return [];
    case 'null':
      return null;
    default:
      return undefined;
  }
}

/** What a variant is called: its title, the constant that tells it from the others, or its type. */
export function variantName(variant: Schema, index: number): string {
  if (typeof variant['title'] === 'string') return variant['title'];
  if ('const' in variant) return String(variant['const']);
  const properties = asSchema(variant['properties']);
  for (const part of Object.values(properties)) {
    const fixed = asSchema(part)['const'];
    if (typeof fixed === 'string' || typeof fixed === 'number') return String(fixed);
  }
  const names = Object.keys(properties);
  if (names.length > 0) return names.slice(0, 3).join(', ');
  return typeof variant['type'] === 'string' ? variant['type'] : `Variant ${index + 1}`;
}

/** Which variant a value is of; -1: of none. */
export function variantOf(value: unknown, variants: readonly Schema[]): number {
  return variants.findIndex((variant) => fits(value, variant));
}

function fits(value: unknown, variant: Schema): boolean {
  if ('const' in variant) return value === variant['const'];
  if (Array.isArray(variant['enum'])) return variant['enum'].includes(value);
  const types = typesOf(variant);
  if (types.length > 0 && !types.includes(typeOf(value)))
    return types.includes('number') && typeOf(value) === 'integer';
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return types.length > 0;
  const properties = asSchema(variant['properties']);
  const held = asSchema(value);
  const consts = Object.entries(properties).filter(([, part]) => 'const' in asSchema(part));
  if (consts.length > 0) return consts.every(([name, part]) => held[name] === asSchema(part)['const']);
  return textsOf(variant['required']).every((name) => Object.hasOwn(held, name));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}
