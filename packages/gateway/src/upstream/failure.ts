/** From what went wrong with an upstream to what whoever manages it may read: no address, no secret, no words of its. */
import type { UpstreamFailure } from '@parley/connections';
import { BadUpstream, failure, NoProgram, OutOfTime } from './faults.ts';
import type { FaultKind } from './link.ts';
import { UpstreamFault } from './link.ts';

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
  not_allowed: 'unreachable',
  changed: 'invalid_protocol',
};

const LONGEST_WORDS = 600;

/** The failure behind an error. */
export function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof OutOfTime)
    return failure('timeout', 'The server did not answer in time. Try again later.');
  if (error instanceof BadUpstream) return failure('invalid_protocol', error.message);
  if (error instanceof NoProgram) return failure('unreachable', error.message);
  if (!(error instanceof UpstreamFault) || error.kind === 'rpc')
    return failure(
      'invalid_protocol',
      'The server did not answer as an MCP server does. Check the address and the type.',
    );
  // What was refused after it had been asked is a server that redirects, not an address that may not be reached.
  const isRedirect = error.kind === 'not_allowed' && error.wasSent;
  return failure(isRedirect ? 'invalid_protocol' : STATUS[error.kind], error.message.slice(0, LONGEST_WORDS));
}
