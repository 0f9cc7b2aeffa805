/** Owns the collection contract in plain JavaScript, written from the specification and not from the SQL. */
import type { Comparison, ListQuery, OrderBy, Where } from '../src/collections/query.ts';

/** An entity as anybody sees it. */
export type Entity = { readonly id: string } & Readonly<Record<string, unknown>>;

/** The page that a query must give. */
export function modelList(
  entities: readonly Entity[],
  { where, orderBy, limit, offset }: ListQuery,
): { items: Entity[]; totalCount: number } {
  const found = entities.filter((entity) => where === undefined || fits(entity, where));
  const order = orderBy?.length ? orderBy : [{ field: ['created_at'], direction: 'desc' as const }];
  const sorted = found.toSorted((left, right) => {
    for (const key of order) {
      const sign = compareBy(key, left, right);
      if (sign !== 0) return sign;
    }
    return compareTexts(left.id, right.id);
  });
  return { items: sorted.slice(offset, offset + limit), totalCount: found.length };
}

function fits(entity: Entity, where: Where): boolean {
  if ('field' in where) return compares(valueAt(entity, where.field), where);
  if (where.operator === 'or') return where.conditions.some((condition) => fits(entity, condition));
  const all = where.conditions.every((condition) => fits(entity, condition));
  return where.operator === 'not' ? !all : all;
}

function valueAt(root: unknown, path: readonly string[]): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    value = Object.hasOwn(value, key) ? Reflect.get(value, key) : null;
  }
  return value ?? null;
}

const isTime = ([name]: readonly string[]) => name === 'created_at' || name === 'seen_at';

function compares(found: unknown, { field, operator, value }: Comparison): boolean {
  if (operator === 'eq' && value === null) return found === null;
  if (found === null) return false;
  if (operator === 'eq') return same(found, value, field);
  if (operator === 'in') return Array.isArray(value) && value.some((each) => same(found, each, field));
  if (operator === 'like') return typeof found === 'string' && likeRegExp(String(value)).test(found);
  if (operator === 'contains')
    return typeof found === 'string' && new RegExp(literally(String(value)), 'iu').test(found);
  const sign = signOf(found, value, field);
  if (sign === undefined) return false;
  if (operator === 'gt') return sign > 0;
  if (operator === 'gte') return sign >= 0;
  return operator === 'lt' ? sign < 0 : sign <= 0;
}

function same(found: unknown, value: unknown, field: readonly string[]): boolean {
  if (isTime(field) && typeof value === 'string') return Date.parse(String(found)) === Date.parse(value);
  return value !== null && found === value;
}

function signOf(found: unknown, value: unknown, field: readonly string[]): number | undefined {
  if (typeof found === 'number' && typeof value === 'number') return Math.sign(found - value);
  if (typeof found !== 'string' || typeof value !== 'string') return undefined;
  return isTime(field) ? Math.sign(Date.parse(found) - Date.parse(value)) : compareTexts(found, value);
}

/** The pattern with the engine's own simple case folding: a regular expression that ignores case by code points. */
function likeRegExp(pattern: string): RegExp {
  let source = '';
  const characters = Array.from(pattern);
  for (let index = 0; index < characters.length; index += 1) {
    const character = characters[index] ?? '';
    const next = characters[index + 1];
    if (character === '\\' && (next === '%' || next === '_' || next === '\\')) {
      source += literally(next);
      index += 1;
    } else if (character === '%') source += '.*';
    else source += character === '_' ? '.' : literally(character);
  }
  return new RegExp(`^${source}$`, 'isu');
}

/** The source of a regular expression that means the text as it stands. */
export function literally(text: string): string {
  return Array.from(text, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`).join('');
}

function compareBy({ field, direction, nulls }: OrderBy, left: Entity, right: Entity): number {
  const [one, other] = [valueAt(left, field), valueAt(right, field)];
  if (one === null || other === null) {
    const nullsLast = Number(one === null) - Number(other === null);
    return nulls === 'first' ? -nullsLast : nullsLast;
  }
  const sign = compareValues(one, other);
  return direction === 'desc' ? -sign : sign;
}

const RANKS = ['number', 'string', 'boolean', 'object'];

function compareValues(one: unknown, other: unknown): number {
  if (typeof one !== typeof other) return RANKS.indexOf(typeof one) - RANKS.indexOf(typeof other);
  if (typeof one === 'string' && typeof other === 'string') return compareTexts(one, other);
  if (typeof one === 'object') return 0;
  return Math.sign(Number(one) - Number(other));
}

/** By code point, not by the halves of a surrogate pair. */
function compareTexts(one: string, other: string): number {
  const [left, right] = [Array.from(one), Array.from(other)];
  for (const [index, character] of left.entries()) {
    const opposite = right[index];
    if (opposite === undefined) return 1;
    if (character !== opposite)
      return (character.codePointAt(0) ?? 0) < (opposite.codePointAt(0) ?? 0) ? -1 : 1;
  }
  return left.length === right.length ? 0 : -1;
}
