/** From what went wrong on the wire to a fault that may be shown: no address, no secret, little of the server's own words. */
import { searchFor } from '@parley/connections';
import { RPC } from '@parley/kit';
import type { LineHead } from '@parley/kit/egress';
import { EgressError } from '@parley/kit/egress';
import { isObject } from '../../messages.ts';
import { UpstreamFault } from '../link.ts';

/** The server does not speak the era that it was spoken to in, and has done nothing. */
export class EraFault extends UpstreamFault {
  readonly status: number;

  constructor(message: string, { status = 200, rpc }: { status?: number; rpc?: UpstreamFault['rpc'] } = {}) {
    const isRefusal = status >= 400 && status < 500;
    super(rpc === undefined ? 'invalid_result' : 'rpc', message, { rpc, isRefusal });
    this.status = status;
  }
}

/** The server has forgotten the session, and has done nothing. */
export class SessionGone extends UpstreamFault {
  constructor() {
    const message = 'The server forgets its sessions at once. Check how it keeps them.';
    super('broken', message, { wasSent: false, isRefusal: true });
  }
}

export function badResult(what: string): UpstreamFault {
  return new UpstreamFault('invalid_result', `The server did not answer as an MCP server does: ${what}.`);
}

export function tooLarge(maxBytes: number): UpstreamFault {
  const size = maxBytes >= MEBIBYTE ? `${Math.floor(maxBytes / MEBIBYTE)} MiB` : `${maxBytes} bytes`;
  return new UpstreamFault('invalid_result', `The server sent more than ${size}. Ask for less at once.`, {
    isOfCaller: true,
  });
}

export function askedTooOften(): UpstreamFault {
  return new UpstreamFault(
    'invalid_result',
    'The server asked too often in the middle of a call. Ask its owner why it does.',
  );
}

const MEBIBYTE = 1024 * 1024;

export function dropped(): UpstreamFault {
  return new UpstreamFault(
    'dropped',
    'The server ended the answer before it was complete. Look what it did.',
  );
}

export function tooLate(wasSent = true): UpstreamFault {
  return new UpstreamFault('timeout', 'The server did not answer in time. Try again later.', { wasSent });
}

/** The fault of a failed request; anything that is no fault of the wire, such as the reason of a signal, stays as it is. */
export function faultOf(error: unknown, { hasBegun = false, maxBytes = 0 } = {}): unknown {
  if (!(error instanceof EgressError)) return error;
  const { code, message, wasSent } = error;
  // What never left found nobody there in time.
  if (code === 'timeout') return wasSent ? tooLate() : new UpstreamFault('unreachable', message, { wasSent });
  if (code === 'too_large' && error.tooLarge === 'headers')
    return badResult('the headers of its answer are too large');
  if (code === 'too_large') return tooLarge(maxBytes);
  if (code === 'unreachable') return wasSent ? lost(hasBegun) : new UpstreamFault(code, message, { wasSent });
  if (code === 'not_allowed') return new UpstreamFault(code, message, { wasSent });
  return new UpstreamFault('invalid_result', message, { wasSent, isOfCaller: isUnsendable(error) });
}

/** True: the request itself was malformed, and nothing was sent. */
function isUnsendable({ code, wasSent }: EgressError): boolean {
  return code === 'invalid' && !wasSent;
}

function lost(hasBegun: boolean): UpstreamFault {
  if (hasBegun) return dropped();
  return new UpstreamFault(
    'dropped',
    'The server closed the connection without an answer. Look what it did.',
  );
}

/** The fault behind an answer that is no 2xx. */
export function faultOfStatus({ status, headers }: LineHead, rpc: UpstreamFault['rpc']): UpstreamFault {
  if (status === 401) {
    const given = headers['www-authenticate'];
    const challenge = Array.isArray(given) ? given.join(', ') : given;
    const message = 'The server answered 401. Give it a token or a header that it accepts.';
    return new UpstreamFault('auth_required', message, { challenge: challenge?.slice(0, 4_096) });
  }
  if (status === 403)
    return new UpstreamFault('forbidden', 'The server answered 403. Ask its owner for the right.');
  if (status === 429) {
    const retryAfterMs = retryAfterOf(headers['retry-after']);
    return new UpstreamFault('rate_limited', 'The server answered 429. Try again later.', { retryAfterMs });
  }
  if (status >= 300 && status < 400)
    return new UpstreamFault('not_allowed', `The server redirects (${status}). Use the final address.`);
  if (status >= 500) {
    const retryAfterMs = retryAfterOf(headers['retry-after']);
    return new UpstreamFault('broken', `The server answered ${status}. Try again later.`, { retryAfterMs });
  }
  const isOfTheRequest = status === 404 ? rpc?.code === RPC.methodNotFound : OF_THE_REQUEST.has(rpc?.code);
  if (rpc !== undefined && isOfTheRequest) return rpcFault(rpc);
  const message = `The server answered ${status} where MCP was expected. Check the address.`;
  return new EraFault(rpc === undefined || rpc.message === '' ? message : rpc.message, { status, rpc });
}

/** What a server of the right era refuses a single request with; whatever else it says is about the era. */
const OF_THE_REQUEST = new Set<number | undefined>([
  RPC.invalidParams,
  RPC.internalError,
  RPC.methodNotFound,
  RPC.headerMismatch,
  RPC.missingCapability,
]);

const LONGEST_HEARD = 64 * 1024;
/** More than anybody is shown: secrets of others are looked for in it first, and none may be cut in two. */
const LONGEST_PASSED = 20_000;

/** A fault in the words of a server without the secrets that it was sent. Whoever shows it cuts it short. */
export function shownFault(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof UpstreamFault) || error.rpc === undefined) return error;
  const { code, data } = error.rpc;
  const search = searchFor(secrets);
  const clean = (text: string) => search.without(text, '[secret]').text.slice(0, LONGEST_PASSED);
  const said = data === undefined ? '' : JSON.stringify(data);
  const written = secrets.map((secret) => JSON.stringify(secret).slice(1, -1));
  const isSecret = data !== undefined && searchFor(written).isIn(said);
  const message = clean(error.rpc.message);
  const rpc = data === undefined || isSecret ? { code, message } : { code, message, data };
  return new UpstreamFault(error.kind, clean(error.message), { rpc, wasSent: error.wasSent });
}

/** The error of a message, within bounds; undefined when it is none. */
export function rpcErrorIn(error: unknown): UpstreamFault['rpc'] {
  if (!isObject(error) || !Number.isInteger(error.code)) return undefined;
  const message = typeof error.message === 'string' ? error.message.slice(0, LONGEST_HEARD) : '';
  // Just seen to be an integer.
  const rpc = { code: error.code as number, message };
  return error.data === undefined ? rpc : { ...rpc, data: error.data };
}

export function rpcFault(rpc: NonNullable<UpstreamFault['rpc']>): UpstreamFault {
  const message = rpc.message === '' ? `The server answered with the error ${rpc.code}.` : rpc.message;
  if (rpc.code === RPC.unsupportedVersion) return new EraFault(message, { rpc });
  return new UpstreamFault('rpc', message, { rpc });
}

const LONGEST_RETRY_MS = 24 * 60 * 60_000;

function retryAfterOf(given: string | string[] | undefined): number | undefined {
  const text = Array.isArray(given) ? given[0] : given;
  if (text === undefined) return undefined;
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_MS) : undefined;
}
