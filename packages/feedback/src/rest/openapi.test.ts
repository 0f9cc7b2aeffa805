/** The document says what is served: every route is in it, and real answers fit their schemas. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { ERROR_STATUS, openApiOf } from '@parley/http/rest';
import { scratchStore } from '@parley/store/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Loose } from '../../test/rest-api.ts';
import { openRest } from '../../test/rest-api.ts';
import { fill, makeWorld, nameOf, SAMPLES } from '../../test/rest-samples.ts';
import { feedbackApi } from '../rest.ts';
import { ROUTES } from './routes/index.ts';

interface Validator {
  (value: unknown): boolean;
  errors?: unknown;
}

/** The parts of ajv that this test uses; it is installed in test/tools, apart from the product. */
interface Ajv {
  addSchema(schema: unknown, key: string): void;
  compile(schema: unknown): Validator;
}

const testTools = createRequire(join(import.meta.dirname, '../../../../test/tools/package.json'));
const Ajv2020 = testTools('ajv/dist/2020').default as new (options: object) => Ajv;
const addFormats = testTools('ajv-formats').default as (ajv: Ajv) => void;

/** A referee for whole documents; it too lives in test/tools. */
const { Validator: OpenApiValidator } = testTools('@seriousme/openapi-schema-validator') as {
  Validator: new () => { validate(document: unknown): Promise<{ valid: boolean; errors?: unknown }> };
};

const pathOf = (path: string) => path.replaceAll(/:(\w+)/g, '{$1}');

/** The document, loosely typed: the test walks it as a stranger would. */
const document: Loose = JSON.parse(JSON.stringify(openApiOf({ ...feedbackApi, routes: ROUTES })));

function validatorOf(schema: unknown): Validator {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'parley:document', ...document }, 'document');
  const text = JSON.stringify(schema).replaceAll('"#/', '"parley:document#/');
  return ajv.compile(JSON.parse(text));
}

function* refsIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (name === '$ref') yield String(inner);
    else yield* refsIn(inner);
  }
}

test('the document is valid OpenAPI', async () => {
  const { valid, errors } = await new OpenApiValidator().validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
});

test('every route is in the document, and nothing else', () => {
  const inDocument = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(inDocument.toSorted()).toEqual(
    ROUTES.map(({ method, path }) => `${method} ${pathOf(path)}`).toSorted(),
  );
});

test('a boolean in the query is a boolean in the document, and both of its values work', async () => {
  const flags = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
    Object.values<Loose>(item).flatMap((operation) =>
      operation.parameters
        .filter((each: Loose) => each.schema.type === 'boolean')
        .map((each: Loose) => ({ path, name: each.name, schema: each.schema })),
    ),
  );
  expect(flags.length).toBeGreaterThanOrEqual(4);
  for (const { schema } of flags) expect(schema).toEqual({ type: 'boolean' });
  const store = await scratchStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const api = await openRest(store);
  for (const [value, status] of [
    ['true', 200],
    ['false', 200],
    ['yes', 400],
    ['', 400],
  ] as const)
    expect((await api.call('GET', `/posts?showDeleted=${value}`, { as: api.keys.admin })).status).toBe(
      status,
    );
});

test('the document is well-formed OpenAPI 3.1', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/);
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) });
  const operations = Object.entries<Loose>(document.paths).flatMap(([path, item]) =>
    Object.values<Loose>(item).map((operation) => ({ path, operation })),
  );
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((each: Loose) => each.in === 'path');
    expect(declared.map((each: Loose) => each.name)).toEqual(inPath);
    for (const parameter of operation.parameters) {
      expect(['path', 'query', 'header']).toContain(parameter.in);
      expect(parameter.schema).toBeTypeOf('object');
      if (parameter.in === 'path') expect(parameter.required).toBe(true);
    }
    const names = operation.parameters.map((each: Loose) => `${each.in} ${each.name}`);
    expect(new Set(names).size).toBe(names.length);
    expect(operation.summary).not.toBe('');
    for (const [status, response] of Object.entries<Loose>(operation.responses)) {
      expect(status).toMatch(/^[2345]\d\d$/);
      if (response.$ref === undefined) expect(response.description).toBeTypeOf('string');
    }
  }
  for (const ref of refsIn(document)) {
    const target = ref
      .slice(2)
      .split('/')
      .reduce<Loose>((value, key) => value?.[key], document);
    expect([ref, typeof target]).toEqual([ref, 'object']);
  }
  for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
});

