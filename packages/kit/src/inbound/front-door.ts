/** The front door: Host, Origin, URL and headers of a request, checked before any work is done. */
import type { IncomingMessage } from 'node:http';
import { RPC } from '../call/errors.ts';
import type { InboundLimits } from './limits.ts';
import { HttpRefusal, REFUSED } from './refusal.ts';

/** Which names this server answers to. */
export interface AllowedNames {
  /** Host names besides the loopback ones, without ports. */
  readonly hosts: readonly string[];
  /** Origins of other sites whose pages may call. */
  readonly origins: readonly string[];
}

/** Refuses requests that were not meant for this server. */
export interface FrontDoor {
  /** Throws a refusal; answers the origin of a listed page, which needs CORS headers. */
  check(req: IncomingMessage): string | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const SINGLE_HEADERS = new Set([
  'host',
  'origin',
  'authorization',
  'content-type',
  'content-length',
  'cookie',
]);

/** Creates the checks on Host, Origin, URL length and repeated headers. */
export function createFrontDoor(names: AllowedNames, limits: InboundLimits): FrontDoor {
  const hosts = new Set([...LOOPBACK, ...names.hosts.map((host) => host.toLowerCase())]);
  const origins = new Set(names.origins);
  return {
    check(req) {
      const { host, origin } = req.headers;
      if ((req.url?.length ?? 0) > limits.urlBytes)
        throw new HttpRefusal(414, REFUSED, 'The URL is too long.');
      if (!isPlainPath(req.url ?? ''))
        throw new HttpRefusal(404, RPC.methodNotFound, 'Nothing is served at this URL.');
      if (req.rawHeaders.length / 2 > limits.headerFields) {
        throw new HttpRefusal(431, REFUSED, `At most ${limits.headerFields} header fields are accepted.`);
      }
      // Fewer names than fields means that some name came twice; only then is it worth looking which.
      if (Object.keys(req.headers).length * 2 !== req.rawHeaders.length) refuseRepeated(req);
      if (host === undefined || !hosts.has(hostName(host))) {
        throw new HttpRefusal(
          403,
          REFUSED,
          'This server does not answer to that Host. Add it with --allow-host.',
        );
      }
      if (origin === undefined || origin === `http://${host}` || origin === `https://${host}`)
        return undefined;
      if (origins.has(origin)) return origin;
      throw new HttpRefusal(
        403,
        REFUSED,
        'Requests from that Origin are not accepted. Add it with --allow-origin.',
      );
    },
  };
}

const PORT = /^:\d{1,5}$/;
const HIGHEST_PORT = 65_535;

function hostName(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  return (end > 0 && isPort(host.slice(end)) ? host.slice(0, end) : host).toLowerCase();
}

function isPort(text: string): boolean {
  return PORT.test(text) && Number(text.slice(1)) <= HIGHEST_PORT;
}

// Empty and dot segments, and what a URL parser takes for them or drops.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONFUSING = /\/(?:\/|(?:\.|%2e){1,2}(?:\/|$))|[\\\u0000-\u0020\u007f]/i;

/** True for a path that means the same to everybody who reads it: proxies, route tables and URL parsers. */
function isPlainPath(url: string): boolean {
  const path = url.split('?', 1)[0] ?? '';
  return path.startsWith('/') && !CONFUSING.test(path);
}

/** Refuses a security or MCP header that came twice; which copy counts would be anyone's guess. */
function refuseRepeated(req: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < req.rawHeaders.length; index += 2) {
    const name = (req.rawHeaders[index] ?? '').toLowerCase();
    if (!SINGLE_HEADERS.has(name) && !name.startsWith('mcp-')) continue;
    if (seen.has(name))
      throw new HttpRefusal(400, RPC.invalidRequest, `The header ${name} must appear once.`);
    seen.add(name);
  }
}
