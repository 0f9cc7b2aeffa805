/** Hostile requests to every route, from a seed: half right, half wrong, as fields of the schemas suggest. */
import { randomInt } from 'node:crypto';
import { typeId } from '@parley/kit';
import * as z from 'zod';
import type { FeedbackRoute as Route } from '../src/rest/route.ts';
import { ROUTES } from '../src/rest/routes/index.ts';
import type { TestApi } from './rest-api.ts';
import type { World } from './rest-samples.ts';
import { makeWorld, unknownWorld } from './rest-samples.ts';

/** What a run is made of; the same seed gives the same requests but for their ids. */
export interface FuzzOptions {
  readonly count: number;
  readonly seed?: number;
}

/** A request whose answer breaks a promise. */
export interface FuzzFinding {
  readonly seed: number;
  readonly request: string;
  readonly answer: string;
}

const HOSTILE = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202eevil\u202c',
  "'; drop table feedback_posts; --",
  '"%_\\',
  '../../etc/passwd',
  '%00',
  '%zz',
  '<script>alert(1)</script>',
  '{"$gt": ""}',
  '__proto__',
  'constructor',
  'null',
  'true',
  '-1',
  '1e309',
  '99999999999999999999',
  '2026-02-30',
  '+275760-09-13T00:00:00Z',
  '0000-01-01T00:00:00Z',
  'post_',
  'post_zzzzzzzzzzzzzzzzzzzzzzzzzz',
  '👩‍👩‍👧',
  '👍',
  'é'.repeat(300),
  'x'.repeat(3000),
  'OR AND NOT "',
  '-"',
  '#12345g',
] as const;

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  1e308,
  [],
  {},
  [[]],
  [null],
  { a: { b: [1] } },
];

/** Sends the requests one after the other and returns what went wrong. */
export async function fuzzRest(
  api: TestApi,
  { count, seed = randomInt(2 ** 31) }: FuzzOptions,
): Promise<FuzzFinding[]> {
  const random = randomOf(seed);
  const findings: FuzzFinding[] = [];
  let world = await makeWorld(api);
  for (let index = 0; index < count; index += 1) {
    // What earlier requests deleted comes back from time to time.
    if (index % 200 === 199) world = await makeWorld(api);
    const request = requestOf(random, world);
    const as = random.pick([api.keys.admin, api.keys.admin, api.keys.admin, api.keys.member]);
    const { status, text } = await api.call(request.method, request.path, { as, ...request.rest });
    const isBad = status >= 500 || LEAK.test(text);
    if (isBad) findings.push({ seed, request: JSON.stringify(request), answer: `${status} ${text}` });
  }
  return findings;
}

/** What no answer may hold: stacks, paths and words of the databases. */
const LEAK =
  /\bat [\w.]+ \(|node_modules|\/work\/|\.ts:\d|SQLITE_|syntax error at|violates|feedback_(?!posts; --)[a-z]+_(?:pk|id)\b/;

interface Random {
  next(): number;
  pick<T>(values: readonly T[]): T;
  chance(part: number): boolean;
}

/** A small generator of numbers that a seed repeats. */
function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    // The index is always inside of what is given, which is never empty.
    pick: <T>(values: readonly T[]) => values[Math.floor(next() * values.length)] as T,
    chance: (part) => next() < part,
  };
}