test('every schema in it is a valid JSON Schema', () => {
  const operations = Object.values<Loose>(document.paths).flatMap((item) => Object.values<Loose>(item));
  const schemas = [
    ...Object.values(document.components.schemas),
    ...operations.flatMap(({ parameters }) => parameters.map((each: Loose) => each.schema)),
    ...operations.flatMap(({ requestBody }) => requestBody?.content['application/json'].schema ?? []),
  ];
  for (const schema of schemas) expect(() => validatorOf(schema)).not.toThrow();
});

test('recorded answers and the requests for them fit the document', async () => {
  await using store = await scratchStore();
  const api = await openRest(store);
  for (const route of ROUTES) {
    const sample = SAMPLES[nameOf(route)]?.() ?? {};
    const { path, body } = fill(route, sample, await makeWorld(api, sample));
    const answer = await api.call(route.method, path, { as: api.keys.admin, body });
    const operation = document.paths[pathOf(route.path)][route.method.toLowerCase()];
    const response = operation.responses[answer.status];
    expect([nameOf(route), answer.status, response]).toEqual([
      nameOf(route),
      route.answer.status,
      expect.anything(),
    ]);
    if (answer.status === 201) expect(answer.headers.get('location')).toMatch(/^\/api\/v1\//);
    if (body !== undefined) {
      const fits = validatorOf(operation.requestBody.content['application/json'].schema);
      expect([nameOf(route), fits(body), fits.errors]).toEqual([nameOf(route), true, null]);
    }
    if (answer.status === 204) continue;
    if (route.answer.kind === 'file') {
      expect(answer.headers.get('content-disposition')).toContain('attachment');
      continue;
    }
    if (route.answer.kind === 'stream') {
      expect(answer.headers.get('content-type')).toContain(Object.keys(response.content)[0]);
      continue;
    }
    const fits = validatorOf(response.content['application/json'].schema);
    expect([nameOf(route), fits(answer.json), fits.errors]).toEqual([nameOf(route), true, null]);
  }
  const isError = validatorOf(document.components.schemas.Error);
  const errors = [
    await api.call('GET', '/posts'),
    await api.call('GET', '/posts?limit=x', { as: api.keys.admin }),
    await api.call('POST', '/posts', { as: api.keys.admin, body: {} }),
    await api.call('GET', '/nowhere', { as: api.keys.admin }),
  ];
  for (const { json, status } of errors) {
    expect([isError(json), isError.errors]).toEqual([true, null]);
    expect(Object.values(ERROR_STATUS)).toContain(status);
  }
});

test('both documents are served without a key, and load nothing from elsewhere', async () => {
  await using store = await scratchStore();
  const api = await openRest(store);
  const json = await api.call('GET', '/openapi.json');
  expect([json.status, json.json]).toEqual([200, document]);
  const etag = json.headers.get('etag') ?? '';
  expect((await api.call('GET', '/openapi.json', { headers: { 'if-none-match': etag } })).status).toBe(304);
  const page = await api.call('GET', '/docs');
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(page.text).not.toMatch(/(?:src|href)="(?!#|\/api\/v1\/)/);
  for (const { method, path } of ROUTES) expect(page.text).toContain(`<code>${method} ${path}</code>`);
  expect((await api.call('POST', '/docs', { body: {} })).headers.get('allow')).toBe('GET, HEAD');
});
