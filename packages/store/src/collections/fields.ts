/** The fields of a collection: where each stands in its table, and how its value is written and read. */
import type { RawBuilder } from 'kysely';
import { fromJson, toQueryJson } from '../columns.ts';

/** What a field holds. Times are epoch milliseconds in the table and ISO texts outside, booleans 0 and 1. */
export type FieldKind = 'text' | 'number' | 'boolean' | 'time' | 'json';

export interface FieldSpec {
  readonly kind: FieldKind;
  /** The column, when it is not named like the field. */
  readonly column?: string;
  /** Worked out of the row, whose name is `item`; such a field cannot be written. */
  readonly expression?: RawBuilder<unknown>;
  readonly nullable?: boolean;
  /**
   * The search index of the table has the column: it finds what `like` and `contains` ask for (`patterns`), and what is
   * equal too (`all`), where no index of the column itself does that.
   */
  readonly searched?: 'patterns' | 'all';
  /** Never filtered or ordered by, since that would tell what it holds. */
  readonly secret?: boolean;
}

/** A field that holds several texts, each a row of another table; it is only asked for, never shown or ordered by. */
export interface ManySpec {
  readonly table: string;
  /** The column with the id of the entity. */
  readonly owner: string;
  /** The column with one of its values. */
  readonly value: string;
  /** Columns that tell rows that count from others. */
  readonly where?: Readonly<Record<string, string>>;
}

/** The fields by name, in the order in which an entity shows them. */
export type FieldSpecs<T> = { readonly [Name in keyof T]-?: FieldSpec };

/** The value of a field as the table holds it. */
export function toColumn({ kind }: FieldSpec, value: unknown): unknown {
  if (value === null) return null;
  if (kind === 'json') return toQueryJson(value);
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
