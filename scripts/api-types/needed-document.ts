/** Owns which part of the OpenAPI document the console needs types of: what routes take, and what they give when they succeed. */
import type { Json } from './served-document.ts';

/** Headers are the client's business, and all refusals have one shape, which the client reads: both would be most of the text. */
export function neededDocument(document: Json): Json {
  const { openapi, paths, components } = document;
  return {
    openapi,
    // Without the version, which says nothing about types.
    info: { title: 'Parley', version: '' },
    paths: mapOf(paths, (path) => mapOf(path, operationOf)),
    components: { schemas: partOf(components, 'schemas') },
  };
}

function operationOf(operation: unknown): Json {
  const { operationId, summary, parameters, requestBody, responses } = operation as Json;
  const inAddress = (parameters as readonly Json[]).filter(({ in: place }) => place !== 'header');
  return {
    operationId,
    summary,
    ...(inAddress.length > 0 && { parameters: inAddress }),
    ...(requestBody !== undefined && { requestBody }),
    responses: Object.fromEntries(
      Object.entries(responses as Json)
        .filter(([status]) => status.startsWith('2'))
        .map(([status, response]) => [status, { ...(response as Json), headers: undefined }]),
    ),
  };
}

function mapOf(whole: unknown, change: (part: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(whole as Json).map(([name, part]) => [name, change(part)]));
}

function partOf(whole: unknown, name: string): unknown {
  return (whole as Json)[name];
}
