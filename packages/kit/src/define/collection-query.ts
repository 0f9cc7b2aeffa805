/** What the list of a collection can be asked: filter, order and page, with their limits. */
import * as z from 'zod';
import { ToolError } from '../call/errors.ts';
import type { CollectionFields } from './collection.ts';

const MAX_NESTING = 8;
const MAX_COMPARISONS = 50;
// Enough for every comparison to stand in groups of its own; more are only empty ones.
const MAX_GROUPS = MAX_COMPARISONS * MAX_NESTING;
const MAX_CHOICES = 100;
const MAX_LIKE = 100;
const MAX_CONTAINS = 200;
const MAX_TEXT = 2000;
const MAX_KEYS = 16;

/** A comparison of a field, or of a value inside a JSON field. */
export interface Comparison {
  readonly field: readonly string[];
  readonly operator: 'eq' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'like' | 'contains';
  readonly value: unknown;
}

/** Conditions taken together; `not` negates all of them at once. */
export interface WhereGroup {
  readonly operator: 'and' | 'or' | 'not';
  readonly conditions: readonly Where[];
}

/** A filter. */
export type Where = Comparison | WhereGroup;

// By its id it is published once for filters and orders.
const field = z.array(z.string().max(200)).min(1).max(MAX_KEYS).meta({ id: 'Path' });

const comparison = z.strictObject({
  field: field.describe('e.g. ["metadata","team"]'),
  operator: z.enum(['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'like', 'contains']),
  value: z.unknown().describe('A list for in'),
});

const group = z.strictObject({
  operator: z.enum(['and', 'or', 'not']),
  conditions: z.array(z.lazy(() => where)),
});

// By its id it is published once, however often it stands in itself.
const where: z.ZodType<Where, Where> = z
  .discriminatedUnion('operator', [comparison, group])
  .meta({ id: 'Where' });

const orderBy = z.strictObject({
  field,
  direction: z.enum(['asc', 'desc']).optional(),
  nulls: z.enum(['first', 'last']).optional(),
});

export const listInput = z.object({
  where: where.optional().describe('like takes % and _, and minds no case'),
  orderBy: z.array(orderBy).max(5).optional().describe('Nulls are last'),
  limit: z.int().min(1).max(1000).default(100),
  offset: z.int().min(0).default(0),
});

/** A list that is asked for. */
export type ListQuery = z.output<typeof listInput>;

/**
 * Refuses a query that is over a limit, compares what cannot be compared, or names a field that the collection does
 * not have. A secret field is refused in the same words as an unknown one.
 */
export function checkListQuery(fields: CollectionFields, query: ListQuery): void {
  const ordered = Object.fromEntries(Object.entries(fields).filter(([, { kind }]) => kind !== 'many'));
  for (const [index, order] of (query.orderBy ?? []).entries())
    requireField(ordered, order.field, `orderBy.${index}.field`);
  let comparisons = 0;
  let groups = 0;
  const open: [where: Where, depth: number, path: string][] = [];
  if (query.where !== undefined) open.push([query.where, 1, 'where']);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [each, depth, path] = next;
    if ('field' in each) {
      comparisons += 1;
      requireField(fields, each.field, `${path}.field`);
      const fault = faultOfValue(each) ?? faultOfTime(fields, each) ?? faultOfMany(fields, each);
      if (fault !== undefined) throw new ToolError('invalid', `${path}.value: ${fault}`);
    } else {
      groups += 1;
      if (depth > MAX_NESTING) throw tooMuch(`${MAX_NESTING} groups inside each other`);
      for (const [index, inner] of each.conditions.entries())
        open.push([inner, depth + 1, `${path}.conditions.${index}`]);
    }
    if (comparisons > MAX_COMPARISONS) throw tooMuch(`${MAX_COMPARISONS} comparisons`);
    if (groups > MAX_GROUPS) throw tooMuch(`${MAX_GROUPS} groups`);
  }
}

function tooMuch(limit: string): ToolError {
  return new ToolError('invalid', `where: must have at most ${limit}`);
}

function faultOfValue({ operator, value }: Comparison): string | undefined {
  switch (operator) {
    case 'eq':
      return isScalar(value)
        ? faultOfText(value, MAX_TEXT)
        : 'eq takes a text, a number, true, false or null';
    case 'in':
      if (!Array.isArray(value) || value.length > MAX_CHOICES || !value.every(isScalar))
        return `in takes a list of at most ${MAX_CHOICES} texts, numbers, true or false`;
      return value.map((each) => faultOfText(each, MAX_TEXT)).find((fault) => fault !== undefined);
    case 'like':
    case 'contains':
      if (typeof value !== 'string') return `${operator} takes a text`;
      return faultOfText(value, operator === 'like' ? MAX_LIKE : MAX_CONTAINS);
    default:
      return typeof value === 'string' || Number.isFinite(value)
        ? faultOfText(value, MAX_TEXT)
        : `${operator} takes a text or a number`;
  }
}

function isScalar(value: unknown): boolean {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value);
}

function faultOfText(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (value.length > maxLength) return `must have at most ${maxLength} characters`;
  return value.isWellFormed() && !value.includes('\0')
    ? undefined
    : 'must have whole characters other than U+0000';
}

function requireField(
  fields: CollectionFields,
  [name = '', ...inner]: readonly string[],
  path: string,
): void {
  const known = Object.entries(fields).filter(([, { secret }]) => secret !== true);
  const found = known.find(([key]) => key === name)?.[1];
  const isWhole = inner.every((key) => key.isWellFormed() && !key.includes('\0'));
  if (found !== undefined && (inner.length === 0 || (found.kind === 'json' && isWhole))) return;
  const names = known.map(([key]) => key).join(', ');
  const asked = JSON.stringify([name, ...inner]).slice(0, 200);
  throw new ToolError('invalid', `${path}: there is no field ${asked} to ask for. Use one of: ${names}`);
}

function faultOfMany(
  fields: CollectionFields,
  { field: [name = ''], operator }: Comparison,
): string | undefined {
  if (fields[name]?.kind !== 'many' || operator === 'eq' || operator === 'in') return undefined;
  return `"${name}" holds several values; ask for one with eq, or for any of some with in`;
}

// A date, or a moment with its zone.
const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;

function faultOfTime(
  fields: CollectionFields,
  { field: [name = ''], operator, value }: Comparison,
): string | undefined {
  if (fields[name]?.kind !== 'time' || operator === 'like' || operator === 'contains') return undefined;
  const texts = (Array.isArray(value) ? value : [value]).filter((each) => typeof each === 'string');
  if (texts.every((text) => TIME.test(text) && !Number.isNaN(Date.parse(text)))) return undefined;
  return `"${name}" is a time; write it like 2026-03-01 or 2026-03-01T09:00:00Z`;
}
