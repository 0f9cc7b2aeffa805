/** The input schema of a plugin's tool, cut down to what the server can check in time that grows with the input alone. */
import { describeIssues, ToolError } from '@parley/kit';
import type * as Zod from 'zod';

type Schema = Record<string, unknown>;

// Everything else is left out: patterns and `uniqueItems` can take a server minutes, and a plugin with a Zod schema
// checks its own patterns in its own process.
const COPIED = new Set(
  'type title description default examples enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems maxItems minProperties maxProperties required format'.split(
    ' ',
  ),
);
const ONE = new Set('items additionalProperties not if then else contains propertyNames'.split(' '));
const MANY = new Set('anyOf allOf oneOf prefixItems'.split(' '));
const REFUSED = new Set('$ref $dynamicRef $recursiveRef patternProperties'.split(' '));
// No name that a bundler sees: it would keep all of Zod together for this, and every start would load that.
const ALL_OF_ZOD: string = 'zod';
const DEEPEST = 20;
const MOST_CHARACTERS = 65_536;

/** The schema that is published and checked; throws `invalid` for one that cannot be. */
export function checkedInputSchema(given: unknown, where: string): Schema & { readonly type: 'object' } {
  if (!isObject(given) || given['type'] !== 'object')
    throw new ToolError(
      'invalid',
      `${where}: inputSchema must be a Zod object or a JSON Schema of type object`,
    );
  if (JSON.stringify(given).length > MOST_CHARACTERS)
    throw new ToolError('invalid', `${where}: inputSchema must have at most ${MOST_CHARACTERS} characters`);
  return { ...copied(given, where, 0), type: 'object' };
}

/** What is wrong with an input that does not fit, in the words of built-in tools; undefined: there are none. */
export async function faultsIn(schema: Schema, input: unknown): Promise<string | undefined> {
  try {
    // What it was written as is what it is.
    const { fromJSONSchema, registry } = (await import(ALL_OF_ZOD)) as typeof Zod;
    const known = fromJSONSchema(schema, { registry: registry() });
    const parsed = known.safeParse(input);
    return parsed.success ? undefined : describeIssues(parsed.error.issues, input, { schema: known });
  } catch {
    // Zod has no type for some of what JSON Schema can say, and the validator has words for all of it.
    return undefined;
  }
}

function copied(schema: Schema, where: string, depth: number): Schema {
  if (depth > DEEPEST) throw new ToolError('invalid', `${where}: inputSchema is nested too deeply`);
  const inner = (value: unknown) => (isObject(value) ? copied(value, where, depth + 1) : value === true);
  const copy: [string, unknown][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (REFUSED.has(key))
      throw new ToolError('invalid', `${where}: inputSchema must not use ${key}; write the schema out`);
    if (COPIED.has(key)) copy.push([key, value]);
    else if (ONE.has(key)) copy.push([key, inner(value)]);
    else if (MANY.has(key) && Array.isArray(value)) copy.push([key, value.map(inner)]);
    else if (key === 'properties' && isObject(value))
      copy.push([key, Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]))]);
  }
  return Object.fromEntries(copy);
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
