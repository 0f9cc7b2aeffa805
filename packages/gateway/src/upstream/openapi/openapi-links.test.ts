/** What a connection to an OpenAPI service promises: its tools, the requests behind them, and how they fail. */
import type { ServerResponse } from 'node:http';
import type { UpstreamTarget } from '@parley/connections';
import { createEgress } from '@parley/kit/egress';
import { eventually } from '@parley/test-support/eventually';
import type { OpenApiService, ServiceScript } from '@parley/test-support/openapi-service';
import { PETS_31, PIXEL, startOpenApiService } from '@parley/test-support/openapi-service';
import { serveForTest } from '@parley/test-support/scripted-server';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { LinkRequest } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import { createOpenApiLinks } from './openapi-links.ts';

const egress = createEgress();
let now = 1_800_000_000_000;
const links = createOpenApiLinks({ egress, now: () => now });

/** The service of most tests: one that is read once. */
const pets = await startOpenApiService();

beforeEach(() => {
  pets.seen.length = 0;
  pets.script.fault = undefined;
});

afterAll(async () => {
  await pets[Symbol.asyncDispose]();
  await links.close();
  await egress.close();
});

async function service(script: ServiceScript = {}): Promise<OpenApiService> {
  const running = await startOpenApiService(script);
  onTestFinished(() => running[Symbol.asyncDispose]());
  return running;
}

let connections = 0;

function targetAt({ origin, host }: OpenApiService, changes: Partial<UpstreamTarget> = {}): UpstreamTarget {
  connections += 1;
  return {
    id: `conn_${connections}`,
    organizationId: 'org_test',
    type: 'OPENAPI',
    url: `${origin}/openapi.json`,
    token: null,
    headers: {},
    program: null,
    secrets: [],
    principal: '',
    allow: [host],
    era: null,
    maxResultBytes: 1024 * 1024,
    ...changes,
  };
}

/** Answers what is no request for a document. */
function answering(answer: (response: ServerResponse) => unknown): NonNullable<ServiceScript['fault']> {
  return ({ url }, response) => {
    if (!url.startsWith('/v1')) return false;
    answer(response);
    return true;
  };
}

const asked = (
  method: string,
  params: LinkRequest['params'],
  more: Partial<LinkRequest> = {},
): LinkRequest => ({
  method,
  params,
  capabilities: {},
  signal: new AbortController().signal,
  limitMs: 10_000,
  ...more,
});

const call = (
  target: UpstreamTarget,
  name: string,
  args: Record<string, unknown> = {},
  more: Partial<LinkRequest> = {},
) => links.of(target).request(asked('tools/call', { name, arguments: args }, more));

async function toolsOf(target: UpstreamTarget): Promise<Map<string, Record<string, unknown>>> {
  const { tools } = await links.of(target).request(asked('tools/list', {}));
  return new Map((tools as { name: string }[]).map((tool) => [tool.name, tool]));
}

async function faultOf(work: Promise<unknown>): Promise<Partial<UpstreamFault>> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UpstreamFault);
  const { kind, message, wasSent, retryAfterMs, rpc } = error as UpstreamFault;
  // Nothing that a client sees names an address.
  expect(message).not.toContain('127.0.0.1');
  return { kind, message, wasSent, retryAfterMs, rpc };
}

