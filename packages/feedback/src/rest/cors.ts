/** Pages of listed origins may call, and only those. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
const EXPOSED = 'etag, location, retry-after, idempotency-supported';

/** Adds the headers for a listed page; true when that was a preflight, which is answered by it. */
export function answerCors(req: IncomingMessage, res: ServerResponse, origin: string): boolean {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', EXPOSED);
  res.setHeader('vary', 'origin');
  if (req.method !== 'OPTIONS') return false;
  res.writeHead(204, {
    'idempotency-supported': 'true',
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, if-match, if-none-match',
  });
  res.end();
  return true;
}