function requestOf(random: Random, world: World) {
  const route = random.pick(ROUTES);
  const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) =>
    random.chance(0.03)
      ? random.pick(HOSTILE).replaceAll(/[^\x21-\x7e]|[?#/]/g, '')
      : encoded(paramOf(random, world, route, name)),
  );
  const method = random.chance(0.03) ? random.pick(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD']) : route.method;
  const query = queryOf(random, world, route);
  const canHaveBody = method !== 'GET' && method !== 'HEAD';
  const body = canHaveBody ? bodyOf(random, world, route) : undefined;
  const headers = headersOf(random);
  return { method, path: `${path}${query}`, rest: { headers, ...(body !== undefined && { body }) } };
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function paramOf(random: Random, world: World, { path }: Route, name: string): string {
  if (name === 'emoji') return random.pick(['👍', '❤️', ...HOSTILE]);
  if (random.chance(0.2)) return random.pick([...HOSTILE, ...Object.values(unknownWorld(world))]);
  const noun = name === 'postId' ? 'post' : (NOUNS[path.split('/')[1] ?? ''] ?? 'post');
  return random.chance(0.1) ? random.pick(Object.values(world)) : world[noun];
}

const NOUNS: Readonly<Record<string, keyof World>> = {
  posts: 'post',
  comments: 'comment',
  boards: 'board',
  statuses: 'status',
  tags: 'tag',
  roadmaps: 'roadmap',
  members: 'member',
  changelog: 'changelog',
  webhooks: 'webhook',
  deliveries: 'delivery',
  keys: 'api_key',
};

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

const schemas = new Map<z.ZodType, Schema>();

function schemaOf(shape: z.ZodType): Schema {
  const known = schemas.get(shape) ?? (z.toJSONSchema(shape, { io: 'input' }) as Schema);
  schemas.set(shape, known);
  return known;
}

function queryOf(random: Random, world: World, { query }: Route): string {
  if (query === undefined) return random.chance(0.02) ? '?x=1' : '';
  const fields = Object.entries(schemaOf(query).properties ?? {}).filter(
    ([name]) => name === 'memberId' || random.chance(0.3),
  );
  const pairs = fields.map(([name, schema]) => {
    const value = random.chance(0.3) ? random.pick(HOSTILE) : String(valueOf(random, world, schema));
    return `${name}=${encoded(value)}`;
  });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function bodyOf(random: Random, world: World, { body }: Route): unknown {
  if (body === undefined) return random.chance(0.1) ? random.pick(['{}', '{', 'null', '[]']) : undefined;
  if (random.chance(0.05))
    return random.pick(['', '{', '[]', 'null', '"x"', '{"__proto__":{}}', '\u0000', '[[[[]]]]']);
  const { properties = {}, required = [] } = schemaOf(body);
  const given = Object.entries(properties).filter(([name]) =>
    required.includes(name) ? random.chance(0.95) : random.chance(0.4),
  );
  const fields = given.map(([name, schema]): [string, unknown] => {
    if (random.chance(0.12)) return [name, random.pick([...HOSTILE, ...ODD])];
    return [name, valueOf(random, world, schema)];
  });
  if (random.chance(0.03)) fields.push([random.pick(HOSTILE), 1]);
  return JSON.stringify(Object.fromEntries(fields));
}

/** A value that the schema would take, more or less. */
function valueOf(random: Random, world: World, schema: Schema): unknown {
  const { anyOf, items, description = '' } = schema;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  if (anyOf !== undefined) return valueOf(random, world, { ...random.pick(anyOf), description });
  const type = typeof schema.type === 'object' ? random.pick(schema.type) : schema.type;
  if (type === 'array')
    return Array.from({ length: Math.floor(random.next() * 3) }, () => valueOf(random, world, items ?? {}));
  if (type === 'boolean') return random.chance(0.5);
  if (type === 'integer' || type === 'number')
    return random.pick([0, 1, 2, 7, 100, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1]);
  if (type === 'null') return null;
  if (type === 'object')
    return random.pick([{}, { feedback: ['*'] }, { a: '\u0000' }, { deep: { er: [1, '\ud800'] } }]);
  return stringOf(random, world, schema, description);
}

function stringOf(random: Random, world: World, { format }: Schema, description: string): string {
  const kind = /e\.g\. (\w+)_01h455vb4pex5vsknk084sn02q/.exec(description)?.[1];
  if (kind !== undefined && kind in world && random.chance(0.8)) return world[kind as keyof World];
  if (kind !== undefined) return random.pick([typeId(kind), ...HOSTILE]);
  if (format === 'date-time')
    return random.pick([
      '2026-01-01T00:00:00Z',
      '2030-01-01T00:00:00+02:00',
      '0000-01-01T00:00:00Z',
      '9999-12-31T23:59:59.999Z',
    ]);
  if (format === 'uri')
    return random.pick([
      'https://hooks.example.com/x',
      'http://127.0.0.1/',
      'ftp://x',
      'https://user:pw@x/',
      'https://[::1]/',
    ]);
  if (description.startsWith('Colour')) return random.pick(['#00ff00', '#GG0000']);
  return random.pick(['Dark mode', 'dark-mode', 'dark_mode', 'Ünïcode ✓', ...HOSTILE]);
}

function headersOf(random: Random): Record<string, string> {
  const headers: Record<string, string> = {};
  if (random.chance(0.2))
    headers['idempotency-key'] = random.pick(['a', 'b', 'c', 'x'.repeat(255), 'x'.repeat(256)]);
  if (random.chance(0.05)) headers['if-match'] = random.pick(['*', '"x"', '', 'W/"y"', ',,,']);
  if (random.chance(0.05)) headers['if-none-match'] = random.pick(['*', '"x"', '', ',,,']);
  if (random.chance(0.02))
    headers['content-type'] = random.pick(['text/plain', 'application/json;charset=utf-8', '']);
  return headers;
}
