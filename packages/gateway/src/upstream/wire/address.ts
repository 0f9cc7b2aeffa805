/** The address of an upstream with the credentials of one target: which headers go out, and in which order they win. */
import { createHash } from 'node:crypto';
import type { UpstreamTarget } from '@parley/connections';
import { HOPS_HEADER } from '@parley/kit';
import type { Egress, Line } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import type { LinkRequest } from '../link.ts';
import { FORWARDED_HEADER, UpstreamFault } from '../link.ts';
import type { NextHops } from './hops.ts';

type Headers = Readonly<Record<string, string>>;

/** What a request brings for its headers. */
export type HeaderWishes = Pick<LinkRequest, 'requestId' | 'traceparent' | 'hops' | 'signature'>;

/** What is the connection's or the protocol's to set. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  HOPS_HEADER,
]);

export class Address {
  readonly line: Line;
  readonly target: UpstreamTarget;
  readonly #egress: Egress;
  readonly #hops: NextHops;
  readonly #own: Headers;
  #digest: string | undefined;

  constructor(target: UpstreamTarget, { egress, hops }: { egress: Egress; hops: NextHops }, line: Line) {
    this.target = target;
    this.#egress = egress;
    this.#hops = hops;
    this.line = line;
    const bearer = target.token === null ? {} : { authorization: `Bearer ${target.token}` };
    this.#own = { ...bearer, ...customHeaders(target.headers) };
  }

  /** Another address under the same rights and with the same credentials. */
  at(url: URL): Address {
    const line = lineTo(url.href, this.target, this.#egress);
    return new Address(this.target, { egress: this.#egress, hops: this.#hops }, line);
  }

  /** The same address for whoever brings headers of their own: what is opened with them is shared with nobody else. */
  with(headers: Headers): Address {
    const target = {
      ...this.target,
      headers: { ...lowerCased(this.target.headers), ...lowerCased(headers) },
    };
    return new Address(target, { egress: this.#egress, hops: this.#hops }, this.line);
  }

  /** All headers of a request; those of the protocol cannot be replaced, those of the connection win over ours. */
  headers(protocol: Headers, { requestId, traceparent, hops, signature }: HeaderWishes = {}): Headers {
    const all: Record<string, string> = { [HOPS_HEADER]: this.#hops(hops) };
    if (requestId !== undefined) all['x-request-id'] = requestId;
    if (traceparent !== undefined) all['traceparent'] = traceparent;
    if (signature !== undefined) all[FORWARDED_HEADER] = signature;
    return Object.assign(all, this.#own, protocol);
  }

  /** Equal for equal credentials: what was opened with one set is never used with another. */
  get digest(): string {
    if (this.#digest !== undefined) return this.#digest;
    const { url, allow, principal } = this.target;
    const parts = JSON.stringify([url, allow, principal, Object.entries(this.#own)]);
    this.#digest = createHash('sha256').update(parts).digest('base64url');
    return this.#digest;
  }
}

/** A way to an address under the rights of a connection. */
export function lineTo(url: string | null, { id: owner, allow }: UpstreamTarget, egress: Egress): Line {
  if (url === null)
    throw new UpstreamFault('invalid_result', 'The connection has no address. Set connection_url.', {
      wasSent: false,
    });
  try {
    return egress.line(url, { allow, owner });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const kind = error.code === 'not_allowed' ? 'not_allowed' : 'invalid_result';
    throw new UpstreamFault(kind, error.message, { wasSent: false });
  }
}

/** Two spellings of one name would be sent as one header with both values. */
function lowerCased(given: Headers): Headers {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
}

function customHeaders(given: Headers): Headers {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!RESERVED.has(lower) && !lower.startsWith('mcp-')) headers[lower] = value;
  }
  return headers;
}
