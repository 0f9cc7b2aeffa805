/** JSON bodies: read and parsed within the limits. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { RPC } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';
import { readBytes } from './bytes.ts';
import type { InboundLimits } from './limits.ts';

/** Reads and parses a JSON body within the limits. */
export async function readJson(req: IncomingMessage, limits: InboundLimits): Promise<unknown> {
  const type = req.headers['content-type'];
  if (type !== 'application/json' && !isJsonType(type)) {
    throw new HttpRefusal(415, 'Unsupported Media Type: Content-Type must be application/json');
  }
  const encoding = req.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new HttpRefusal(415, 'Unsupported Media Type: the body must not be compressed');
  }
  const bytes = await readBytes(req, limits);
  if (!isUtf8(bytes))
    throw new HttpRefusal(400, 'Parse error: the body is not UTF-8', { rpc: RPC.parseError });
  return parseJson(bytes.toString('utf8'), limits);
}

/** Parses JSON text whose depth and number of values are within the limits. */
export function parseJson(text: string, limits: InboundLimits): unknown {
  if (!isSmall(text, limits)) checkShape(text, limits);
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpRefusal(400, 'Parse error: the request body is not valid JSON', { rpc: RPC.parseError });
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

const QUOTE = 34;
const BACKSLASH = 92;
const COMMA = 44;

/** True when there are too few signs in the text for it to break a limit, wherever they stand. */
function isSmall(text: string, { jsonDepth, jsonValues }: InboundLimits): boolean {
  if (text.length > jsonValues) return false;
  let left = jsonDepth;
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) if (--left < 0) return false;
  for (let at = text.indexOf('['); at !== -1; at = text.indexOf('[', at + 1)) if (--left < 0) return false;
  return true;
}

/** One pass over the text, before the parser builds anything. */
function checkShape(text: string, limits: InboundLimits): void {
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
        throw new HttpRefusal(400, `Invalid Request: JSON is nested deeper than ${limits.jsonDepth} levels`, {
          rpc: RPC.invalidRequest,
        });
      }
    } else if (code === 125 || code === 93) {
      depth -= 1;
    }
  }
  if (values > limits.jsonValues) {
    throw new HttpRefusal(400, `Invalid Request: JSON holds more than ${limits.jsonValues} values`, {
      rpc: RPC.invalidRequest,
    });
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
