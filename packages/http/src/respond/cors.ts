/** Pages of other sites may call where their origin is listed, and only those. */
import type { IncomingMessage, ServerResponse } from 'node:http';

/** What pages of another origin may do. */
export interface CorsRules {
  readonly methods: string;
  /** Headers that they may send; a function returns them for what was asked. */
  readonly headers: string | ((asked: string | undefined) => string);
  /** Headers of answers that they may read. */
  readonly exposed?: string;
  /** More headers of the answer to a preflight. */
  readonly preflight?: Readonly<Record<string, string>>;
}

/** Adds the headers for a listed page; true when that was a preflight, which is answered by it. */
export function answerCors(
  req: IncomingMessage,
  res: ServerResponse,
  origin: string,
  { methods, headers, exposed, preflight = {} }: CorsRules,
): boolean {
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('vary', 'origin');
  if (exposed !== undefined) res.setHeader('access-control-expose-headers', exposed);
  if (req.method !== 'OPTIONS') return false;
  const asked = req.headers['access-control-request-headers'];
  res.writeHead(204, {
    ...preflight,
    'access-control-allow-methods': methods,
    'access-control-allow-headers': typeof headers === 'string' ? headers : headers(asked),
  });
  res.end();
  return true;
}
