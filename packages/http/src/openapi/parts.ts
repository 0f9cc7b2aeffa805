/** The parts of the OpenAPI document that every route shares: error answers, headers, pages. */
import { ERROR_STATUS } from '../refusal.ts';

/** A part of a JSON document. */
export type Json = Record<string, unknown>;

/** Where schemas are found in the document. */
export const REF = '#/components/schemas/';

/** One answer per status of the error table. */
export function errorResponses(): Json {
  const statuses = [...new Set(Object.values(ERROR_STATUS))];
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = Object.entries(ERROR_STATUS).flatMap(([code, own]) => (own === status ? [code] : []));
      const response = {
        description: codes.join(' or '),
        ...((status === 429 || status === 503) && {
          headers: { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
        }),
        content: { 'application/json': { schema: { $ref: `${REF}Error` } } },
      };
      return [`Error${status}`, response];
    }),
  );
}

/** Headers of answers. */
export const HEADERS: Json = {
  IdempotencySupported: {
    description: 'Says that Idempotency-Key is understood',
    schema: { type: 'string', const: 'true' },
  },
  Location: { description: 'Where the new thing is', schema: { type: 'string' } },
  RetryAfter: { description: 'Whole seconds to wait', schema: { type: 'integer', minimum: 1 } },
};

/** The body of an error. */
export const ERROR_SCHEMA: Json = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        code: { type: 'string', enum: Object.keys(ERROR_STATUS) },
        message: { type: 'string' },
        fields: {
          type: 'object',
          additionalProperties: { type: 'string' },
          description: 'What is wrong with each field, in one sentence',
        },
        details: {
          type: 'object',
          properties: {
            errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
          },
        },
      },
      required: ['code', 'message'],
      additionalProperties: false,
    },
    message: { type: 'string', description: 'The same as error.message' },
  },
  required: ['error', 'message'],
  additionalProperties: false,
};

/** Where a page stands. */
export const PAGINATION_SCHEMA: Json = {
  type: 'object',
  properties: {
    cursor: { type: ['string', 'null'], description: 'Asks for the next page; null on the last one' },
    hasMore: { type: 'boolean' },
    total: { type: 'integer', minimum: 0, description: 'All rows that fit the filter, at this moment' },
  },
  required: ['cursor', 'hasMore', 'total'],
  additionalProperties: false,
};
