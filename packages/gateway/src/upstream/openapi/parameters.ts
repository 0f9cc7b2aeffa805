/** The parameters of an operation: which of them a caller gives, and how each is written. */
import type { JsonObject } from './json.ts';
import { fieldOf, listIn, objectIn } from './json.ts';
import { MAX_INPUTS } from './limits.ts';
import { isJsonType } from './media-types.ts';
import { followed } from './references.ts';
import type { Input, TokenPlace } from './service.ts';
import { Unsupported } from './service.ts';

/** A parameter that becomes a property of the tool. */
export interface Parameter extends Omit<Input, 'property'> {
  readonly isRequired: boolean;
  readonly schema: unknown;
  readonly description: unknown;
  readonly isDeprecated: boolean;
}

// Set by the connection, or by who speaks HTTP for it; and those that make one request do the work of another.
const OWN_HEADERS = new Set([
  'accept',
  'accept-charset',
  'accept-encoding',
  'authorization',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'origin',
  'te',
  'traceparent',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  'x-original-url',
  'x-request-id',
  'x-rewrite-url',
]);
const OWN_PREFIXES = ['mcp-', 'proxy-', 'sec-', 'x-forwarded-', 'x-parley-'];
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** Those of the path first, since they are never left out; a parameter of the operation stands before one of its path. */
export function parametersOf(
  document: JsonObject,
  { path, operation, token }: { path: JsonObject; operation: JsonObject; token: TokenPlace | null },
): Parameter[] {
  const given = [...listIn(fieldOf(operation, 'parameters')), ...listIn(fieldOf(path, 'parameters'))];
  if (given.length > MAX_INPUTS) throw new Unsupported(`It has more than ${MAX_INPUTS} parameters.`);
  const found = new Map<string, Parameter>();
  for (const one of given) {
    const parameter = followed(document, one);
    const name = fieldOf(parameter, 'name');
    const place = fieldOf(parameter, 'in');
    if (parameter === undefined || typeof name !== 'string' || name === '') continue;
    const key = `${String(place)} ${place === 'header' ? name.toLowerCase() : name}`;
    if (found.has(key) || isOfConnection(place, name, token)) continue;
    const read = parameterOf(document, name, parameter);
    if (read !== undefined) found.set(key, read);
  }
  const order = ['path', 'query', 'header'];
  return [...found.values()].toSorted((a, b) => order.indexOf(a.place) - order.indexOf(b.place));
}

/** True for what the connection itself sends, so that no caller can. */
function isOfConnection(place: unknown, name: string, token: TokenPlace | null): boolean {
  if (place === 'header') {
    const lower = name.toLowerCase();
    if (OWN_HEADERS.has(lower) || OWN_PREFIXES.some((prefix) => lower.startsWith(prefix))) return true;
    return token?.in === 'header' && token.name.toLowerCase() === lower;
  }
  return place === 'query' && (name === '_method' || (token?.in === 'query' && token.name === name));
}

function parameterOf(document: JsonObject, name: string, parameter: JsonObject): Parameter | undefined {
  const place = fieldOf(parameter, 'in');
  const isRequired = place === 'path' || fieldOf(parameter, 'required') === true;
  if (place !== 'path' && place !== 'query' && place !== 'header') {
    if (isRequired) throw new Unsupported(`Its parameter ${name.slice(0, 60)} goes into a cookie.`);
    return undefined;
  }
  if (place === 'header' && !HEADER_NAME.test(name))
    throw new Unsupported(`Its parameter ${name.slice(0, 60)} is not the name of a header.`);
  const [content] = Object.entries(objectIn(fieldOf(parameter, 'content')) ?? {});
  if (content !== undefined && !isJsonType(content[0]))
    throw new Unsupported(`Its parameter ${name.slice(0, 60)} is neither plain nor JSON.`);
  const isJson = content !== undefined;
  const style = isJson ? 'json' : styleOf(place, name, parameter);
  const explode = fieldOf(parameter, 'explode');
  return {
    name,
    place,
    style,
    explode: typeof explode === 'boolean' ? explode : style === 'form',
    isRequired,
    schema: isJson ? fieldOf(followed(document, content[1]), 'schema') : fieldOf(parameter, 'schema'),
    description: fieldOf(parameter, 'description'),
    isDeprecated: fieldOf(parameter, 'deprecated') === true,
  };
}

const QUERY_STYLES = new Set<unknown>(['form', 'spaceDelimited', 'pipeDelimited', 'deepObject']);

function styleOf(place: 'path' | 'query' | 'header', name: string, parameter: JsonObject): Input['style'] {
  const usual = place === 'query' ? 'form' : 'simple';
  const style = fieldOf(parameter, 'style') ?? usual;
  const isKnown = place === 'query' ? QUERY_STYLES.has(style) : style === 'simple';
  if (!isKnown)
    throw new Unsupported(
      `Its parameter ${name.slice(0, 60)} has the style ${JSON.stringify(style).slice(0, 40)}.`,
    );
  // One of those that were just looked for.
  return style as Input['style'];
}
