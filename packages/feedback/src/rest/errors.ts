/** The error table: every fault of a request becomes one code, one status and one sentence. */
import { ToolError } from '@parley/kit';
import { HttpRefusal } from '@parley/kit/inbound';
import { StoreUnavailableError } from '@parley/store';
import { RuleBroken, Stale } from '../faults.ts';

/** The codes of answers that are no success, with their status. */
export const ERROR_STATUS = {
  BAD_REQUEST: 400,
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
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

/** An answer that is no success. */
export class RestError extends Error {
  override readonly name = 'RestError';
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      readonly details?: Readonly<Record<string, unknown>>;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** The body of the answer. */
  toBody(): unknown {
    const { code, message, details } = this;
    // Some clients look for the text at the top.
    return { error: { code, message, ...(details !== undefined && { details }) }, message };
  }
}

const RETRY_SECONDS = '5';

const OF_TOOL_CODE: Readonly<Record<string, ErrorCode>> = {
  not_found: 'NOT_FOUND',
  conflict: 'CONFLICT',
  declined: 'CONFLICT',
  forbidden: 'FORBIDDEN',
  invalid: 'BAD_REQUEST',
  rate_limited: 'RATE_LIMITED',
  unavailable: 'UNAVAILABLE',
};

/** What a fault is answered with; undefined for a fault of ours, which nobody outside hears about. */
export function toRestError(error: unknown): RestError | undefined {
  if (error instanceof RestError) return error;
  if (error instanceof RuleBroken) return new RestError('VALIDATION_ERROR', error.message);
  if (error instanceof Stale) return new RestError('PRECONDITION_FAILED', error.message);
  if (error instanceof ToolError) {
    const code = Object.hasOwn(OF_TOOL_CODE, error.code) ? OF_TOOL_CODE[error.code] : undefined;
    return new RestError(code ?? 'BAD_REQUEST', error.message);
  }
  if (error instanceof StoreUnavailableError)
    return new RestError('UNAVAILABLE', error.message, { headers: { 'retry-after': RETRY_SECONDS } });
  if (error instanceof HttpRefusal) {
    const { status, message, headers } = error;
    return statusError(status, message, headers);
  }
  return undefined;
}

/** The answer to a request that was refused with a status alone. */
export function statusError(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): RestError {
  // The keys of the table are the codes; the first code of a status is the general one.
  const codes = Object.keys(ERROR_STATUS) as ErrorCode[];
  const code = codes.find((candidate) => ERROR_STATUS[candidate] === status) ?? 'BAD_REQUEST';
  return new RestError(code, message, { headers });
}

/** The fixed answer to a fault of ours. */
export function internalError(): RestError {
  return new RestError('INTERNAL_ERROR', 'Internal error');
}
