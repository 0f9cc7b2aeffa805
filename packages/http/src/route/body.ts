/** Bodies of requests: JSON within the limits, and nothing in it that the route does not know. */
import type { IncomingMessage } from 'node:http';
import { issuesByField } from '@parley/kit';
import * as z from 'zod';
import { readJson } from '../body/json.ts';
import type { InboundLimits } from '../body/limits.ts';
import { HttpRefusal } from '../refusal.ts';
import type { RouteFacts } from './route.ts';

const NO_FIELDS = z.strictObject({}).optional();

/** What the client sent; undefined when it sent nothing. */
export async function readBody(req: IncomingMessage, limits: InboundLimits): Promise<unknown> {
  const { 'content-length': length, 'transfer-encoding': encoding } = req.headers;
  if (encoding === undefined && (length === undefined || length === '0')) return undefined;
  return readJson(req, limits);
}

/** The body as the route wants it. */
export function parseBody(route: Pick<RouteFacts, 'body'>, given: unknown): unknown {
  const parsed = (route.body ?? NO_FIELDS).safeParse(route.body === undefined ? given : (given ?? {}));
  if (parsed.success) return parsed.data;
  throw new HttpRefusal('BAD_REQUEST', 'Invalid request body', {
    details: { errors: issuesByField(parsed.error.issues, given ?? {}) },
  });
}
