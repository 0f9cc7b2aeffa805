/** The credentials of a connection in a request to its service. */
import type { UpstreamTarget } from '@parley/connections';
import type { TokenPlace } from './service.ts';

/** What a request carries for its connection. */
export interface Carried {
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: { readonly name: string; readonly value: string } | null;
}

/** The token where the service wants it; headers of the connection win over it, and those of the request over both. */
export function carried(
  { token, headers }: Pick<UpstreamTarget, 'token' | 'headers'>,
  place: TokenPlace | null,
  ofRequest: Readonly<Record<string, string>> = {},
): Carried {
  const own = { ...lowerCased(headers), ...lowerCased(ofRequest) };
  if (token === null || place === null) return { headers: own, query: null };
  if (place.in === 'query') return { headers: own, query: { name: place.name, value: token } };
  return { headers: { ...tokenHeader(token, place), ...own }, query: null };
}

function tokenHeader(token: string, place: TokenPlace): Record<string, string> {
  if ('name' in place)
    return place.in === 'cookie'
      ? { cookie: `${place.name}=${encodeURIComponent(token)}` }
      : { [place.name.toLowerCase()]: token };
  if (place.in === 'bearer') return { authorization: `Bearer ${token}` };
  // As people write it: the name and the password with a colon between them.
  return { authorization: `Basic ${Buffer.from(token).toString('base64')}` };
}

/** Two spellings of one name would be sent as one header with both values. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
