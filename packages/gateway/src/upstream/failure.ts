/** From what went wrong with an upstream to what a caller may read of it: no address, no secret, no words of its. */
import { SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { UpstreamFailure } from '@parley/connections';
import type { EgressError } from '@parley/kit/egress';
import type { Sightings } from './faults.ts';
import { BadUpstream, failure, NoProgram, OutOfTime } from './faults.ts';

/** The failure behind an error. */
export function failureOf(error: unknown, seen: Sightings): UpstreamFailure {
  if (seen.isTooLarge === true)
    return failure('invalid_protocol', 'The server sent more than 10 MiB. It has to list less.');
  if (error instanceof OutOfTime) return tooLate();
  if (error instanceof BadUpstream) return failure('invalid_protocol', error.message);
  if (error instanceof NoProgram) return failure('unreachable', error.message);
  if (seen.egress !== undefined) return ofEgress(seen.egress);
  if (seen.refusedWith !== undefined) return ofStatus(seen.refusedWith);
  if (SdkError.isInstance(error)) {
    if (error.code === SdkErrorCode.RequestTimeout) return tooLate();
    if (error.code === SdkErrorCode.ConnectionClosed)
      return failure('unreachable', 'The server ended before it answered.');
  }
  return failure(
    'invalid_protocol',
    'The server did not answer as an MCP server does. Check the address and the type.',
  );
}

function tooLate(): UpstreamFailure {
  return failure('timeout', 'The server did not answer in time. Try again later.');
}

function ofEgress({ code, message }: EgressError): UpstreamFailure {
  if (code === 'timeout') return failure('timeout', message);
  return failure(
    code === 'not_allowed' || code === 'unreachable' ? 'unreachable' : 'invalid_protocol',
    message,
  );
}

function ofStatus(status: number): UpstreamFailure {
  if (status === 401 || status === 403)
    return failure(
      'auth_required',
      `The server answered ${status}. Give it a token or a header that it accepts.`,
    );
  if (status >= 300 && status < 400)
    return failure('invalid_protocol', `The server redirects (${status}). Use the final address.`);
  if (status >= 500) return failure('unreachable', `The server answered ${status}. Try again later.`);
  return failure(
    'invalid_protocol',
    `The server answered ${status} where MCP was expected. Check the address.`,
  );
}