describe('the document', () => {
  test.each([
    [
      '/openapi.json',
      'Pets',
      '1.2.3',
      ['listPets', 'createPet', 'getPet', 'hasPet', 'replacePet', 'deletePet', 'getPhoto', 'status'],
    ],
    ['/openapi-3.0.json', 'Old pets', '1.0.0', ['pets_create', 'login']],
    ['/openapi.yaml', 'Pets in YAML', '2', ['getPet']],
  ])('at %s becomes a server with tools', async (path, title, version, names) => {
    const at = await service();
    const target = targetAt(at, { url: at.origin + path });
    expect(await links.of(target).facts()).toMatchObject({
      era: 'modern',
      protocolVersion: '2026-07-28',
      capabilities: { tools: {} },
      info: { name: title, title, version },
    });
    expect([...(await toolsOf(target)).keys()]).toEqual(names);
    // The look at the server and the list that follows are one request.
    expect(at.seen).toHaveLength(1);
    expect(at.calls()).toEqual([]);
  });

  test('says of each tool what it does, and which request it is', async () => {
    const tools = await toolsOf(targetAt(pets));
    const hints = (name: string) => tools.get(name)?.['annotations'];
    const read = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };
    expect(hints('listPets')).toEqual({ ...read, title: 'List pets' });
    expect(hints('hasPet')).toEqual(read);
    expect(hints('createPet')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
    });
    expect(hints('replacePet')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: true,
    });
    expect(hints('deletePet')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
    });
    expect(tools.get('listPets')).toMatchObject({
      title: 'List pets',
      description: 'List pets\n\nGET /v1/pets',
    });
    expect(tools.get('deletePet')?.['description']).toBe(
      'Deprecated: the service may take it away.\n\nDELETE /v1/pets/{petId}',
    );
  });

  test('takes parameters and the fields of a body, and never a credential', async () => {
    const tools = await toolsOf(targetAt(pets));
    const list = tools.get('listPets')?.['inputSchema'] as { properties: Record<string, unknown> };
    expect(Object.keys(list.properties)).toEqual([
      'limit',
      'tags',
      'ids',
      'pipes',
      'spaces',
      'filter',
      'X-Trace',
    ]);
    expect(list.properties['limit']).toEqual({ type: 'integer', maximum: 100 });
    expect(tools.get('createPet')?.['inputSchema']).toEqual({
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Pattern: ^[A-Z]' },
        parent: { $ref: '#/$defs/Pet' },
      },
      required: ['name'],
      additionalProperties: false,
      $defs: {
        Pet: {
          type: 'object',
          required: ['id', 'name'],
          properties: {
            id: { type: 'string', readOnly: true },
            name: { type: 'string' },
            born: { type: 'string', format: 'date' },
            parent: { $ref: '#/$defs/Pet' },
          },
        },
      },
    });
    expect(tools.get('replacePet')?.['inputSchema']).toMatchObject({
      properties: { petId: { type: 'string' }, body: { type: 'array' } },
      required: ['petId', 'body'],
    });
  });

  test('tells what became no tool, each alone and with its reason', async () => {
    const target = targetAt(pets);
    const { _meta } = await links.of(target).request(asked('tools/list', {}));
    expect(_meta).toMatchObject({
      'parley/left-out': [
        { what: 'PUT /pets/{petId}/photo', reason: expect.stringContaining('multipart/form-data') },
        { what: 'GET /elsewhere', reason: expect.stringContaining('not fetched') },
        { what: 'document', reason: expect.stringContaining('resolve') },
      ],
    });
  });

  test('that is none is refused in words', async () => {
    const at = await service({ document: { swagger: '2.0' } });
    const { kind, message } = await faultOf(links.of(targetAt(at)).facts());
    expect(kind).toBe('invalid_result');
    expect(message).toContain('Convert it');
  });

  test.each([
    [401, 'auth_required'],
    [403, 'forbidden'],
    [404, 'invalid_result'],
    [302, 'not_allowed'],
    [503, 'broken'],
  ])('answered with %i is no document', async (status, kind) => {
    pets.script.fault = (_request, response) => {
      response.writeHead(status, { location: '/openapi-3.0.json' }).end();
      return true;
    };
    expect(await faultOf(links.of(targetAt(pets)).facts())).toMatchObject({ kind });
    expect(pets.seen).toHaveLength(1);
  });

  test('that has changed is read again by the next list, and calls go by the last one read', async () => {
    const at = await service();
    const target = targetAt(at);
    expect((await toolsOf(target)).has('getPet')).toBe(true);
    at.script.document = { ...PETS_31, paths: {} };
    await call(target, 'getPet', { petId: '7' });
    now += 60_000;
    await call(target, 'getPet', { petId: '7' });
    expect((await toolsOf(target)).size).toBe(0);
    expect(await faultOf(call(target, 'getPet', { petId: '7' }))).toMatchObject({ rpc: { code: -32602 } });
    expect(at.seen.filter(({ url }) => url === '/openapi.json')).toHaveLength(2);
  });

  test('is fetched once by calls that come together', async () => {
    const target = targetAt(pets);
    await Promise.all(Array.from({ length: 5 }, () => call(target, 'getPet', { petId: '7' })));
    expect(pets.seen.filter(({ url }) => url === '/openapi.json')).toHaveLength(1);
    expect(pets.calls()).toHaveLength(5);
  });
});

