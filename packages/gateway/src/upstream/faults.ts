/** The words for what goes wrong while an upstream is asked about itself; apart from the SDK, which only programs load. */
import type { UpstreamFailure } from '@parley/connections';
import { keepable } from './keepable.ts';

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
  return { ok: false, status, message: keepable(message) };
}
