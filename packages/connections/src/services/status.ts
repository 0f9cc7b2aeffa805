/** How a connection does, said in one place. */
import type { ConnectionStatus } from '../schema.ts';
import type { ServedStatus } from '../served.ts';
import type { UpstreamStatus } from '../upstream.ts';

/** What the status follows from. */
export interface Condition {
  /** What a person set, or what the first attempt to read it gave. */
  readonly status: ConnectionStatus;
  /** False: nothing was ever read of it. */
  readonly isKnown: boolean;
  /** True when what is known may be old. */
  readonly isStale: boolean;
  /** How the last attempt to read it failed. */
  readonly failedWith: UpstreamStatus | null;
  /** True while calls are only tried; the gateway knows it. */
  readonly isProbing?: boolean;
}

export function servedStatus({
  status,
  isKnown,
  isStale,
  failedWith,
  isProbing = false,
}: Condition): ServedStatus {
  if (status === 'inactive') return 'inactive';
  if (failedWith === 'auth_required') return 'needs_reauth';
  if (!isKnown) return failedWith === null && status === 'active' ? 'active' : 'error';
  return isStale || isProbing ? 'degraded' : 'active';
}
