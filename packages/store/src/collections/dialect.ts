/** The few expressions of a filter that each engine writes its own way. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { byEngine } from '../columns.ts';
import type { StoreEngine } from '../store.ts';
import type { Pattern } from './patterns.ts';
import { toGlob, toTranslatedLike } from './patterns.ts';

type Sql<T = unknown> = RawBuilder<T>;

/** A value inside JSON by its type: each expression is null when the value is of another one. */
export interface JsonParts {
  readonly text: Sql<string | null>;
  readonly number: Sql<number | null>;
  /** 0 or 1. */
  readonly boolean: Sql<number | null>;
  readonly isNull: Sql<boolean>;
}

/** What differs between the engines. */
export interface FilterDialect {
  jsonParts(column: Sql, path: readonly string[]): JsonParts;
  /** A number in which every column and value compares alike. */
  number(value: Sql): Sql<number>;
  /** A text in the order of its code points. */
  byCodePoint(text: Sql): Sql<string>;
  matches(text: Sql, pattern: Pattern): Sql<boolean>;
  /** Epoch milliseconds as the ISO text that entities show. */
  isoText(ms: Sql): Sql<string>;
}

/** The dialect of an engine. */
export function filterDialect(engine: StoreEngine): FilterDialect {
  return byEngine(engine, { sqlite, postgres });
}

const sqlite: FilterDialect = {
  jsonParts(column, path) {
    const place = `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`;
    const type = sql`json_type(${column}, ${place})`;
    const value = sql`json_extract(${column}, ${place})`;
    return {
      text: sql`case ${type} when 'text' then ${value} end`,
      // Long whole numbers are read with digits that no number of JSON has.
      number: sql`case when ${type} in ('integer', 'real') then cast(${value} as real) end`,
      boolean: sql`case ${type} when 'true' then 1 when 'false' then 0 end`,
      isNull: sql`coalesce(${type}, 'null') = 'null'`,
    };
  },
  number: (value) => sql`${value}`,
  byCodePoint: (text) => sql`${text} collate binary`,
  matches: (text, pattern) => sql`${text} glob ${toGlob(pattern)}`,
  isoText: (ms) =>
    sql`strftime('%Y-%m-%dT%H:%M:%S', ${ms} / 1000, 'unixepoch') || printf('.%03dZ', ${ms} % 1000)`,
};

const postgres: FilterDialect = {
  jsonParts(column, path) {
    const steps = path.map((key) => sql` -> ${key}::text`);
    const value = sql`(${column}::jsonb${sql.join(steps, sql``)})`;
    const type = sql`jsonb_typeof(${value})`;
    const plain = sql`(${value} #>> '{}')`;
    return {
      text: sql`case ${type} when 'string' then ${plain} end`,
      number: sql`case ${type} when 'number' then ${plain}::float8 end`,
      boolean: sql`case ${type} when 'boolean' then ${plain}::boolean::int end`,
      isNull: sql`coalesce(${type}, 'null') = 'null'`,
    };
  },
  number: (value) => sql`${value}::float8`,
  byCodePoint: (text) => sql`${text} collate "C"`,
  matches(text, pattern) {
    const { from, to, like } = toTranslatedLike(pattern);
    const plain = from === '' ? text : sql`translate(${text}, ${from}, ${to})`;
    return sql`${plain} collate "C" like ${like} escape '\\'`;
  },
  isoText: (ms) =>
    sql`to_char(timestamp 'epoch' + ${ms} * interval '1 millisecond', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};
