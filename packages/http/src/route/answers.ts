/** Answers of routes on their way out: bodies, tags, headers that every answer of REST carries. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KeptAnswer } from '../idempotency/claims.ts';
import type { ErrorCode, HttpRefusal } from '../refusal.ts';
import type { HttpAnswer } from '../respond/respond.ts';
import { tagged, withTag, writeAnswer } from '../respond/respond.ts';
import { errorBody } from './to-refusal.ts';
import type { Method } from './route.ts';

/** A finished answer. */
export interface RestAnswer extends HttpAnswer {
  readonly body: string | undefined;
  /** What went wrong; null for a success. */
  readonly code: ErrorCode | null;
  /** True when more follows after the body. */
  readonly isOpen?: boolean;
}

/** Carries what people tell an operator, who finds a fault by it in the log. */
export const REQUEST_ID = 'x-request-id';

const JSON_TYPE = 'application/json; charset=utf-8';

/** The answer to a fault. */
export function errorAnswer(refusal: HttpRefusal): RestAnswer {
  return {
    status: refusal.status,
    headers: { ...refusal.headers, 'content-type': JSON_TYPE, 'cache-control': 'no-store' },
    body: errorBody(refusal),
    code: refusal.code,
  };
}

/** The answer of a route, with a tag where it can be asked for or changed again. */
export function routeAnswer(
  req: IncomingMessage,
  method: Method,
  { status, location, body }: KeptAnswer,
): RestAnswer {
  const headers = {
    'cache-control': method === 'GET' ? 'private, no-cache' : 'no-store',
    ...(location !== undefined && { location }),
  };
  const plain = { status, headers, body, code: null };
  const answer = method === 'GET' ? tagged(req, plain) : method === 'PATCH' ? withTag(plain) : plain;
  if (answer.body === undefined) return answer;
  return { ...answer, headers: { ...answer.headers, 'content-type': JSON_TYPE } };
}

/** Writes an answer; HEAD gets everything but the body. */
export function write(
  req: IncomingMessage,
  res: ServerResponse,
  answer: HttpAnswer & { readonly isOpen?: boolean },
): void {
  if (res.destroyed || res.headersSent) return;
  setCommonHeaders(res);
  if (answer.isOpen === true) res.writeHead(answer.status, answer.headers).write(answer.body);
  else writeAnswer(req, res, answer);
}

/** The headers that every answer of REST carries. */
export function setCommonHeaders(res: ServerResponse): void {
  res.setHeader('idempotency-supported', 'true');
  res.setHeader('x-content-type-options', 'nosniff');
  res.appendHeader('vary', 'authorization, cookie');
}
