/** The fields of a collection: where each stands in its table, and how its value is written and read. */
import type { RawBuilder } from 'kysely';
import { fromJson, toJson } from '../columns.ts';

/** What a field holds. Times are epoch milliseconds in the table and ISO texts outside, booleans 0 and 1. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'json';

export interface FieldSpec {
  readonly kind: FieldKind;
  /** The column, when it is not named like the field. */
  readonly column?: string;
  /** Worked out of the row, whose name is `item`; such a field cannot be written. */
  readonly expression?: RawBuilder<unknown>;
  readonly nullable?: boolean;
  /** Never filtered or ordered by, since that would tell what it holds. */
  readonly secret?: boolean;
}

/** The fields by name, in the order in which an entity shows them. */
export type FieldSpecs<T> = { readonly [Name in keyof T]-?: FieldSpec };

/** The value of a field as the table holds it. */
export function toColumn({ kind }: FieldSpec, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'json') return toJson(storable(value));
  if (kind === 'boolean') return value === true ? 1 : 0;
  if (kind === 'time' && typeof value === 'string') return Date.parse(value);
  return value;
}

/** The value of a field as an entity shows it. */
export function fromColumn({ kind }: FieldSpec, value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (kind === 'json' && typeof value === 'string') return fromJson<unknown>(value);
  if (kind === 'boolean') return value === 1 || value === true;
  if (kind === 'time') return new Date(Number(value)).toISOString();
  return value;
}

// PostgreSQL reads no JSON with these characters, and one such row would make every filter fail.
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u{FFFD}');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]));
}
