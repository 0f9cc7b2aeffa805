/** The HTTP statuses of what can go wrong with a call of a tool over plain HTTP. */
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { ProtocolFault } from '@parley/kit';
import { errorBehind, httpStatusOf, RPC, ToolError } from '@parley/kit';
import type { Unavailable } from '../upstream/errors.ts';

const STATUS: Readonly<Record<string, number>> = {
  invalid: 400,
  declined: 403,
  forbidden: 403,
  quarantined: 409,
  auth_required: 424,
  rate_limited: 429,
  upstream_error: 502,
  invalid_result: 502,
  invalid_output: 502,
  too_large: 502,
  timeout: 504,
};

/** One code for what a model does alike, and a status for what an operator does differently. */
const UNAVAILABLE: Readonly<Record<Unavailable, number>> = {
  unreachable: 503,
  breaker_open: 503,
  not_allowed: 503,
  broken: 502,
  dropped: 502,
};

const OWN_ERROR = 422;
const INTERNAL = 'internal';

/** The status of a result or an error; a result that failed by itself has no error of ours behind it. */
export function statusOf(answer: CallToolResult | ToolError): {
  status: number;
  error?: ToolError | undefined;
} {
  if (answer instanceof ToolError) return { status: statusOfError(answer), error: answer };
  if (answer.isError !== true) return { status: 200 };
  const error = errorBehind(answer);
  return error === undefined ? { status: OWN_ERROR } : { status: statusOfError(error), error };
}

function statusOfError({ code, data }: ToolError): number {
  if (code === INTERNAL) return 500;
  if (code === 'unavailable') return UNAVAILABLE[reasonOf(data)];
  return (Object.hasOwn(STATUS, code) ? STATUS[code] : undefined) ?? httpStatusOf(code);
}

function reasonOf(data: unknown): Unavailable {
  const reason: unknown =
    typeof data === 'object' && data !== null && 'reason' in data ? data.reason : undefined;
  const isKnown = typeof reason === 'string' && Object.hasOwn(UNAVAILABLE, reason);
  return isKnown ? (reason as Unavailable) : 'unreachable'; // one of the keys of the table
}

/** What a fault of the protocol is to a client that does not speak it. */
export function plainErrorOf({ code, message, data }: ProtocolFault): ToolError {
  if (code === RPC.missingCapability) return new ToolError('declined', message);
  if (code === RPC.invalidParams) return new ToolError('not_found', message, data);
  return new ToolError(INTERNAL, 'Internal error');
}
