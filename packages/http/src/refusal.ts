/** Refusals: the one type for a request that is not served, whatever surface it came to. */

/** The codes that REST writes for what is no success, with their status. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  CSRF: 403,
  FRESH_SIGN_IN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  INPUT_REQUIRED: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

/** A code of the table. */
export type ErrorCode = keyof typeof ERROR_STATUS;

/** The JSON-RPC code of a refusal below the protocol, as the SDK uses it. */
export const REFUSED = -32000;

/** What a refusal may carry besides its text. */
export interface RefusalOptions {
  /** The JSON-RPC code, for surfaces that speak it; -32000 by default. */
  readonly rpc?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** What was wrong where, for programs. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * A refusal that every surface can write in its own form: REST by `code`, JSON-RPC by `rpc`, all by `status`.
 *
 * @example
 * throw new HttpRefusal('FORBIDDEN', 'Only administrators may do this.');
 * throw new HttpRefusal(426, 'This path speaks WebSocket only.');
 */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
  readonly status: number;
  readonly code: ErrorCode;
  readonly rpc: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(kind: number | ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.status = typeof kind === 'number' ? kind : ERROR_STATUS[kind];
    this.code = typeof kind === 'number' ? codeOf(kind) : kind;
    this.rpc = options.rpc ?? REFUSED;
    this.headers = options.headers ?? {};
    this.details = options.details;
  }
}

/** The general code of a status: the first one in the table. */
function codeOf(status: number): ErrorCode {
  // The keys of the table are the codes.
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  return codes.find((code) => ERROR_STATUS[code] === status) ?? 'BAD_REQUEST';
}

/** The fixed refusal for a fault of ours, which nobody outside hears more about. */
export function internalError(): HttpRefusal {
  return new HttpRefusal('INTERNAL_ERROR', 'Internal error', { rpc: -32603 });
}

const STREAM_RETRY_SECONDS = '15';

/** No place is left for a stream. */
export function tooManyStreams(): HttpRefusal {
  return new HttpRefusal('RATE_LIMITED', 'Too many streams are open. Close one, or try again later.', {
    headers: { 'retry-after': STREAM_RETRY_SECONDS },
  });
}
