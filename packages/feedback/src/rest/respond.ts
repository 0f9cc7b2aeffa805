/** Answers on their way out: bodies, tags, headers that every answer carries. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorCode, RestError } from './errors.ts';
import { etagOf, isUnchanged } from './etag.ts';
import type { Method } from './route.ts';

/** A finished answer. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** What went wrong; null for a success. */
  readonly code: ErrorCode | null;
  /** True when more follows after the body. */
  readonly isOpen?: boolean;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The answer to a fault. */
export function errorAnswer(error: RestError): RestAnswer {
  return {
    status: error.status,
    headers: { ...error.headers, 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
    body: JSON.stringify(error.toBody()),
    code: error.code,
  };
}

/** The answer of a route, with a tag where it can be asked for or changed again. */
export function routeAnswer(
  method: Method,
  { status, location, body }: { status: number; location?: string | undefined; body: string | undefined },
  ifNoneMatch: string | undefined,
): RestAnswer {
  const isTagged = body !== undefined && (method === 'GET' || method === 'PATCH');
  const etag = isTagged ? etagOf(body) : undefined;
  const headers = {
    'cache-control': method === 'GET' ? 'private, no-cache' : 'no-store',
    ...(etag !== undefined && { etag }),
    ...(location !== undefined && { location }),
  };
  if (method === 'GET' && etag !== undefined && isUnchanged(ifNoneMatch, etag))
    return { status: 304, headers, body: undefined, code: null };
  const typed = body === undefined ? headers : { ...headers, 'content-type': JSON_TYPE };
  return { status, headers: typed, body, code: null };
}

/** Writes an answer; HEAD gets everything but the body. */
export function write(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers, body, isOpen = false }: RestAnswer,
): void {
  if (res.destroyed || res.headersSent) return;
  res.setHeader('idempotency-supported', 'true');
  res.setHeader('x-content-type-options', 'nosniff');
  res.appendHeader('vary', 'authorization');
  if (isOpen) {
    res.writeHead(status, headers).write(body);
    return;
  }
  const sizeBytes = body === undefined ? 0 : Buffer.byteLength(body);
  const isBodiless = status === 204 || status === 304;
  res.writeHead(status, isBodiless ? headers : { ...headers, 'content-length': sizeBytes });
  res.end(req.method === 'HEAD' ? undefined : body);
}
