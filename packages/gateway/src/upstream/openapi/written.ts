/** Values as they stand in a path, a query, a form or a header, in the styles of OpenAPI. */
import { encodePathPart, EgressError } from '@parley/kit/egress';
import { objectIn } from './json.ts';
import type { Written } from './service.ts';
import { BadArguments } from './service.ts';

/** A name and a value of a query or a form, both encoded. */
export interface Pair {
  readonly name: string;
  /** The name before it was encoded. */
  readonly plainName: string;
  readonly value: string;
}

const DELIMITERS = { form: ',', simple: ',', spaceDelimited: '%20', pipeDelimited: '%7C' } as const;
const DEEPEST = 8;
// Printable ASCII and Latin letters, spaces and tabs: what a header can carry.
const HEADER_VALUE = /^[\t\x20-\x7E\x80-\xFF]*$/;

/** The value in a path: a part of it, or several with commas between them. */
export function pathText({ name, explode }: Written, value: unknown): string {
  try {
    const text = flat(value, explode, encodePathPart);
    // An empty list would ask for the place above: for all where one was meant.
    if (text === '') throw new BadArguments(`${name}: is a part of the path and must not be empty.`);
    return text;
  } catch (error) {
    if (error instanceof EgressError) throw new BadArguments(`${name}: ${error.message}`);
    throw error;
  }
}

export function headerText({ name, style, explode }: Written, value: unknown): string {
  const text = style === 'json' ? JSON.stringify(value) : flat(value, explode, (item) => item);
  if (!HEADER_VALUE.test(text)) throw new BadArguments(`${name}: has characters that no header can carry.`);
  return text;
}

/** Comma-separated, as paths and headers have it. */
function flat(value: unknown, explode: boolean, encode: (item: string) => string): string {
  if (Array.isArray(value)) return value.map((item) => encode(scalar(item))).join(',');
  const object = objectIn(value);
  if (object === undefined) return encode(scalar(value));
  return Object.entries(object)
    .map(([name, field]) => encode(name) + (explode ? '=' : ',') + encode(scalar(field)))
    .join(',');
}

/** The value in a query or a form. */
export function pairsOf({ name, style, explode }: Written, value: unknown): Pair[] {
  if (style === 'json') return [pair(name, JSON.stringify(value))];
  if (style === 'deepObject') return deepPairs(name, value, 0);
  const delimiter = DELIMITERS[style];
  if (Array.isArray(value)) {
    if (explode) return value.map((item) => pair(name, scalar(item)));
    return [{ ...pair(name, ''), value: value.map((item) => encoded(scalar(item))).join(delimiter) }];
  }
  const object = objectIn(value);
  if (object === undefined) return [pair(name, scalar(value))];
  if (explode) return Object.entries(object).map(([key, field]) => pair(key, scalar(field)));
  const items = Object.entries(object).flatMap(([key, field]) => [encoded(key), encoded(scalar(field))]);
  return [{ ...pair(name, ''), value: items.join(delimiter) }];
}

function deepPairs(name: string, value: unknown, depth: number): Pair[] {
  if (depth > DEEPEST) throw new BadArguments(`${name.slice(0, 60)}: is nested too deep for a query.`);
  const object = objectIn(value);
  if (object !== undefined)
    return Object.entries(object).flatMap(([key, field]) => deepPairs(`${name}[${key}]`, field, depth + 1));
  if (Array.isArray(value)) return value.flatMap((item) => deepPairs(`${name}[]`, item, depth + 1));
  return [pair(name, scalar(value))];
}

function pair(plainName: string, value: string): Pair {
  return { plainName, name: encoded(plainName), value: encoded(value) };
}

function encoded(text: string): string {
  // What is no text, such as half of a pair of surrogates, has no encoding.
  return encodeURIComponent(text.toWellFormed());
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === null || value === undefined ? '' : JSON.stringify(value);
}