describe('a call', () => {
  const queries: [string, Record<string, unknown>, string][] = [
    ['a number', { limit: 5 }, '?limit=5'],
    ['a list with commas', { tags: ['a b', 'c,d'] }, '?tags=a%20b,c%2Cd'],
    ['a list repeated', { ids: ['1', '2&x=3'] }, '?ids=1&ids=2%26x%3D3'],
    ['a list with pipes', { pipes: ['a', 'b'] }, '?pipes=a%7Cb'],
    ['a list with spaces', { spaces: ['a', 'b'] }, '?spaces=a%20b'],
    [
      'a deep object',
      { filter: { kind: 'cat', age: { min: 1 } } },
      '?filter%5Bkind%5D=cat&filter%5Bage%5D%5Bmin%5D=1',
    ],
    ['nothing', {}, ''],
  ];
  test.each(queries)('puts %s into the query', async (_name, args, query) => {
    await call(targetAt(pets), 'listPets', args);
    expect(pets.calls()).toMatchObject([{ method: 'GET', url: `/v1/pets${query}`, body: '' }]);
  });

  test('sends a body as JSON, and says what came back', async () => {
    const target = targetAt(pets);
    const pet = { id: '8', name: 'Rex', born: null };
    expect(await call(target, 'createPet', { name: 'Rex' })).toEqual({
      resultType: 'complete',
      content: [{ type: 'text', text: JSON.stringify(pet) }],
      structuredContent: pet,
    });
    await call(target, 'replacePet', { petId: 'a/b ?#', body: [{ id: '1', name: 'x' }] });
    expect(pets.calls()).toMatchObject([
      {
        method: 'POST',
        url: '/v1/pets',
        body: '{"name":"Rex"}',
        headers: { 'content-type': 'application/json' },
      },
      { method: 'PUT', url: '/v1/pets/a%2Fb%20%3F%23', body: '[{"id":"1","name":"x"}]' },
    ]);
  });

  test('sends a form', async () => {
    const target = targetAt(pets, { url: `${pets.origin}/openapi-3.0.json` });
    await call(target, 'login', { user: 'a&b', roles: ['x', 'y'], more: { z: 1 } });
    expect(pets.calls()).toMatchObject([
      {
        body: 'user=a%26b&roles=x&roles=y&more=%7B%22z%22%3A1%7D',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    ]);
  });

  const answers: [string, string, Record<string, unknown>, Record<string, unknown>][] = [
    ['an object', 'getPet', { petId: '7' }, { structuredContent: { id: '7', name: 'Tom' } }],
    ['a list as text', 'listPets', {}, { content: [{ type: 'text', text: '[{"id":"7","name":"Tom"}]' }] }],
    ['text', 'status', { code: 200 }, { content: [{ type: 'text', text: 'as asked' }] }],
    [
      'a picture',
      'getPhoto',
      { petId: '7' },
      { content: [{ type: 'image', data: PIXEL.toString('base64'), mimeType: 'image/png' }] },
    ],
    [
      'nothing',
      'deletePet',
      { petId: '7' },
      { content: [{ type: 'text', text: 'The service answered 204 without content.' }] },
    ],
    [
      'headers',
      'hasPet',
      { petId: '7' },
      { content: [{ type: 'text', text: 'The service answered 200.\netag: "7"' }] },
    ],
    [
      'what is refused',
      'getPet',
      { petId: 'nobody' },
      {
        isError: true,
        content: [{ type: 'text', text: 'The service answered 404.\n{"error":"There is no such pet."}' }],
      },
    ],
    [
      'a redirect',
      'status',
      { code: 302 },
      { isError: true, content: [{ type: 'text', text: expect.stringContaining('not followed') }] },
    ],
  ];
  test.each(answers)('answers with %s', async (_name, tool, args, expected) => {
    expect(await call(targetAt(pets), tool, args)).toMatchObject({ resultType: 'complete', ...expected });
    expect(pets.calls()).toHaveLength(1);
  });

  test.each([
    [401, { kind: 'auth_required' }],
    [403, { kind: 'forbidden' }],
    [500, { kind: 'broken' }],
  ])('answered with %i fails', async (code, expected) => {
    expect(await faultOf(call(targetAt(pets), 'status', { code }))).toMatchObject({
      ...expected,
      wasSent: true,
    });
    expect(pets.calls()).toHaveLength(1);
  });

  test.each([
    ['30', 30_000],
    [new Date(1_800_000_090_000).toUTCString(), 30_000],
    ['soon', undefined],
  ])('answered with 429 and %s says when to come again', async (after, retryAfterMs) => {
    now = 1_800_000_060_000;
    pets.script.fault = answering((response) => response.writeHead(429, { 'retry-after': after }).end());
    expect(await faultOf(call(targetAt(pets), 'listPets'))).toMatchObject({
      kind: 'rate_limited',
      retryAfterMs,
    });
  });

  const bad: [string, (response: ServerResponse) => unknown, string][] = [
    [
      'no JSON',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
      'invalid_result',
    ],
    [
      'a list for an object',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('[]'),
      'invalid_result',
    ],
    [
      'too much',
      (response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(`"${'x'.repeat(2_000)}"`),
      'invalid_result',
    ],
    [
      'too deep',
      (response) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(`{"a":${'['.repeat(80)}${']'.repeat(80)}}`),
      'invalid_result',
    ],
    [
      'half of it',
      (response) => response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
      'dropped',
    ],
    ['silence', () => undefined, 'timeout'],
  ];
  test.each(bad)('answered with %s fails', async (_name, answer, kind) => {
    pets.script.fault = answering(answer);
    const target = targetAt(pets, { maxResultBytes: 1_024 });
    await links.of(target).facts();
    expect(await faultOf(call(target, 'getPet', { petId: '7' }, { limitMs: 300 }))).toMatchObject({ kind });
  });

  test('that changes something is sent once when the connection breaks; one that reads, once more', async () => {
    pets.script.fault = answering((response) => response.destroy());
    const target = targetAt(pets);
    expect(await faultOf(call(target, 'createPet', { name: 'Rex' }))).toMatchObject({
      kind: 'unreachable',
      wasSent: true,
    });
    expect(pets.calls()).toHaveLength(1);
    expect(await faultOf(call(target, 'listPets', {}, { isRead: true }))).toMatchObject({
      kind: 'unreachable',
    });
    expect(pets.calls()).toHaveLength(3);
  });

  test('that is cancelled ends at the service too', async () => {
    const gone = Promise.withResolvers<void>();
    pets.script.fault = answering((response) => response.on('close', gone.resolve));
    const client = new AbortController();
    const working = call(targetAt(pets), 'listPets', {}, { signal: client.signal });
    await eventually(() => expect(pets.calls()).toHaveLength(1));
    const reason = new Error('The client left.');
    client.abort(reason);
    await expect(working).rejects.toBe(reason);
    await gone.promise;
  });

  test.each([
    ['tools/call', { name: 'toString' }, -32602],
    ['tools/call', { name: 'dropTables' }, -32602],
    ['resources/list', {}, -32601],
    ['prompts/get', { name: 'x' }, -32601],
  ])('of what is not there: %s %j', async (method, params, code) => {
    const fault = await faultOf(links.of(targetAt(pets)).request(asked(method, params)));
    expect(fault).toMatchObject({ kind: 'rpc', wasSent: false, rpc: { code } });
    expect(pets.calls()).toEqual([]);
  });

  test.each([
    '..',
    '.',
    '%2e%2e',
    '%252e%252e',
    '..%2f',
    'a/../../b',
    '..\\',
    'x\\..\\y',
    '%5c',
    '..;x',
    '．．',
    '',
    'a\u0000b',
    'https://evil.test/',
    '//evil.test/..',
    'a@evil.test/..',
  ])('with %j in the path is not sent', async (petId) => {
    const work = call(targetAt(pets), 'getPet', { petId });
    if (petId === 'https://evil.test/') {
      // A value like any other, once it is encoded.
      await work;
      expect(pets.calls()).toMatchObject([{ url: '/v1/pets/https%3A%2F%2Fevil.test%2F' }]);
      return;
    }
    expect(await faultOf(work)).toMatchObject({ kind: 'rpc', rpc: { code: -32602 }, wasSent: false });
    expect(pets.calls()).toEqual([]);
  });
});

describe('credentials', () => {
  const places: [string, object, string, Record<string, string>][] = [
    ['bearer', { type: 'http', scheme: 'bearer' }, '', { authorization: 'Bearer s3cret' }],
    ['oauth', { type: 'oauth2', flows: {} }, '', { authorization: 'Bearer s3cret' }],
    ['basic', { type: 'http', scheme: 'basic' }, '', { authorization: `Basic ${btoa('s3cret')}` }],
    ['header', { type: 'apiKey', in: 'header', name: 'X-Key' }, '', { 'x-key': 's3cret' }],
    ['query', { type: 'apiKey', in: 'query', name: 'key' }, '?key=s3cret', {}],
    ['cookie', { type: 'apiKey', in: 'cookie', name: 'sid' }, '', { cookie: 'sid=s3cret' }],
  ];
  const headers = [
    'Authorization',
    'Cookie',
    'X-Key',
    'X-HTTP-Method-Override',
    'X-Forwarded-For',
    'x-parley-token',
    'Host',
  ];
  const operation = (operationId: string, more: object) => ({ get: { operationId, responses: {}, ...more } });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Secured', version: '1' },
    paths: {
      ...Object.fromEntries(
        places.map(([name]) => [`/${name}`, operation(name, { security: [{ [name]: [] }] })]),
      ),
      '/open': operation('open', { security: [] }),
      '/sly': operation('sly', {
        security: [{ header: [] }],
        parameters: [
          ...headers.map((name) => ({ name, in: 'header', schema: { type: 'string' } })),
          { name: 'free', in: 'query', schema: { type: 'object' } },
          { name: 'own', in: 'query', schema: { type: 'string' } },
        ],
      }),
    },
    components: { securitySchemes: Object.fromEntries(places.map(([name, scheme]) => [name, scheme])) },
  };

  test('go where the document says, with the headers of the connection and of the request', async () => {
    const at = await service({ document });
    const target = targetAt(at, { token: 's3cret', headers: { 'X-Team': 'red' } });
    for (const [name, , query, expected] of places) {
      await call(target, name, {}, { requestId: 'r1', headers: { 'X-Mapped': 'm' } });
      const more = { 'x-team': 'red', 'x-mapped': 'm', 'x-request-id': 'r1' };
      const sent = at.calls().at(-1);
      expect(sent).toMatchObject({ url: `/${name}${query}`, headers: { ...expected, ...more } });
      if (!('authorization' in expected)) expect(sent?.headers).not.toHaveProperty('authorization');
    }
    await call(target, 'open');
    expect(JSON.stringify(at.calls().at(-1))).not.toContain('s3cret');
  });

  test('cannot be set by a caller, whatever the document calls them', async () => {
    const at = await service({ document });
    const target = targetAt(at, { token: 's3cret' });
    const tool = (await toolsOf(target)).get('sly') as { inputSchema: { properties: object } };
    expect(Object.keys(tool.inputSchema.properties)).toEqual(['free', 'own']);
    await call(target, 'sly', { 'X-Key': 'mine', Authorization: 'mine', free: { a: 'b' } });
    expect(at.calls()).toMatchObject([{ url: '/sly?a=b', headers: { 'x-key': 's3cret' } }]);
    expect(JSON.stringify(at.calls())).not.toContain('mine');
    expect(await faultOf(call(target, 'sly', { free: { own: 'taken' } }))).toMatchObject({
      rpc: { code: -32602 },
    });
    expect(at.calls()).toHaveLength(1);
  });

  test('go to the server that the owner names, and not to that of the document', async () => {
    const from = await service({ document: { ...document, servers: [{ url: 'https://evil.test' }] } });
    const there = await serveForTest((_request, response) => response.writeHead(200).end('there'));
    const target = targetAt(from, { token: 's3cret', headers: { 'X-Team': 's3cret' } });
    expect((await faultOf(links.of(target).facts())).message).toContain('metadata.gateway.openapiServer');
    from.seen.length = 0;
    const moved = { ...target, openapiServer: `${there.origin}/base/`, allow: [from.host, there.host] };
    expect(await call(moved, 'bearer')).toMatchObject({ content: [{ text: 'there' }] });
    expect(there.seen).toMatchObject([{ url: '/base/bearer', headers: { authorization: 'Bearer s3cret' } }]);
    expect(from.seen).toHaveLength(1);
    expect(JSON.stringify(from.seen)).not.toContain('s3cret');
  });

  test('go nowhere that the guard does not allow', async () => {
    const fault = await faultOf(links.of(targetAt(pets, { allow: [] })).facts());
    expect(fault).toMatchObject({ kind: 'not_allowed', wasSent: false });
    expect(pets.seen).toEqual([]);
  });
});
