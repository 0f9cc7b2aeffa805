/** Owns the one error type of outbound requests and the translation of transport failures into it. */

/** The closed set of reasons why an outbound request failed. */
export type EgressErrorCode = 'not_allowed' | 'unreachable' | 'too_large' | 'timeout' | 'invalid';

/** A failed outbound request; it carries no cause, because transport errors name internal addresses. */
export class EgressError extends Error {
  readonly code: EgressErrorCode;
  /** False when the request never left, so that the other side cannot have acted on it. */
  readonly wasSent: boolean;
  /** What was wrong with TLS: nobody vouches for the certificate, or the other side does not speak it. */
  readonly tls: 'untrusted' | 'broken' | undefined;
  /** What of the answer was too large. */
  tooLarge: 'body' | 'headers' | undefined;

  constructor(code: EgressErrorCode, message: string, wasSent = true, tls?: 'untrusted' | 'broken') {
    super(message);
    this.name = 'EgressError';
    this.code = code;
    this.wasSent = wasSent;
    this.tls = tls;
  }
}

/** The target is forbidden; the text is the same for every forbidden address so that it tells nothing about the network. */
export function notAllowed(): EgressError {
  return new EgressError(
    'not_allowed',
    'This address is not allowed. Use a public https address. The owner of the server can allow another with --allow-egress HOST:PORT.',
    false,
  );
}

/** The target could not be reached or broke off. */
export function unreachable(wasSent = true, tls?: 'untrusted' | 'broken'): EgressError {
  return new EgressError(
    'unreachable',
    'The server is unreachable. Check the address and that the server is running, then try again.',
    wasSent,
    tls,
  );
}

/** A time limit of the request ran out. */
export function timedOut(wasSent = true): EgressError {
  return new EgressError(
    'timeout',
    'The server did not answer in time. Try again later or ask for less at once.',
    wasSent,
  );
}

/** The answer is bigger than the limits allow. */
export function tooLarge(what: 'body' | 'headers'): EgressError {
  const error = new EgressError(
    'too_large',
    `The ${what} of the answer went over the size limit. Ask for less at once, or have the owner raise the limit.`,
  );
  error.tooLarge = what;
  return error;
}

/** The request or the answer is malformed; `message` says what to change. */
export function invalid(message: string, wasSent = true): EgressError {
  return new EgressError('invalid', message, wasSent);
}

/**
 * Turns any failure of a request into what its caller may see: its own abort reason, or an `EgressError`. Where it is
 * known whether the request had left, `hadLeft` says so; otherwise the error tells as much as it can.
 */
export function toEgressFailure(error: unknown, signal?: AbortSignal, hadLeft = true): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof EgressError) return error;
  const code = codeOf(error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW') return tooLarge('headers');
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT')
    return timedOut(hadLeft && !isConnectFault(error));
  if (code === 'UND_ERR_INVALID_ARG') {
    return invalid('The request is malformed. Check its method, headers and body.', false);
  }
  if (isParserFault(error)) {
    return invalid('The server did not answer in valid HTTP. Check that the address is a web server.');
  }
  const tls = tlsFaultOf(code);
  return unreachable(hadLeft && tls === undefined && !isConnectFault(error), tls);
}

const CONNECT_CODES = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** The parser gives its errors a code only at times, and one for an answer that merely ends too early. */
function isParserFault(error: unknown): boolean {
  const isOfParser = error instanceof Error && error.name === 'HTTPParserError';
  return isOfParser && !error.message.includes('EOF');
}

/** A certificate is judged, and TLS agreed on, before anything is sent. */
function tlsFaultOf(code: string): 'untrusted' | 'broken' | undefined {
  if (/CERT|^UNABLE_TO_/.test(code)) return 'untrusted';
  return code === 'EPROTO' || code.startsWith('ERR_SSL_') ? 'broken' : undefined;
}

/** True when there was never a connection that the request could have gone over. */
function isConnectFault(error: unknown): boolean {
  if (CONNECT_CODES.has(codeOf(error))) return true;
  return error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return '';
  return typeof error.code === 'string' ? error.code : '';
}
