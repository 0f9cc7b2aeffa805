/** Owns a small service with OpenAPI documents of 3.0 and 3.1, in JSON and YAML, whose faults a test decides. */
import type { ServerResponse } from 'node:http';
import type { ScriptedServer, SeenRequest } from './scripted-server.ts';
import { startServer } from './scripted-server.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the service does otherwise. */
export interface ServiceScript {
  /** The document at `/openapi.json`; absent: that of 3.1. */
  document?: unknown;
  /** Answers a request in another way; true when it did. */
  fault?: ((request: SeenRequest, response: ServerResponse) => boolean) | undefined;
}

/** A running service. */
export interface OpenApiService extends ScriptedServer {
  readonly script: ServiceScript;
  /** Requests besides those for documents. */
  calls(): SeenRequest[];
}

/** The smallest picture there is. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Starts the service on a free loopback port; the caller ends it. */
export async function startOpenApiService(script: ServiceScript = {}): Promise<OpenApiService> {
  const server = await startServer((request, response) => {
    if (script.fault?.(request, response) === true) return;
    const path = request.url.split('?', 1)[0] ?? '';
    const document = documentAt(path, script);
    if (document !== undefined) {
      response.writeHead(200, { 'content-type': document.type }).end(document.text);
      return;
    }
    serve(request, path, response);
  });
  return {
    ...server,
    script,
    calls: () => server.seen.filter(({ url }) => !url.startsWith('/openapi')),
  };
}

function documentAt(path: string, script: ServiceScript): { type: string; text: string } | undefined {
  const json = (document: unknown) => ({ type: 'application/json', text: JSON.stringify(document) });
  if (path === '/openapi.json') return json(script.document ?? PETS_31);
  if (path === '/openapi-3.0.json') return json(PETS_30);
  if (path === '/openapi.yaml') return { type: 'application/yaml', text: PETS_YAML };
  return undefined;
}

function serve(request: SeenRequest, path: string, response: ServerResponse): void {
  const json = (status: number, body: unknown) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const [, , noun, id, part] = path.split('/');
  if (noun === 'status') response.writeHead(Number(id), { 'content-type': 'text/plain' }).end('as asked');
  else if (part === 'photo') response.writeHead(200, { 'content-type': 'image/png' }).end(PIXEL);
  else if (request.method === 'HEAD') response.writeHead(200, { etag: '"7"' }).end();
  else if (request.method === 'DELETE') response.writeHead(204).end();
  else if (id === 'nobody') json(404, { error: 'There is no such pet.' });
  else if (request.method === 'POST') json(201, { id: '8', name: 'Rex', born: null });
  else if (id === undefined) json(200, [{ id: '7', name: 'Tom' }]);
  else json(200, { id, name: 'Tom' });
}

const petId = { name: 'petId', in: 'path', required: true, schema: { type: 'string' } };

const answers = (schema: unknown, status = '200') => ({
  [status]: { description: 'ok', content: { 'application/json': { schema } } },
});

const body = (schema: unknown) => ({ required: true, content: { 'application/json': { schema } } });

