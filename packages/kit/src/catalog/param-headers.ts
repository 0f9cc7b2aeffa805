/** Arguments that travel a second time as `Mcp-Param-*` headers: which ones, and whether both copies agree. */
import type { JsonSchema } from '../define/context.ts';
import { ProtocolFault, RPC } from '../call/errors.ts';
import { valueAt } from '../call/json-path.ts';

/** One declaration: where the argument is and which header repeats it. */
export interface ParamHeader {
  readonly path: readonly string[];
  readonly header: string;
  readonly isNumeric: boolean;
}

const DECLARATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
// Visible ASCII with spaces inside only.
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const MARK_START = '=?base64?';
const MARK_END = '?=';

/** Finds the declarations on properties that can be reached by names alone. */
export function paramHeadersOf(schema: JsonSchema, path: readonly string[] = []): ParamHeader[] {
  const found: ParamHeader[] = [];
  const header = schema[DECLARATION];
  if (path.length > 0 && typeof header === 'string' && TOKEN.test(header)) {
    found.push({ path, header, isNumeric: schema.type === 'integer' || schema.type === 'number' });
  }
  const properties = schema.properties;
  if (typeof properties !== 'object' || properties === null) return found;
  for (const [key, child] of Object.entries(properties)) {
    if (isSchema(child)) found.push(...paramHeadersOf(child, [...path, key]));
  }
  return found;
}

/** A property's schema is an object, or a boolean, which declares nothing. */
function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null;
}

/** Decodes a header value that travels as `=?base64?...?=`; undefined when that form is malformed. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(MARK_START) || !value.endsWith(MARK_END)) return value;
  const encoded = value.slice(MARK_START.length, -MARK_END.length);
  if (!BASE64.test(encoded)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
  } catch {
    return undefined;
  }
}

/** Writes a value so that it survives as a header: plain visible ASCII as it is, everything else as `=?base64?...?=`. */
export function encodeHeaderValue(value: string): string {
  if (PLAIN.test(value) && !(value.startsWith(MARK_START) && value.endsWith(MARK_END))) return value;
  return `${MARK_START}${Buffer.from(value, 'utf8').toString('base64')}${MARK_END}`;
}

/** The headers that repeat the arguments of a call, with names in lower case. */
export function paramHeaderValues(declared: readonly ParamHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declared) {
    const value = valueAt(args, path);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    headers[`mcp-param-${header.toLowerCase()}`] = encodeHeaderValue(String(value));
  }
  return headers;
}

/** Throws HeaderMismatch when a header is missing, malformed or says something else than the body. */
export function checkParamHeaders(
  declared: readonly ParamHeader[],
  args: unknown,
  headerOf: (name: string) => string | undefined,
): void {
  for (const { path, header, isNumeric } of declared) {
    const name = `Mcp-Param-${header}`;
    const value = valueAt(args, path);
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') continue;
    const field = path.join('.');
    const raw = headerOf(name.toLowerCase());
    if (raw === undefined)
      throw mismatch(
        name,
        `the body carries ${field}=${JSON.stringify(value)} but the ${name} header is absent`,
      );
    const decoded = decodeHeaderValue(raw);
    if (decoded === undefined)
      throw mismatch(name, `the ${name} header carries an invalid Base64 sentinel value`);
    const isEqual =
      isNumeric && typeof value === 'number' && DECIMAL.test(decoded)
        ? Number(decoded) === value
        : decoded === String(value);
    if (!isEqual) {
      throw mismatch(
        name,
        `the ${name} header decodes to ${JSON.stringify(decoded)} but the body carries ${field}=${JSON.stringify(value)}`,
      );
    }
  }
}

function mismatch(header: string, body: string): ProtocolFault {
  return new ProtocolFault(
    RPC.headerMismatch,
    `Bad Request: the request headers and body disagree: ${body}`,
    {
      mismatch: { header, body },
    },
  );
}
