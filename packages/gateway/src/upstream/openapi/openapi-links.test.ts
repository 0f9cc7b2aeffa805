/** What a connection to an OpenAPI service promises of its tools and of its credentials. */
import type { UpstreamTool } from '@parley/connections';
import { definitionHash } from '@parley/connections';
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

describe('a tool that somebody agreed to', () => {
  const parameter = (more: object = {}) => ({
    name: 'limit',
    in: 'query',
    schema: { type: 'string' },
    ...more,
  });
  const body = (mediaType: string) => ({
    content: { [mediaType]: { schema: { type: 'object', properties: { a: { type: 'string' } } } } },
  });
  const operation = (more: object = {}) => ({
    operationId: 'listPets',
    parameters: [parameter()],
    security: [{ bearer: [] }],
    responses: { '200': { description: 'ok' } },
    ...more,
  });
  const securitySchemes = {
    bearer: { type: 'http', scheme: 'bearer' },
    query: { type: 'apiKey', in: 'query', name: 'key' },
  };
  const documentOf = (paths: object, more: object = {}) => ({
    openapi: '3.1.0',
    info: { title: 'Pets', version: '1' },
    paths,
    components: { securitySchemes },
    ...more,
  });
  const agreedTo = documentOf({ '/pets': { post: operation({ requestBody: body('application/json') }) } });

  /** What the list of a service pins of its tool: as it does now, and as it did before requests were covered. */
  async function pins(target: Parameters<typeof links.of>[0]) {
    const { tools, _meta } = await links.of(target).request(asked('tools/list', {}));
    const [definition] = JSON.parse(JSON.stringify(tools)) as [UpstreamTool];
    const requests = (_meta as Record<string, Record<string, string>>)['parley/requests'];
    const pinned = (request?: string) =>
      ({ definition, hash: definitionHash(definition, {}, request), state: 'approved' }) as const;
    return { now: pinned(requests?.['listPets']), before: pinned() };
  }

  /** The service with its first document agreed to and another one there now, as a process sees it that begins. */
  async function changed(document: object, first: object = agreedTo) {
    const at = await service({ document: first });
    const before = targetAt(at, { token: 's3cret' });
    const pinned = await pins(before);
    at.script.document = document;
    return { at, pinned, before, target: { ...before, id: `${before.id}_anew` } };
  }

  test.each<[string, object]>([
    ['method and path', { '/users/1': { delete: operation() } }],
    ['path', { '/users': { post: operation({ requestBody: body('application/json') }) } }],
    ['method', { '/pets': { put: operation({ requestBody: body('application/json') }) } }],
    [
      'place of an argument',
      {
        '/pets': {
          post: operation({
            parameters: [parameter({ in: 'header' })],
            requestBody: body('application/json'),
          }),
        },
      },
    ],
    [
      'kind of body',
      { '/pets': { post: operation({ requestBody: body('application/x-www-form-urlencoded') }) } },
    ],
    [
      'place of the token',
      { '/pets': { post: operation({ security: [{ query: [] }], requestBody: body('application/json') }) } },
    ],
    [
      'base',
      { '/pets': { servers: [{ url: '/v2' }], post: operation({ requestBody: body('application/json') }) } },
    ],
  ])('is not called when its document has another %s under its name', async (_name, paths) => {
    const { at, pinned, target } = await changed(documentOf(paths));
    let announced = 0;
    const onLists = () => (announced += 1);
    for (let times = 1; times <= 2; times += 1) {
      const work = call(target, 'listPets', { limit: '1' }, { pinned: pinned.now, onLists });
      expect(await faultOf(work)).toMatchObject({ kind: 'changed', wasSent: false });
      expect(announced).toBe(times);
    }
    expect(at.seen.map(({ url }) => url)).toEqual(['/openapi.json', '/openapi.json']);
  });

  test('is called as long as its request is the same, in whatever order its document says so', async () => {
    const two = [parameter(), parameter({ name: 'more' })];
    const post = (parameters: object[]) =>
      documentOf({ '/pets': { post: operation({ parameters, requestBody: body('application/json') }) } });
    const { at, pinned, target } = await changed(post(two.toReversed()), post(two));
    await call(target, 'listPets', { limit: '1', a: 'b' }, { pinned: pinned.now });
    expect(at.calls()).toMatchObject([{ method: 'POST', url: '/pets?limit=1' }]);
  });

  test('is called where its pin is of the definition alone, unless that is another one', async () => {
    const same = await changed(agreedTo);
    await call(same.target, 'listPets', {}, { pinned: same.pinned.before });
    expect(same.at.calls()).toHaveLength(1);
    const other = await changed(documentOf({ '/users/1': { delete: operation() } }));
    const work = call(other.target, 'listPets', {}, { pinned: other.pinned.before });
    expect(await faultOf(work)).toMatchObject({ kind: 'changed' });
    expect(other.at.calls()).toEqual([]);
  });

  test('is called as it is now by a process that has read its document before', async () => {
    const { at, before } = await changed(documentOf({ '/animals': { post: operation() } }));
    const { now } = await pins({ ...before, id: `${before.id}_elsewhere` });
    clock.now += 60_000;
    await call(before, 'listPets', {}, { pinned: now });
    expect(at.calls()).toMatchObject([{ url: '/animals' }]);
  });

  test('tells that its list is another when it is gone', async () => {
    const { pinned, target } = await changed(documentOf({}));
    let announced = 0;
    const work = call(target, 'listPets', {}, { pinned: pinned.now, onLists: () => (announced += 1) });
    expect(await faultOf(work)).toMatchObject({ rpc: { code: -32602 } });
    expect(announced).toBe(1);
  });

  test('of every operation has one hash, stored or not', async () => {
    const at = await service();
    const { tools } = await links.of(targetAt(at)).request(asked('tools/list', {}));
    for (const tool of tools as UpstreamTool[])
      expect(definitionHash(JSON.parse(JSON.stringify(tool)) as UpstreamTool)).toBe(definitionHash(tool));
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
