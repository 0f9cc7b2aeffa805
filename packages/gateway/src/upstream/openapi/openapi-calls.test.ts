/** What a call of an OpenAPI service promises: the request that it becomes, its answers, and how it fails. */
import type { ServerResponse } from 'node:http';
import { eventually } from '@parley/test-support/eventually';
import { PIXEL } from '@parley/test-support/openapi-service';
import { describe, expect, test } from 'vitest';
import { answering, asked, faultOf, openApiBed, targetAt } from '../../../test/openapi-bed.ts';

const { call, clock, links, pets } = await openApiBed();

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
    clock.now = 1_800_000_060_000;
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
