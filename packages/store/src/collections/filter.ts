/** A filter and an order as SQL: two-valued logic, the same rows in the same order on every engine. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { FilterDialect, JsonParts } from './dialect.ts';
import type { FieldSpec, ManySpec } from './fields.ts';
import { containsPattern, likePattern } from './patterns.ts';
import type { Comparison, OrderBy, Where } from './query.ts';

type Sql<T = unknown> = RawBuilder<T>;

/** What a filter is written for. */
export interface FilterTarget {
  readonly dialect: FilterDialect;
  /** Code that takes queries from outside has refused unknown and secret fields in words. */
  readonly fields: Readonly<Record<string, FieldSpec>>;
  readonly many: Readonly<Record<string, ManySpec>>;
}

/** Where a condition stands: below a `not` an unknown must be false, elsewhere it rejects the row as well as false does. */
interface Place extends FilterTarget {
  readonly isNegated: boolean;
}

const TRUE = sql<boolean>`(1 = 1)`;
const FALSE = sql<boolean>`(1 = 0)`;

/** The condition that a row fits. */
export function whereSql(target: FilterTarget, where: Where): Sql<boolean> {
  return conditionSql({ ...target, isNegated: false }, where);
}

function conditionSql(place: Place, where: Where): Sql<boolean> {
  if ('field' in where) return comparisonSql(place, where);
  const inside = where.operator === 'not' ? { ...place, isNegated: true } : place;
  const conditions = where.conditions.map((condition) => conditionSql(inside, condition));
  if (where.operator === 'or')
    return conditions.length === 0 ? FALSE : sql`(${sql.join(conditions, sql` or `)})`;
  const all = conditions.length === 0 ? TRUE : sql<boolean>`(${sql.join(conditions, sql` and `)})`;
  return where.operator === 'not' ? sql`(not ${all})` : all;
}

/** The keys of an order; the id breaks ties. */
export function orderSql(target: FilterTarget, orderBy: readonly (OrderBy | Sql)[]): Sql {
  const keys = orderBy.flatMap((order) => ('field' in order ? orderKeys(target, order) : [order]));
  return sql.join([...keys, sql`${target.dialect.byCodePoint(columnOf(target, ['id']).column)}`]);
}

interface Column {
  readonly spec: FieldSpec;
  readonly column: Sql;
  /** Where in the JSON of the column. */
  readonly path: readonly string[];
}

function columnOf({ fields }: FilterTarget, [name = '', ...path]: readonly string[]): Column {
  const spec = Object.hasOwn(fields, name) ? fields[name] : undefined;
  // A filter that slipped past the check must not become a way to read what is secret.
  if (spec === undefined || spec.secret === true || (path.length > 0 && spec.kind !== 'json'))
    throw new TypeError(`"${name}" is not a field to filter or order by.`);
  return { spec, column: expressionOf(name, spec), path };
}

/** The value of a field in the row. */
export function expressionOf(name: string, { column = name, expression }: FieldSpec): Sql {
  return expression === undefined ? sql`${sql.ref(`item.${column}`)}` : sql`(${expression})`;
}

/** A field as the values that it can be compared with; absent: its values are never of that type. */
interface Operand {
  readonly text?: Sql;
  readonly number?: Sql;
  readonly boolean?: Sql;
  readonly isNull: Sql<boolean>;
}

function operandOf({ dialect }: FilterTarget, { spec, column, path }: Column): Operand | JsonParts {
  const isNull = sql<boolean>`${column} is null`;
  switch (spec.kind) {
    case 'text':
      return { text: column, isNull };
    case 'number':
      return { number: dialect.number(column), isNull };
    case 'boolean':
      return { boolean: column, isNull };
    case 'time':
      return { text: dialect.isoText(column), isNull };
    case 'json':
      return dialect.jsonParts(column, path);
  }
}

/** One of several values; the index of the other table finds it. */
function manySql(many: ManySpec, { operator, value }: Comparison): Sql<boolean> {
  const { table, owner, value: column, where = {} } = many;
  const counted = Object.entries(where).map(([name, only]) => sql` and ${sql.ref(`one.${name}`)} = ${only}`);
  const rows = sql`select 1 from ${sql.table(table)} as one where ${sql.ref(`one.${owner}`)} = item.id${sql.join(counted, sql``)}`;
  if (operator === 'eq' && value === null) return sql`(not exists (${rows}))`;
  const given: readonly unknown[] = operator === 'in' && Array.isArray(value) ? value : [value];
  const texts = given.filter((each) => typeof each === 'string');
  if (texts.length === 0 || (operator !== 'eq' && operator !== 'in')) return FALSE;
  return sql`exists (${rows} and ${sql.ref(`one.${column}`)} in (${sql.join(texts)}))`;
}

