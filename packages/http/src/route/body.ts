/** Bodies of requests: JSON within the limits, and nothing in it that the route does not know. */
import type { IncomingMessage } from 'node:http';
import { issuesByField, unkeepableText } from '@parley/kit';
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
  const fault = faultIn(given, []);
  if (fault !== undefined) throw badBody({ [fault.field]: [fault.rule] });
  const schema = route.body ?? NO_FIELDS;
  const parsed = schema.safeParse(route.body === undefined ? given : (given ?? {}));
  if (parsed.success) return parsed.data;
  throw badBody(issuesByField(parsed.error.issues, given ?? {}, { schema }));
}

function badBody(errors: Readonly<Record<string, readonly string[]>>): HttpRefusal {
  return new HttpRefusal('BAD_REQUEST', 'Invalid request body', { details: { errors } });
}

interface Fault {
  readonly field: string;
  readonly rule: string;
}

/**
 * What no schema would see: a field `__proto__`, which maps of any fields pass over in silence, and text that databases
 * refuse or write as another one. The limits on JSON bound the depth.
 */
function faultIn(value: unknown, path: readonly string[]): Fault | undefined {
  if (typeof value === 'string') {
    const rule = unkeepableText(value);
    return rule === undefined ? undefined : { field: path.join('.') || 'input', rule };
  }
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (name.includes('\0')) return faultIn(name, path);
    const here = [...path, name.toWellFormed()];
    if (name === '__proto__' || !name.isWellFormed())
      return { field: here.join('.'), rule: 'is not a known field' };
    const fault = faultIn(inner, here);
    if (fault !== undefined) return fault;
  }
  return undefined;
}
