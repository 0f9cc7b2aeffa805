/** The OpenAPI 3.1 document, made from the table of routes. */
import * as z from 'zod';
import type { ErrorCode } from '../refusal.ts';
import { ERROR_STATUS } from '../refusal.ts';
import type { Answer } from '../route/answer.ts';
import { isStream, isTagged } from '../route/answer.ts';
import { fullName } from '../route/authorize.ts';
import { namesIn } from '../route/paths.ts';
import type { RouteFacts } from '../route/route.ts';
import type { Json } from './parts.ts';
import { ERROR_SCHEMA, errorResponses, HEADERS, PAGINATION_SCHEMA, REF } from './parts.ts';

/** What the documents about a set of routes say. */
export interface ApiWords {
  readonly prefix: string;
  readonly toolset: string;
  /** Of the OpenAPI document. */
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Of the page that people read. */
  readonly heading: string;
  /** One more sentence on that page. */
  readonly note: string;
}

/** The same with the routes themselves. */
export interface ApiTable extends ApiWords {
  readonly routes: readonly RouteFacts[];
}

/** The document of a set of routes. */
export function openApiOf({ prefix, toolset, title, version, description, routes }: ApiTable): Json {
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: prefix }],
    security: [{ key: [] }],
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths: pathsOf(toolset, routes),
    components: {
      schemas: { ...itemSchemas(routes), Error: ERROR_SCHEMA, Pagination: PAGINATION_SCHEMA },
      responses: errorResponses(),
      headers: HEADERS,
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key of a team member.' },
      },
    },
  };
}

/** The noun that a route is listed under. */
export function tagOf({ path }: Pick<RouteFacts, 'path'>): string {
  return path.split('/')[1] ?? '';
}

function pathsOf(toolset: string, routes: readonly RouteFacts[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(toolset, route) };
  }
  return paths;
}

function operationOf(toolset: string, route: RouteFacts): Json {
  const { answer, body } = route;
  return {
    operationId: operationIdOf(route),
    tags: [tagOf(route)],
    summary: route.summary,
    description: whoSentence(toolset, route),
    parameters: parametersOf(route),
    ...(body !== undefined && {
      requestBody: {
        required: !body.safeParse({}).success,
        content: { 'application/json': { schema: schemaOf(body, 'input') } },
      },
    }),
    responses: {
      [answer.status]: successOf(toolset, answer),
      ...(route.method === 'GET' && isTagged(answer) && { 304: { description: 'Not modified' } }),
      ...errorsOf(route),
    },
  };
}

/** Who may use a route, in words. */
export function whoSentence(toolset: string, { who, grants }: RouteFacts): string {
  if (who === 'anybody') return 'For everybody, signed in or not.';
  if (who === 'person') return 'For people who are signed in with a browser.';
  const rank = who === 'team' ? 'For the team.' : 'For administrators.';
  const names = grants.map((name) => `\`${fullName(toolset, { name })}\``).join(' or ');
  return `${rank} Needs the grant ${names}.`;
}

function operationIdOf({ method, path }: RouteFacts): string {
  const words = path.split(/[/_-]/).filter((word) => word !== '');
  const named = words.map((word) => (word.startsWith(':') ? `By${capital(word.slice(1))}` : capital(word)));
  return `${method.toLowerCase()}${named.join('')}`;
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function parametersOf(route: RouteFacts): Json[] {
  const path = namesIn(route.path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return [...path, ...queryParameters(route), ...headerParameters(route)];
}

function queryParameters({ query }: RouteFacts): Json[] {
  if (query === undefined) return [];
  // A query is an object, whose schema has these two.
  const { properties = {}, required = [] } = schemaOf(query, 'input') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    ...(description !== undefined && { description }),
    schema,
  }));
}

const IF_MATCH = header('If-Match', 'The ETag of what was read; 412 when it has changed since');

const HEADER_OF_METHOD: Partial<Record<RouteFacts['method'], Json>> = {
  GET: header('If-None-Match', 'The ETag of an earlier answer; 304 when nothing has changed'),
  PATCH: IF_MATCH,
  DELETE: IF_MATCH,
  POST: {
    ...header('Idempotency-Key', 'Makes the request safe to repeat for 24 hours'),
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

function header(name: string, description: string): Json {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } };
}

function headerParameters({ method, answer, isRepeatable }: RouteFacts): Json[] {
  if (method === 'POST' && !isRepeatable) return [];
  const found = isTagged(answer) ? HEADER_OF_METHOD[method] : undefined;
  return found === undefined ? [] : [found];
}

