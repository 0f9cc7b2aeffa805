/** Every place of a tool's input that takes a text, as its published schema has them. */

/** As much of JSON Schema as published inputs use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minimum?: number;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A tool as it is listed. */
export interface ListedTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

/** One place, and arguments that are plain but for the text there. */
export interface TextPlace {
  readonly path: string;
  arguments(text: string): Record<string, unknown>;
}

const DEEPEST = 6;

/** All of them, the ones in lists and nested objects too. */
export function textPlaces({ inputSchema }: ListedTool): TextPlace[] {
  const found: TextPlace[] = [];
  const meant = (schema: Schema): Schema => {
    const name = schema.$ref?.split('/').at(-1);
    const target = name === undefined ? undefined : inputSchema.$defs?.[name];
    if (target !== undefined) return meant(target);
    // The first that is not null: what a caller gives.
    const first = (schema.anyOf ?? schema.allOf ?? []).find(({ type }) => type !== 'null');
    return first === undefined ? schema : meant(first);
  };
  const plain = (given: Schema, depth = 0): unknown => {
    const schema = meant(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum !== undefined) return schema.enum[0];
    const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
    if (type === 'integer' || type === 'number') return schema.minimum ?? 1;
    if (type === 'boolean') return true;
    if (type === 'array') return depth > DEEPEST ? [] : [plain(schema.items ?? {}, depth + 1)];
    if (type === 'object') {
      const required = (schema.required ?? []).map((field) => [
        field,
        plain(schema.properties?.[field] ?? {}, depth + 1),
      ]);
      return Object.fromEntries(required);
    }
    return 'x';
  };
  const walk = (
    given: Schema,
    path: string,
    put: (value: unknown) => Record<string, unknown>,
    depth: number,
  ) => {
    const schema = meant(given);
    if (depth > DEEPEST || schema.enum !== undefined || schema.const !== undefined) return;
    const { items, properties = {} } = schema;
    if (items !== undefined) walk(items, `${path}[]`, (value) => put([value]), depth + 1);
    const around = plain(schema, depth) as Record<string, unknown>;
    for (const [field, inner] of Object.entries(properties))
      walk(
        inner,
        path === '' ? field : `${path}.${field}`,
        (value) => put({ ...around, [field]: value }),
        depth + 1,
      );
    // A place without a type takes anything.
    const isText = [schema.type ?? 'string'].flat().includes('string') && schema.properties === undefined;
    if (isText && items === undefined) found.push({ path, arguments: put });
  };
  walk(inputSchema, '', (value) => value as Record<string, unknown>, 0);
  return found;
}
