/** What a connection to an OpenAPI service promises of its tools and of its credentials. */
import { PETS_31 } from '@parley/test-support/openapi-service';
import { serveForTest } from '@parley/test-support/scripted-server';
import { describe, expect, test } from 'vitest';
import { asked, faultOf, openApiBed, service, targetAt } from '../../../test/openapi-bed.ts';

const { call, clock, links, pets, toolsOf } = await openApiBed();

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
    clock.now += 60_000;
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