function successOf(toolset: string, answer: Answer<unknown>): Json {
  const { item, status } = answer;
  const headers = {
    'Idempotency-Supported': { $ref: '#/components/headers/IdempotencySupported' },
    ...(status === 201 && { Location: { $ref: '#/components/headers/Location' } }),
  };
  if (isStream(answer))
    return {
      description: `Server-sent events named ${toolset}.<noun>, with the noun as data`,
      headers,
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    };
  if (answer.kind === 'file')
    return {
      description: 'A file',
      headers,
      content: { 'application/octet-stream': { schema: { type: 'string' } } },
    };
  if (item === undefined) return { description: 'Done', headers };
  return {
    description: status === 201 ? 'Made' : 'Success',
    headers,
    content: { 'application/json': { schema: bodySchema(answer, { $ref: `${REF}${item.name}` }) } },
  };
}

function bodySchema({ kind }: Answer<unknown>, item: Json): Json {
  if (kind === 'bare') return item;
  const isList = kind !== 'one';
  const data = isList ? { type: 'array', items: item } : item;
  const meta = {
    type: 'object',
    properties: { pagination: { $ref: `${REF}Pagination` } },
    required: ['pagination'],
    additionalProperties: false,
  };
  const isPage = kind === 'page';
  return {
    type: 'object',
    properties: { data, ...(isPage && { pagination: { $ref: `${REF}Pagination` }, meta }) },
    required: isPage ? ['data', 'pagination', 'meta'] : ['data'],
    additionalProperties: false,
  };
}

const ALWAYS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
];
const WITH_BODY: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

function errorsOf(route: RouteFacts): Json {
  const codes: ErrorCode[] = [...ALWAYS, 'UNAVAILABLE'];
  if (route.path.includes(':') || route.method === 'POST') codes.push('NOT_FOUND');
  if (route.method !== 'GET') codes.push('CONFLICT');
  if (route.method === 'PATCH' || route.method === 'DELETE') codes.push('PRECONDITION_FAILED');
  if (route.body !== undefined) codes.push(...WITH_BODY);
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, { $ref: `#/components/responses/Error${status}` }]),
  );
}

/** Every shape that an answer is made of, by its name. */
function itemSchemas(routes: readonly RouteFacts[]): Json {
  const named = z.registry<{ id: string }>();
  for (const { answer } of routes)
    if (answer.item !== undefined && !named.has(answer.item.shape))
      named.add(answer.item.shape, { id: answer.item.name });
  const { __shared, ...schemas } = z.toJSONSchema(named, {
    uri: (id) => `${REF}${id}`,
    io: 'output',
    override: tidy,
  }).schemas;
  // One shape may have several names; those after the first stand for it.
  const others = routes.flatMap(({ answer: { item } }) => {
    const first = item && named.get(item.shape)?.id;
    return first === undefined || first === item?.name ? [] : [[item?.name, { $ref: `${REF}${first}` }]];
  });
  // What is made of itself inside another shape: zod puts it aside, at an address that leads nowhere in this document.
  const inner = (__shared?.['$defs'] ?? {}) as Record<string, Json>; // Schemas by their names
  const all = Object.entries({ ...schemas, ...inner }).map(([id, schema]) => [id, withoutAddress(schema)]);
  return withInnerNames(Object.fromEntries([...others, ...all]) as Json); // Schemas by their names
}

function withInnerNames(schemas: Json): Json {
  return JSON.parse(JSON.stringify(schemas).replaceAll(`${REF}__shared#/$defs/`, REF)) as Json; // It was one before
}

function schemaOf(shape: z.ZodType, io: 'input' | 'output'): Json {
  return withoutAddress(z.toJSONSchema(shape, { io, override: tidy }));
}

function withoutAddress({ $schema: _schema, $id: _id, ...schema }: Json): Json {
  return schema;
}

/** Leaves out what a format says already, and bounds that every whole number has. */
function tidy({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema['format'] === 'date-time') delete jsonSchema['pattern'];
  // Its name in JSON Schema is `contentEncoding`, which stands beside it.
  if (jsonSchema['format'] === 'base64') delete jsonSchema['format'];
  if (jsonSchema['minimum'] === Number.MIN_SAFE_INTEGER) delete jsonSchema['minimum'];
  if (jsonSchema['maximum'] === Number.MAX_SAFE_INTEGER) delete jsonSchema['maximum'];
}
