/** Values of the query string: how they are read, and the fields that lists share. */
import { describeIssues, issuesByField, unkeepableText } from '@parley/kit';
import * as z from 'zod';
import { HttpRefusal } from '../refusal.ts';
import type { RouteFacts } from './route.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

/** How many items are wanted; a number outside the bounds is moved to the nearest one. */
export const limitUpTo = (max: number, absent: number) =>
  z
    .string()
    .refine((text) => /^-?\d+$/.test(text), 'must be a whole number')
    .transform((text) => Math.min(max, Math.max(1, Number(text))))
    .default(absent)
    .meta({ type: 'integer', description: `Items per page: 1 to ${max}, ${absent} when absent` });

/** The fields of every paged list. */
export const pageFields = {
  limit: limitUpTo(MAX_LIMIT, DEFAULT_LIMIT),
  cursor: z.string().optional().describe('Where the page before ended, as its answer said'),
};

/** From which end a list by time is read. */
export const timeOrder = z
  .enum(['asc', 'desc'])
  .optional()
  .describe('asc: the oldest first; the newest first when absent');

/** A comma list of ids. */
export const idList = (description: string) =>
  z
    .string()
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .optional()
    .meta({ type: 'string', description });

/** `true` or `false`. */
export const flag = (description: string) =>
  z
    .string()
    .refine((text) => text === 'true' || text === 'false', 'must be true or false')
    .transform((text) => text === 'true')
    .optional()
    .meta({ type: 'boolean', description });

const NO_QUERY = z.strictObject({});

/** Reads the query of a request as the route wants it. */
export function parseQuery(route: Pick<RouteFacts, 'query'>, search: URLSearchParams): unknown {
  const given: Record<string, string> = {};
  for (const [name, value] of search) {
    if (Object.hasOwn(given, name))
      throw badQuery(`${name}: must appear once`, { [name]: ['must appear once'] });
    const rule = unkeepableText(value);
    if (rule !== undefined) throw badQuery(`${name}: ${rule}`, { [name]: [rule] });
    // Defined, not assigned: a field may be called like something that every object has.
    Object.defineProperty(given, name, { value, enumerable: true });
  }
  const schema = route.query ?? NO_QUERY;
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  throw badQuery(describeIssues(issues, given, { schema }), issuesByField(issues, given, { schema }));
}

function badQuery(message: string, errors: Record<string, string[]>): HttpRefusal {
  return new HttpRefusal('BAD_REQUEST', message, { details: { errors } });
}
