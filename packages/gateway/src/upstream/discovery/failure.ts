/** From a fault of a link to what is kept of a failed attempt to read an upstream. */
import type { UpstreamFailure } from '@parley/connections';
import type { FaultKind } from '../link.ts';
import { UpstreamFault } from '../link.ts';

const STATUS: Readonly<Record<FaultKind, UpstreamFailure['status']>> = {
  unreachable: 'unreachable',
  timeout: 'timeout',
  auth_required: 'auth_required',
  forbidden: 'auth_required',
  rate_limited: 'unreachable',
  broken: 'unreachable',
  invalid_result: 'invalid_protocol',
  dropped: 'unreachable',
  rpc: 'invalid_protocol',
  // An address that the guard refuses; the words say so.
  not_allowed: 'unreachable',
};

/** The failure behind what was thrown; undefined for a fault of ours. */
export function failureIn(error: unknown): UpstreamFailure | undefined {
  if (error instanceof UpstreamFault)
    return { ok: false, status: STATUS[error.kind], message: error.message };
  if (error instanceof DOMException && (error.name === 'TimeoutError' || error.name === 'AbortError'))
    return { ok: false, status: 'timeout', message: 'The server did not answer in time. Try again later.' };
  return undefined;
}
