/** What the translation of a document promises, whatever the document holds. */
import { fromJsonSchema } from '@modelcontextprotocol/server';
import { PETS_30, PETS_31 } from '@parley/test-support/openapi-service';
import { describe, expect, test } from 'vitest';
import { MAX_DEPTH, MAX_INPUT_CHARS, MAX_OPERATIONS } from './limits.ts';
import type { LeftOut, ServiceTool } from './service.ts';
import { translate } from './translate.ts';

type Json = Readonly<Record<string, unknown>>;

const translated = (document: Json) =>
  translate({ text: JSON.stringify(document), url: 'https://api.test/openapi.json', server: null });

const ok = { '200': { description: 'ok' } };

const withPaths = (paths: Json, more: Json = {}): Json => ({
  openapi: '3.1.0',
  info: { title: 'T', version: '1' },
  paths,
  ...more,
});

async function toolsOf(document: Json): Promise<Map<string, ServiceTool>> {
  const { tools } = await translated(document);
  return new Map(tools.map((tool) => [tool.definition.name, tool]));
}

async function leftOutOf(operation: Json, path = '/x'): Promise<readonly LeftOut[]> {
  const { head, tools } = await translated(withPaths({ [path]: { get: { responses: ok, ...operation } } }));
  expect(tools).toEqual([]);
  return head.leftOut;
}

test('schemas of 3.0 become JSON Schema', async () => {
  const tools = await toolsOf(PETS_30);
  expect(tools.get('pets_create')?.definition.inputSchema).toEqual({
    type: 'object',
    properties: {
      name: { type: ['string', 'null'] },
      age: { type: 'number', exclusiveMinimum: 0 },
      kind: { type: ['string', 'null'], enum: ['cat', 'dog', null] },
      friend: { $ref: '#/$defs/Friend' },
    },
    required: ['name'],
    additionalProperties: false,
    $defs: { Friend: { type: ['object', 'null'], properties: { name: { type: 'string' } } } },
  });
});

test('every schema can be compiled, and says what fits', async () => {
  const tools = new Map([...(await toolsOf(PETS_31)), ...(await toolsOf(PETS_30))]);
  for (const { definition } of tools.values()) {
    if (definition.outputSchema !== undefined) fromJsonSchema(definition.outputSchema);
    fromJsonSchema(definition.inputSchema);
  }
  const issuesOf = async (tool: string, kind: 'inputSchema' | 'outputSchema', value: unknown) => {
    const standard = fromJsonSchema(tools.get(tool)?.definition[kind] ?? {})['~standard'];
    return (await standard.validate(value)).issues !== undefined;
  };
  const pet = { id: '1', name: 'Tom', parent: { id: '2', name: 'Old' } };
  expect(await issuesOf('createPet', 'inputSchema', { name: 'Rex', parent: pet })).toBe(false);
  expect(await issuesOf('createPet', 'inputSchema', { parent: pet })).toBe(true);
  expect(await issuesOf('createPet', 'inputSchema', { name: 'Rex', parent: { id: 7 } })).toBe(true);
  expect(await issuesOf('createPet', 'inputSchema', { name: 'Rex', other: 1 })).toBe(true);
  expect(await issuesOf('pets_create', 'inputSchema', { name: null, age: 1, friend: null })).toBe(false);
  expect(await issuesOf('pets_create', 'inputSchema', { name: null, age: 0 })).toBe(true);
  expect(await issuesOf('getPet', 'outputSchema', { ...pet, born: null, more: 1 })).toBe(false);
  expect(await issuesOf('getPet', 'outputSchema', { name: 7 })).toBe(true);
});

