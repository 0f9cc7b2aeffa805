/** Owns the first request of a fetch: what a caller may ask for, and what the guard decides alone. */
import { invalid } from './errors.ts';
import type { Hop } from './redirect.ts';
import { parseUrl } from './target.ts';

/** What a caller may say about one request. */
export interface EgressInit {
  readonly method?: string | undefined;
  readonly headers?: Record<string, string> | Headers | undefined;
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Entries `host` or `host:port` that are allowed for this one use, beside those of the policy. */
  readonly allow?: readonly string[] | undefined;
  /** Absent: redirects are followed; `manual` gives the redirect itself as the answer. */
  readonly redirect?: 'follow' | 'manual' | undefined;
  /** True: answer as soon as the headers are there, and read the body as it comes. */
  readonly stream?: boolean | undefined;
  /** Time for the request where its use has a limit of its own; absent: that of the policy. */
  readonly limitMs?: number | undefined;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** What only the connection itself may set. */
export const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Checks what the caller asked for and builds the first request. */
export function firstHop(input: string | URL, init: EgressInit): Hop {
  const method = (init.method ?? 'GET').toUpperCase();
  if (!METHODS.has(method)) {
    throw invalid(`The method is not supported. Use one of ${[...METHODS].join(', ')}.`, false);
  }
  if (init.body !== undefined && (method === 'GET' || method === 'HEAD')) {
    throw invalid(`A ${method} request cannot have a body. Leave the body out or use POST.`, false);
  }
  const headers = parseHeaders(init.headers);
  for (const name of headers.keys()) {
    if (CONNECTION_HEADERS.has(name)) {
      throw invalid(`The header ${name} is set by the connection itself. Leave it out.`, false);
    }
  }
  headers.set('accept-encoding', init.stream === true ? 'identity' : 'gzip, br');
  return { url: parseUrl(input), method, headers, body: init.body };
}

function parseHeaders(headers: EgressInit['headers']): Headers {
  try {
    return new Headers(headers);
  } catch {
    throw invalid('A header name or value is not valid. Remove line breaks and special characters.', false);
  }
}
