/** Schemas of Zod 3 as JSON Schema, as far as models need it: what is not known here is left open, and checked by Zod itself. */
import type { JsonSchema } from '@parley/kit';

/** A schema of Zod 3; it has no way of its own to say what it is. */
export interface Zod3Field {
  readonly description?: string | undefined;
  readonly _def: Readonly<Record<string, unknown>> & { readonly typeName?: unknown };
  safeParseAsync(value: unknown): Promise<
    | { readonly success: true; readonly data: unknown }
    | {
        readonly success: false;
        readonly error: {
          readonly issues: readonly {
            readonly path: readonly (string | number)[];
            readonly message: string;
          }[];
        };
      }
  >;
}

export function isZod3Field(field: unknown): field is Zod3Field {
  return (
    typeof field === 'object' &&
    field !== null &&
    !('_zod' in field) &&
    '_def' in field &&
    'safeParseAsync' in field
  );
}

/** True where the field may be left out. */
export function isOptional({ _def }: Zod3Field): boolean {
  if (_def.typeName === 'ZodOptional' || _def.typeName === 'ZodDefault') return true;
  const inner = innerOf(_def);
  return inner !== undefined && _def.typeName !== 'ZodArray' && isOptional(inner);
}

const DEEPEST = 10;

export function zod3Schema(field: Zod3Field, depth = 0): JsonSchema {
  const { description } = field;
  return {
    ...(depth < DEEPEST && plain(field, depth + 1)),
    ...(description !== undefined && { description }),
  };
}

function plain({ _def: def }: Zod3Field, depth: number): JsonSchema {
  switch (def.typeName) {
    case 'ZodString':
      return { type: 'string', ...boundsOf(def, 'Length') };
    case 'ZodNumber':
      return { type: hasCheck(def, 'int') ? 'integer' : 'number', ...boundsOf(def, 'imum') };
    case 'ZodBoolean':
      return { type: 'boolean' };
    case 'ZodLiteral':
      return { const: def['value'] };
    case 'ZodEnum':
      return { type: 'string', enum: def['values'] };
    case 'ZodArray':
      return { type: 'array', ...(isZod3Field(def['type']) && { items: zod3Schema(def['type'], depth) }) };
    case 'ZodRecord':
      return { type: 'object' };
    case 'ZodObject':
      return objectSchema(def['shape'], depth);
    case 'ZodUnion':
      return Array.isArray(def['options'])
        ? { anyOf: def['options'].filter(isZod3Field).map((option) => zod3Schema(option, depth)) }
        : {};
    case 'ZodNullable': {
      const inner = innerOf(def);
      return inner === undefined ? {} : { anyOf: [zod3Schema(inner, depth), { type: 'null' }] };
    }
    default: {
      const inner = innerOf(def);
      return inner === undefined ? {} : zod3Schema(inner, depth);
    }
  }
}

function objectSchema(shape: unknown, depth: number): JsonSchema {
  const fields: unknown = typeof shape === 'function' ? shape() : shape;
  if (typeof fields !== 'object' || fields === null) return { type: 'object' };
  const entries = Object.entries(fields).filter((entry): entry is [string, Zod3Field] =>
    isZod3Field(entry[1]),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, zod3Schema(field, depth)])),
    required: entries.filter(([, field]) => !isOptional(field)).map(([name]) => name),
  };
}

/** What an optional, a default, a refinement or a brand stands around. */
function innerOf(def: Zod3Field['_def']): Zod3Field | undefined {
  return [def['innerType'], def['schema'], def['type']].find(isZod3Field);
}

interface Check {
  readonly kind?: unknown;
  readonly value?: unknown;
  readonly inclusive?: unknown;
}

function checksOf(def: Zod3Field['_def']): Check[] {
  return Array.isArray(def['checks']) ? (def['checks'] as Check[]) : []; // objects, as Zod 3 writes them
}

function hasCheck(def: Zod3Field['_def'], kind: string): boolean {
  return checksOf(def).some((check) => check.kind === kind);
}

/** `minLength` and `maxLength`, or `minimum` and `maximum`; a bound that is left out is left to Zod. */
function boundsOf(def: Zod3Field['_def'], suffix: 'Length' | 'imum'): JsonSchema {
  const bounds = checksOf(def).filter(
    ({ kind, inclusive }) => (kind === 'min' || kind === 'max') && inclusive !== false,
  );
  return Object.fromEntries(bounds.map(({ kind, value }) => [`${String(kind)}${suffix}`, value]));
}