describe('names', () => {
  test('are fit for every client, distinct, and the same whatever stands beside them', async () => {
    const operation = (operationId?: string) => ({ get: { operationId, responses: ok } });
    const long = 'x'.repeat(100);
    const paths = {
      '/a': operation('pets/list all'),
      '/b': operation('__hidden'),
      '/c': operation(long),
      '/d': operation(`${long}y`),
      '/e': operation('same'),
      '/f': operation('same'),
      '/g/{id}': { get: { responses: ok, parameters: [{ name: 'id', in: 'path', schema: {} }] } },
      '/h': operation('日本語'),
    };
    const names = [...(await toolsOf(withPaths(paths))).keys()];
    expect(names).toHaveLength(8);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9-][A-Za-z0-9_-]{0,63}$/);
    expect(names).toEqual(expect.arrayContaining(['pets_list_all', 'hidden', 'same', 'get_g__id_']));
    const without = [
      ...(await toolsOf(withPaths({ '/c': paths['/c'], '/g/{id}': paths['/g/{id}'] }))).keys(),
    ];
    expect(names).toEqual(expect.arrayContaining(without));
  });

  test('of arguments are fit too, and find their way back', async () => {
    const parameters = [
      { name: 'filter[a]', in: 'query', schema: {} },
      { name: 'id', in: 'query', schema: {} },
      { name: 'id', in: 'path', schema: {} },
    ];
    const [tool] = (await toolsOf(withPaths({ '/x/{id}': { get: { parameters, responses: ok } } }))).values();
    const inputs = tool?.plan.inputs ?? [];
    expect(inputs.map(({ name, place }) => `${place} ${name}`)).toEqual([
      'path id',
      'query filter[a]',
      'query id',
    ]);
    expect(inputs[0]?.property).toBe('id');
    expect(inputs[1]?.property).toBe('filter_a_');
    expect(inputs[2]?.property).toMatch(/^id_[0-9a-f]{8}$/);
  });
});

describe('a body', () => {
  const propertiesOf = async (schema: Json, more: Json = {}) => {
    const requestBody = { required: true, content: { 'application/json': { schema } }, ...more };
    const parameters = [{ name: 'id', in: 'query', schema: { type: 'string' } }];
    const [tool] = (
      await toolsOf(withPaths({ '/x': { post: { parameters, requestBody, responses: ok } } }))
    ).values();
    return Object.keys(tool?.definition.inputSchema['properties'] ?? {});
  };
  const name = { name: { type: 'string' } };
  test.each<[string, Json, Json, string[]]>([
    ['an object', { type: 'object', properties: name }, {}, ['id', 'name']],
    ['an object whose field is taken', { type: 'object', properties: { id: {} } }, {}, ['id', 'body']],
    ['an open object', { type: 'object', properties: name, additionalProperties: true }, {}, ['id', 'body']],
    ['several shapes', { oneOf: [{ type: 'object', properties: name }] }, {}, ['id', 'body']],
    ['a list', { type: 'array' }, {}, ['id', 'body']],
    [
      'optional with a needed field',
      { type: 'object', properties: name, required: ['name'] },
      { required: false },
      ['id', 'body'],
    ],
    [
      'of a type for patches',
      {},
      { content: { 'application/merge-patch+json': { schema: { type: 'object', properties: name } } } },
      ['id', 'name'],
    ],
    ['plain text', {}, { content: { 'text/plain': {} } }, ['id', 'body']],
    ['optional and of no use', {}, { required: false, content: { 'application/pdf': {} } }, ['id']],
  ])('that is %s', async (_name, schema, more, expected) => {
    expect(await propertiesOf(schema, more)).toEqual(expected);
  });
});

describe('what a tool promises', () => {
  const outputOf = async (schema: Json, responses?: Json) => {
    const answers = responses ?? {
      '200': { description: 'ok', content: { 'application/json': { schema } } },
    };
    const [tool] = (await toolsOf(withPaths({ '/x': { get: { responses: answers } } }))).values();
    expect(tool?.plan.hasOutput).toBe(tool?.definition.outputSchema !== undefined);
    return tool?.definition.outputSchema;
  };
  const plain = {
    type: 'object',
    required: ['a'],
    additionalProperties: false,
    properties: { a: { type: 'string', enum: ['x'] } },
  };

  test('is an object, less strictly than its document says', async () => {
    expect(await outputOf(plain)).toEqual({
      type: 'object',
      properties: { a: { type: ['string', 'null'] } },
    });
  });

  test.each<[string, Json]>([
    ['a list', { type: 'array' }],
    ['an object without fields', { type: 'object' }],
    ['one of several', { type: 'object', properties: { a: { oneOf: [{ type: 'string' }] } } }],
    ['another file', { type: 'object', properties: { a: { $ref: 'other.json' } } }],
  ])('is nothing for %s', async (_name, schema) => {
    expect(await outputOf(schema)).toBeUndefined();
  });

  test('is nothing where two answers differ', async () => {
    const answer = { description: 'ok', content: { 'application/json': { schema: plain } } };
    expect(await outputOf({}, { '200': answer, '204': { description: 'nothing' } })).toBeUndefined();
  });
});