/** A document with what most have: references, a shared parameter, each method, each style. */
export const PETS_31: Json = {
  openapi: '3.1.0',
  info: { title: 'Pets', version: '1.2.3', description: 'A shop of pets.' },
  servers: [{ url: '/v1' }],
  security: [{ key: [] }],
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        summary: 'List pets',
        parameters: [
          { name: 'limit', in: 'query', schema: { type: 'integer', format: 'int32', maximum: 100 } },
          { name: 'tags', in: 'query', explode: false, schema: { type: 'array', items: { type: 'string' } } },
          { name: 'ids', in: 'query', schema: { type: 'array', items: { type: 'string' } } },
          { name: 'pipes', in: 'query', style: 'pipeDelimited', explode: false, schema: { type: 'array' } },
          { name: 'spaces', in: 'query', style: 'spaceDelimited', explode: false, schema: { type: 'array' } },
          { name: 'filter', in: 'query', style: 'deepObject', explode: true, schema: { type: 'object' } },
          { name: 'X-Trace', in: 'header', schema: { type: 'string' } },
          { name: 'Authorization', in: 'header', required: true, schema: { type: 'string' } },
        ],
        responses: answers({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }),
      },
      post: {
        operationId: 'createPet',
        summary: 'Add a pet',
        requestBody: body({ $ref: '#/components/schemas/NewPet' }),
        responses: answers({ $ref: '#/components/schemas/Pet' }, '201'),
      },
    },
    '/pets/{petId}': {
      parameters: [{ $ref: '#/components/parameters/petId' }],
      get: { operationId: 'getPet', responses: answers({ $ref: '#/components/schemas/Pet' }) },
      head: { operationId: 'hasPet', responses: { '200': { description: 'ok' } } },
      put: {
        operationId: 'replacePet',
        requestBody: body({ type: 'array', items: { $ref: '#/components/schemas/Pet' } }),
        responses: { '200': { description: 'ok' } },
      },
      delete: { operationId: 'deletePet', deprecated: true, responses: { '204': { description: 'gone' } } },
    },
    '/pets/{petId}/photo': {
      parameters: [{ $ref: '#/components/parameters/petId' }],
      get: {
        operationId: 'getPhoto',
        responses: { '200': { description: 'ok', content: { 'image/png': {} } } },
      },
      put: {
        operationId: 'setPhoto',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
        responses: { '200': { description: 'ok' } },
      },
    },
    '/status/{code}': {
      get: {
        operationId: 'status',
        security: [],
        parameters: [{ name: 'code', in: 'path', required: true, schema: { type: 'integer' } }],
        responses: { default: { description: 'as asked' } },
      },
    },
    '/elsewhere': {
      get: {
        operationId: 'elsewhere',
        responses: answers({ type: 'object', properties: { a: { $ref: 'other.json#/A' } } }),
        parameters: [{ $ref: 'https://elsewhere.test/parameters.json#/a' }],
      },
    },
  },
  components: {
    parameters: { petId },
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string' },
          born: { type: 'string', format: 'date' },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
      NewPet: {
        type: 'object',
        required: ['name'],
        properties: {
          id: { type: 'string', readOnly: true },
          name: { type: 'string', pattern: '^[A-Z]' },
          parent: { $ref: '#/components/schemas/Pet' },
        },
      },
    },
    securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } },
  },
};

/** What 3.0 says otherwise: null, excluded bounds, and words beside a reference. */
export const PETS_30: Json = {
  openapi: '3.0.3',
  info: { title: 'Old pets', version: '1.0.0' },
  servers: [{ url: '/{version}', variables: { version: { default: 'v1' } } }],
  paths: {
    '/pets': {
      post: {
        operationId: 'pets.create',
        requestBody: body({
          type: 'object',
          required: ['name'],
          properties: {
            name: { type: 'string', nullable: true },
            age: { type: 'number', minimum: 0, exclusiveMinimum: true },
            kind: { type: 'string', nullable: true, enum: ['cat', 'dog'] },
            friend: { $ref: '#/components/schemas/Friend', description: 'Not looked at.' },
          },
        }),
        responses: { '201': { description: 'made' } },
      },
    },
    '/login': {
      post: {
        operationId: 'login',
        requestBody: {
          required: true,
          content: {
            'application/x-www-form-urlencoded': {
              schema: {
                type: 'object',
                required: ['user'],
                properties: {
                  user: { type: 'string' },
                  roles: { type: 'array', items: { type: 'string' } },
                  more: { type: 'object' },
                },
              },
            },
          },
        },
        responses: { '200': { description: 'in' } },
      },
    },
  },
  components: {
    schemas: { Friend: { type: 'object', nullable: true, properties: { name: { type: 'string' } } } },
  },
};

const PETS_YAML = `
openapi: 3.0.3
info:
  title: Pets in YAML
  version: "2"
servers:
  - url: /v1
paths:
  /pets/{petId}:
    get:
      operationId: getPet
      parameters:
        - name: petId
          in: path
          required: true
          schema: { type: string }
      responses:
        "200":
          description: one
`;
