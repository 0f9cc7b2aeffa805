/** The words for what goes wrong with an upstream; apart from the SDK, which only a conversation loads. */
import type { UpstreamFailure } from '@parley/connections';
import type { EgressError } from '@parley/kit/egress';

/** What was seen on the way, which tells more than the error that came of it. */
export interface Sightings {
  /** The last HTTP status that refused a message; cleared by one that accepted. */
  refusedWith?: number | undefined;
  /** The last request that got no answer; cleared by one that did. */
  egress?: EgressError | undefined;
  /** True when the upstream sent more than it may. */
  isTooLarge?: boolean;
}

/** The upstream did not finish in its time. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime';
}

/** An answer that is no MCP, in words of ours. */
export class BadUpstream extends Error {
  override readonly name = 'BadUpstream';
}

/** A program that may not or cannot be started. */
export class NoProgram extends Error {
  override readonly name = 'NoProgram';
}

export function failure(status: UpstreamFailure['status'], message: string): UpstreamFailure {
  return { ok: false, status, message };
}