describe('an operation is left out alone', () => {
  test.each<[string, Json, string, string]>([
    ['that needs a cookie', { parameters: [{ name: 'sid', in: 'cookie', required: true }] }, '/x', 'cookie'],
    [
      'with a style that nobody uses',
      { parameters: [{ name: 'id', in: 'path', style: 'matrix' }] },
      '/x/{id}',
      'matrix',
    ],
    ['whose path has no parameter', {}, '/x/{id}', '{id}'],
    ['whose path leads out', {}, '/x/../y', 'out of its place'],
    ['whose path has an escape', {}, '/x/%2e%2e/y', 'characters'],
    ['whose path is a query', {}, '/x?a=b', 'characters'],
    ['whose path has no end', {}, '/x/{id', 'braces'],
    ['that refers to a file', { parameters: [{ $ref: '/etc/passwd' }] }, '/x', 'not fetched'],
    [
      'that refers to nothing',
      { parameters: [{ $ref: '#/components/parameters/none' }] },
      '/x',
      'does not have',
    ],
    [
      'that refers to what all objects have',
      { parameters: [{ $ref: '#/constructor' }] },
      '/x',
      'does not have',
    ],
    [
      'whose parameter is XML',
      { parameters: [{ name: 'a', in: 'query', content: { 'text/xml': {} } }] },
      '/x',
      'neither plain nor JSON',
    ],
  ])('%s', async (_name, operation, path, reason) => {
    const [left] = await leftOutOf(operation, path);
    expect(left?.what).toBe(`GET ${path}`);
    expect(left?.reason).toContain(reason);
  });

  test('and the others stay', async () => {
    const bad = { get: { parameters: [{ $ref: 'other.json' }], responses: ok } };
    const good = { get: { operationId: 'good', responses: ok }, trace: { responses: ok } };
    const { tools, head } = await translated(
      withPaths({ '/bad': bad, '/good': good, '/file': { $ref: 'file.json' } }),
    );
    expect(tools.map(({ definition }) => definition.name)).toEqual(['good']);
    expect(head.leftOut.map(({ what }) => what)).toEqual(
      expect.arrayContaining(['GET /bad', 'TRACE /good', '/file']),
    );
  });

  test('a circle of references is no end of them', async () => {
    const [left] = await leftOutOf({ parameters: [{ $ref: '#/paths/~1x/get/parameters/0' }] });
    expect(left?.reason).toContain('circle');
  });
});

describe('bounds', () => {
  test('as many operations as are allowed, and the next one is told of', async () => {
    const paths = Object.fromEntries(
      Array.from({ length: MAX_OPERATIONS + 5 }, (_each, index) => [
        `/p${index}`,
        { get: { responses: ok } },
      ]),
    );
    const { tools, head } = await translated(withPaths(paths));
    expect(tools).toHaveLength(MAX_OPERATIONS);
    expect(head.leftOut).toMatchObject([{ what: `GET /p${MAX_OPERATIONS}` }]);
  });

  test('schemas beyond the budget stand for anything', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 300 }, (_each, index) => [
        `S${index}`,
        {
          type: 'object',
          description: 'd'.repeat(500),
          properties: { next: { $ref: `#/components/schemas/S${index + 1}` } },
        },
      ]),
    );
    const components = { schemas: { ...schemas, S300: { type: 'string' } } };
    const requestBody = {
      required: true,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } },
    };
    const [tool] = (
      await toolsOf(withPaths({ '/x': { post: { requestBody, responses: ok } } }, { components }))
    ).values();
    expect(JSON.stringify(tool?.definition).length).toBeLessThan(MAX_INPUT_CHARS * 1.2);
    expect(JSON.stringify(tool?.definition)).toContain('S20');
  });

  test('fields that would change what an object is are nowhere', async () => {
    const schema =
      '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"},"a":{}}}';
    const text = `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{"/x":{"post":{"requestBody":{"required":true,"content":{"application/json":{"schema":${schema}}}},"responses":{}}}}}`;
    const { tools } = await translate({ text, url: 'https://api.test/', server: null });
    expect(tools[0]?.definition.inputSchema['properties']).toEqual({
      constructor: { type: 'string' },
      a: {},
    });
  });

  test('a document that is too deep is refused', async () => {
    let deep: unknown = {};
    for (let depth = 0; depth <= MAX_DEPTH; depth += 1) deep = { properties: { deep } };
    await expect(translated(withPaths({}, { components: { schemas: { deep } } }))).rejects.toThrow(
      'levels deep',
    );
  });
});