function comparisonSql(target: Place, comparison: Comparison): Sql<boolean> {
  const { field, operator, value } = comparison;
  const [name = '', ...path] = field;
  const many = Object.hasOwn(target.many, name) && path.length === 0 ? target.many[name] : undefined;
  if (many !== undefined) return manySql(many, comparison);
  const column = columnOf(target, field);
  const operand = operandOf(target, column);
  switch (operator) {
    case 'eq':
      return value === null ? sql`(${operand.isNull})` : equalsSql(target, column, operand, [value]);
    case 'in':
      return equalsSql(target, column, operand, Array.isArray(value) ? value : []);
    case 'like':
      return matchSql(target, operand, likePattern(String(value)));
    case 'contains':
      return matchSql(target, operand, containsPattern(String(value)));
    default:
      return rangeSql(target, column, operand, operator, value);
  }
}

function twoValued({ isNegated }: Place, condition: Sql): Sql<boolean> {
  // Only where it must be: no index finds what is inside a function.
  return isNegated ? sql`coalesce(${condition}, ${FALSE})` : sql`${condition}`;
}

function matchSql(place: Place, { text }: Operand, pattern: ReturnType<typeof likePattern>): Sql<boolean> {
  return text === undefined ? FALSE : twoValued(place, place.dialect.matches(text, pattern));
}

function equalsSql(
  target: Place,
  column: Column,
  operand: Operand,
  values: readonly unknown[],
): Sql<boolean> {
  const isTime = column.spec.kind === 'time';
  const texts = values.filter((value) => typeof value === 'string');
  const numbers = values.filter((value) => typeof value === 'number');
  const booleans = values.filter((value) => typeof value === 'boolean');
  const oneOf = (left: Sql | undefined, right: readonly Sql[]) =>
    left === undefined || right.length === 0 ? [] : [twoValued(target, sql`${left} in (${sql.join(right)})`)];
  const choices = [
    ...(isTime
      ? oneOf(
          column.column,
          texts.map((text) => sql`${Date.parse(text)}`),
        )
      : oneOf(
          operand.text,
          texts.map((text) => sql`${text}`),
        )),
    ...oneOf(
      operand.number,
      numbers.map((number) => target.dialect.number(sql`${number}`)),
    ),
    ...oneOf(
      operand.boolean,
      booleans.map((boolean) => sql`${sql.lit(boolean ? 1 : 0)}`),
    ),
  ];
  return choices.length === 0 ? FALSE : sql`(${sql.join(choices, sql` or `)})`;
}

const SIGNS = { gt: sql`>`, gte: sql`>=`, lt: sql`<`, lte: sql`<=` } as const;

function rangeSql(
  place: Place,
  { spec, column }: Column,
  { text, number }: Operand,
  operator: keyof typeof SIGNS,
  value: unknown,
): Sql<boolean> {
  const { dialect } = place;
  const sign = SIGNS[operator];
  if (typeof value === 'number')
    return number === undefined
      ? FALSE
      : twoValued(place, sql`${number} ${sign} ${dialect.number(sql`${value}`)}`);
  if (typeof value !== 'string' || text === undefined) return FALSE;
  if (spec.kind === 'time') return twoValued(place, sql`${column} ${sign} ${Date.parse(value)}`);
  return twoValued(place, sql`${dialect.byCodePoint(text)} ${sign} ${value}`);
}

function orderKeys(target: FilterTarget, { field, direction = 'asc', nulls = 'last' }: OrderBy): Sql[] {
  const column = columnOf(target, field);
  const { spec } = column;
  const operand = operandOf(target, column);
  const way = direction === 'asc' ? sql`asc` : sql`desc`;
  const isNullable = spec.nullable === true || spec.kind === 'json';
  const nullKey = sql`case when ${operand.isNull} then 1 else 0 end ${nulls === 'last' ? sql`asc` : sql`desc`}`;
  return [
    ...(isNullable ? [nullKey] : []),
    ...valueKeys(target, column, operand).map((key) => sql`${key} ${way}`),
  ];
}

function valueKeys({ dialect }: FilterTarget, { spec, column }: Column, operand: Operand): Sql[] {
  if (spec.kind === 'text') return [dialect.byCodePoint(column)];
  if (spec.kind !== 'json') return [column];
  const { text = sql`null`, number = sql`null`, boolean = sql`null` } = operand;
  // JSON may hold anything: numbers come before texts, texts before booleans, and lists and objects are all alike.
  const rank = sql`case when ${number} is not null then 0 when ${text} is not null then 1
    when ${boolean} is not null then 2 else 3 end`;
  return [rank, number, dialect.byCodePoint(text), boolean];
}
