/** Where a service wants its credential, as its document says it. */
import type { JsonObject } from './json.ts';
import { fieldOf, listIn, objectIn } from './json.ts';
import { followed } from './references.ts';
import type { TokenPlace } from './service.ts';

const BEARER: TokenPlace = { in: 'bearer' };
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;

/** The place of the token for an operation; null when the document says that it needs none. */
export function tokenPlace(document: JsonObject, operation: JsonObject): TokenPlace | null {
  const said = fieldOf(operation, 'security') ?? fieldOf(document, 'security');
  // Nothing said about it: many documents leave it to their readers.
  if (!Array.isArray(said)) return soleScheme(document) ?? BEARER;
  if (said.length === 0) return null;
  const places = listIn(said).flatMap((one) =>
    Object.keys(objectIn(one) ?? {}).map((name) => placeOf(document, name)),
  );
  return places.find((place) => place !== undefined) ?? BEARER;
}

/** The place that the one scheme of a document means. */
function soleScheme(document: JsonObject): TokenPlace | undefined {
  const [name, ...others] = Object.keys(schemesOf(document));
  return name === undefined || others.length > 0 ? undefined : placeOf(document, name);
}

function schemesOf(document: JsonObject): JsonObject {
  return objectIn(fieldOf(objectIn(fieldOf(document, 'components')), 'securitySchemes')) ?? {};
}

function placeOf(document: JsonObject, schemeName: string): TokenPlace | undefined {
  const scheme = followed(document, fieldOf(schemesOf(document), schemeName));
  const type = fieldOf(scheme, 'type');
  if (type === 'oauth2' || type === 'openIdConnect') return BEARER;
  if (type === 'http') {
    const kind = String(fieldOf(scheme, 'scheme')).toLowerCase();
    return kind === 'bearer' ? BEARER : kind === 'basic' ? { in: 'basic' } : undefined;
  }
  const name = fieldOf(scheme, 'name');
  const place = fieldOf(scheme, 'in');
  if (type !== 'apiKey' || typeof name !== 'string' || !HEADER_NAME.test(name)) return undefined;
  return place === 'header' || place === 'query' || place === 'cookie' ? { in: place, name } : undefined;
}
