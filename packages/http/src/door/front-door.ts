/** The front door: Host, Origin, URL and headers of a request, checked before any work is done. */
import type { IncomingMessage } from 'node:http';
import { RPC } from '@parley/kit';
import type { InboundLimits } from '../body/limits.ts';
import { HttpRefusal } from '../refusal.ts';
import type { AllowedNames } from './names.ts';
import { hostNameOf, isLoopback, isOwnOrigin, originNameOf } from './names.ts';

/** Refuses requests that were not meant for this server; every check throws a refusal. */
export interface FrontDoor {
  /** The whole check of most surfaces; returns the origin of a listed page, which needs CORS headers. */
  check(req: IncomingMessage): string | undefined;
  /** The same without a look at the Origin, for files that every page may load. */
  checkHost(req: IncomingMessage): void;
  /** The whole check of a surface that is spoken to by any page of this machine; returns the origin, if one was sent. */
  checkPage(req: IncomingMessage): string | undefined;
}

const SINGLE_HEADERS = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'cookie',
  'idempotency-key',
]);

/** Creates the checks on Host, Origin, URL length and repeated headers. */
export function createFrontDoor(names: AllowedNames, limits: InboundLimits): FrontDoor {
  const hosts = new Set(['localhost', '127.0.0.1', ...names.hosts.map((host) => host.toLowerCase())]);
  const origins = new Set(names.origins);
  // The Host and the URL that passed last: nearly every request brings them again.
  let accepted: string | undefined;
  let acceptedUrl: string | undefined;

  function checkUrl(url = ''): void {
    if (url === acceptedUrl) return;
    if (url.length > limits.urlBytes) throw new HttpRefusal(414, 'The URL is too long.');
    if (!isPlainPath(url))
      throw new HttpRefusal(404, 'Nothing is served at this URL.', { rpc: RPC.methodNotFound });
    acceptedUrl = url;
  }

  function checkHost(req: IncomingMessage): void {
    const { host } = req.headers;
    checkUrl(req.url);
    if (req.rawHeaders.length / 2 > limits.headerFields)
      throw new HttpRefusal(431, `At most ${limits.headerFields} header fields are accepted.`);
    // Fewer names than fields means that some name came twice; only then is it worth looking which.
    if (Object.keys(req.headers).length * 2 !== req.rawHeaders.length) refuseRepeated(req);
    if (host === accepted && host !== undefined) return;
    if (host === undefined)
      throw new HttpRefusal(400, 'A request needs a Host header.', { rpc: RPC.invalidRequest });
    const name = hostNameOf(host);
    if (!hosts.has(name) && !isLoopback(name))
      throw new HttpRefusal(403, 'This server does not answer to that Host. Add it with --allow-host.');
    accepted = host;
  }

  return {
    checkHost,
    check(req) {
      checkHost(req);
      const { host = '', origin } = req.headers;
      if (origin === undefined || isOwnOrigin(origin, host)) return undefined;
      if (origins.has(origin)) return origin;
      throw new HttpRefusal(403, 'Requests from that Origin are not accepted. Add it with --allow-origin.');
    },
    checkPage(req) {
      checkHost(req);
      const { host = '', origin } = req.headers;
      if (origin === undefined || origins.has(origin) || isOwnOrigin(origin, host)) return origin;
      const name = originNameOf(origin);
      if (name !== undefined && isLoopback(name)) return origin;
      throw new HttpRefusal(403, 'Pages of that Origin may not connect. Add it with --allow-origin.');
    },
  };
}

// Empty and dot segments, and what a URL parser takes for them or drops.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONFUSING = /\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))|[\\\u0000-\u0020\u007f]/i;

/** True for a path that means the same to everybody who reads it: proxies, route tables and URL parsers. */
function isPlainPath(url: string): boolean {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  return path.startsWith('/') && !CONFUSING.test(path);
}

/** Refuses a security or MCP header that came twice; which copy counts would be anyone's guess. */
function refuseRepeated(req: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = (req.rawHeaders[index] ?? '').toLowerCase();
    if (!SINGLE_HEADERS.has(name) && !name.startsWith('mcp-')) continue;
    if (seen.has(name))
      throw new HttpRefusal(400, `The header ${name} must appear once.`, { rpc: RPC.invalidRequest });
    seen.add(name);
  }
}
