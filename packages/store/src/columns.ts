/** Column types and conversions that mean the same on both engines, and the one way to choose where they differ. */
import type { CreateTableBuilder } from 'kysely';
import type { StoreEngine } from './store.ts';

/** Column type for milliseconds since the epoch; read back as a number on both engines. */
export const epochMsColumn = 'bigint';

/** Column type for a value written by `toJson`. */
export const jsonColumn = 'text';

/** What an engine does its own way: DDL and search that have no common form. */
export function byEngine<Sqlite, Postgres>(
  engine: StoreEngine,
  ways: { readonly sqlite: Sqlite; readonly postgres: Postgres },
): Sqlite | Postgres {
  return ways[engine];
}

/** Adds the primary key `id`, a number that grows with every row. */
export function addSerialId<T extends string, C extends string>(
  table: CreateTableBuilder<T, C>,
  engine: StoreEngine,
): CreateTableBuilder<T, C | 'id'> {
  return engine === 'sqlite'
    ? table.addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    : table.addColumn('id', 'bigserial', (column) => column.primaryKey());
}

/** The text of a JSON column. */
export function toJson(value: unknown): string {
  return JSON.stringify(value) ?? 'null';
}

/** The text of a JSON column that filters look into. */
export function toQueryJson(value: unknown): string {
  return toJson(storable(value));
}

// PostgreSQL reads no JSON with these characters, and one such row would make every filter fail.
function storable(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\u{FFFD}');
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storable(inner)]));
}

/** The value of a JSON column; the caller names the type that it wrote. */
export function fromJson<T>(text: string): T {
  // The column only ever holds what `toJson` wrote for the same type.
  const value: T = JSON.parse(text);
  return value;
}
