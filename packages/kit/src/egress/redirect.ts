/** Owns what changes between one request and the next when a server redirects. */
import { invalid } from './errors.ts';
import { parseUrl } from './target.ts';

/** One request on the way to the final answer. */
export interface Hop {
  readonly url: URL;
  readonly method: string;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
}

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

// any other header may hold a secret of the first origin, whatever its name
const KEPT_ACROSS_ORIGINS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'content-language',
  'content-type',
  'mcp-protocol-version',
  'user-agent',
]);

/** Gives the request that a redirect asks for, or undefined when the answer is no redirect. */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (!REDIRECTS.has(status) || location === undefined) return undefined;
  if (!URL.canParse(location, hop.url.href)) {
    throw invalid(
      'The server redirected to an address that is not valid. Ask for the final address directly.',
    );
  }
  const url = parseUrl(new URL(location, hop.url));
  const isSameOrigin = url.origin === hop.url.origin;
  const headers = keepOnly(hop.headers, (name) => isSameOrigin || KEPT_ACROSS_ORIGINS.has(name));
  if (!becomesGet(hop.method, status)) return { ...hop, url, headers };
  return {
    url,
    method: 'GET',
    headers: keepOnly(headers, (name) => !name.startsWith('content-')),
    body: undefined,
  };
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD';
  return (status === 301 || status === 302) && method === 'POST';
}

function keepOnly(headers: Headers, isKept: (name: string) => boolean): Headers {
  return new Headers([...headers].filter(([name]) => isKept(name)));
}
