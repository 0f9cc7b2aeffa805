/** The first stage: Host, Origin, headers and body of a request, all checked before any work is done. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { RPC } from '@parley/kit';
import { HttpRefusal, REFUSED } from './answers.ts';
import type { Limits } from './limits.ts';

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
export function createFrontDoor(names: AllowedNames, limits: Limits): FrontDoor {
  const hosts = new Set([...LOOPBACK, ...names.hosts.map((host) => host.toLowerCase())]);
  const origins = new Set(names.origins);
  return {
    check(req) {
      const { host, origin } = req.headers;
      if ((req.url?.length ?? 0) > limits.urlBytes)
        throw new HttpRefusal(414, REFUSED, 'The URL is too long.');
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

function hostName(host: string): string {
  const end = host.startsWith('[') ? host.indexOf(']') + 1 : host.indexOf(':');
  return (end > 0 && PORT.test(host.slice(end)) ? host.slice(0, end) : host).toLowerCase();
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

/** Reads and parses a JSON body within the limits. */
export async function readJson(req: IncomingMessage, limits: Limits): Promise<unknown> {
  const type = req.headers['content-type'];
  if (type !== 'application/json' && !isJsonType(type)) {
    throw new HttpRefusal(415, REFUSED, 'Unsupported Media Type: Content-Type must be application/json');
  }
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new HttpRefusal(415, REFUSED, 'Unsupported Media Type: the body must not be compressed');
  }
  if (Number(req.headers['content-length'] ?? 0) > limits.bodyBytes) throw tooLarge(limits);
  const bytes = await readBytes(req, limits);
  if (!isUtf8(bytes)) throw new HttpRefusal(400, RPC.parseError, 'Parse error: the body is not UTF-8');
  return parseJson(bytes.toString('utf8'), limits);
}

/** Parses JSON text whose depth and number of values are within the limits. */
export function parseJson(text: string, limits: Limits): unknown {
  checkShape(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal(400, RPC.parseError, 'Parse error: the request body is not valid JSON');
  }
}

function isJsonType(type: string | undefined): boolean {
  const [essence = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const isUtf8Only = parameters.every(
    (part) => part === '' || !part.startsWith('charset=') || /^charset="?utf-8"?$/.test(part),
  );
  return essence === 'application/json' && isUtf8Only;
}

function tooLarge(limits: Limits): HttpRefusal {
  return new HttpRefusal(413, REFUSED, `The body is larger than ${limits.bodyBytes} bytes.`, {
    connection: 'close',
  });
}

function readBytes(req: IncomingMessage, limits: Limits): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    const timer = setTimeout(() => {
      reject(new HttpRefusal(408, REFUSED, 'The body did not arrive in time.', { connection: 'close' }));
    }, limits.bodyTimeoutMs);
    req.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > limits.bodyBytes) {
        clearTimeout(timer);
        req.pause();
        reject(tooLarge(limits));
        return;
      }
      chunks.push(chunk);
    });
    req.on('end', () => {
      clearTimeout(timer);
      resolve(chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks));
    });
    req.on('error', () => {
      clearTimeout(timer);
      reject(new HttpRefusal(400, RPC.parseError, 'Parse error: the request body could not be read'));
    });
  });
}

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** One pass over the text, before the parser builds anything. */
function checkShape(text: string, limits: Limits): void {
  let depth = 0;
  let values = 1;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) {
      index = endOfString(text, index);
    } else if (code === COMMA) {
      values += 1;
    } else if (code === 123 || code === 91) {
      depth += 1;
      values += 1;
      if (depth > limits.jsonDepth) {
        throw new HttpRefusal(
          400,
          RPC.invalidRequest,
          `Invalid Request: JSON is nested deeper than ${limits.jsonDepth} levels`,
        );
      }
    } else if (code === 125 || code === 93) {
      depth -= 1;
    }
  }
  if (values > limits.jsonValues) {
    throw new HttpRefusal(
      400,
      RPC.invalidRequest,
      `Invalid Request: JSON holds more than ${limits.jsonValues} values`,
    );
  }
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
  return slashes % 2 === 1;
}