describe('the server of a document', () => {
  const at = (url: unknown, operation: Json = {}) =>
    withPaths({ '/x': { get: { responses: ok, ...operation } } }, { servers: [{ url }] });
  test.each([
    'https://evil.test',
    'http://api.test',
    'https://api.test:444',
    '//evil.test/',
    'https://user:pw@api.test/',
    'file:///etc',
    'https://{host}/',
    7,
  ])('is not %j, unless its owner says so', async (url) => {
    await expect(translated(at(url))).rejects.toThrow('metadata.gateway.openapiServer');
    const text = JSON.stringify(at(url));
    const { tools } = await translate({ text, url: 'https://api.test/', server: 'https://other.test/v2/' });
    expect(tools[0]?.plan.base).toBe('https://other.test/v2');
  });

  test.each([
    ['/v1', 'https://api.test/v1'],
    ['v1/', 'https://api.test/v1'],
    ['https://api.test', 'https://api.test'],
    ['https://API.test:443/a?b#c', 'https://api.test/a'],
  ])('%s is at %s', async (url, base) => {
    const { tools } = await translated(at(url));
    expect(tools[0]?.plan.base).toBe(base);
  });

  test('is not another one for a single operation', async () => {
    const { tools, head } = await translated(at('/', { servers: [{ url: 'https://evil.test' }] }));
    expect(tools).toEqual([]);
    expect(head.leftOut[0]?.reason).toContain('another origin');
    const { tools: near } = await translated(at('/', { servers: [{ url: '/v9' }] }));
    expect(near[0]?.plan.base).toBe('https://api.test/v9');
  });
});

test('a YAML document may be as large and as full of signs as its texts are', async () => {
  const text = [
    'openapi: 3.1.0',
    'info: &info {title: "[[[ *x", version: "1"}',
    'x-text: |',
    ...Array.from({ length: 200 }, () => '  [[[[ *x - - - ? ? {{{{'),
    'x-same: [*info, *info]',
    'paths:',
    ...Array.from(
      { length: 200 },
      (_each, at) => `  /p${at}:\n    get: {operationId: o${at}, responses: {}}`,
    ),
  ].join('\n');
  const { tools } = await translate({ text, url: 'https://api.test/', server: null });
  expect(tools).toHaveLength(200);
});

describe('what is no document', () => {
  const names = 'abcdefghi'.split('');
  const bomb = names.map((name, index) => {
    const before = names[index - 1];
    return `${name}: &${name} [${Array(9)
      .fill(before === undefined ? 'x' : `*${before}`)
      .join(', ')}]`;
  });
  const chain = Array.from(
    { length: 20_000 },
    (_each, at) => `x${at}: &x${at} {y: *x${Math.max(0, at - 1)}}`,
  );
  const steps = Array.from({ length: 1_100 }, (_each, at) => `${' '.repeat(at)}a:`).join('\n');
  test.each([
    ['nothing', 'no document at all: [', 'neither JSON nor YAML'],
    ['a list', '[]', 'no OpenAPI'],
    ['a word', 'word', 'no OpenAPI'],
    ['Swagger 2.0', '{"swagger":"2.0"}', 'Convert it'],
    ['a version to come', '{"openapi":"4.0.0"}', '4.0.0'],
    ['too deep', `{"openapi":"3.1.0","x":${'['.repeat(200)}${']'.repeat(200)}}`, 'levels deep'],
    ['too deep in YAML', `openapi: 3.1.0\npaths: ${'['.repeat(1_000_000)}`, 'levels deep'],
    ['too deep in keys', `openapi: 3.1.0\n${'? '.repeat(200_000)}\n${'- '.repeat(200_000)}`, 'levels deep'],
    [
      'too deep in JSON that breaks off',
      `{"openapi":"3.1.0","paths":${'['.repeat(1_000_000)}`,
      'levels deep',
    ],
    ['too deep by lines', `openapi: 3.1.0\n${steps}`, 'levels deep'],
    ['a chain of aliases', `openapi: 3.1.0\n${chain.join('\n')}\npaths: {}\n`, 'more than 1000 aliases'],
    ['too wide', `openapi: 3.1.0\nx: [${'x,'.repeat(1_000_001)}]`, 'more than 1000000 values'],
    ['an alias of aliases', `openapi: 3.0.0\n${bomb.join('\n')}\n`, 'neither JSON nor YAML'],
  ])('%s is refused in words', async (_name, text, words) => {
    await expect(translate({ text, url: 'https://api.test/', server: null })).rejects.toThrow(words);
  });
});
