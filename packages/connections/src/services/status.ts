/** How a connection does, said in one place. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionStatus, ConnectionTables } from '../schema.ts';
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

/** The status of one connection; undefined when there is none. */
export async function statusOf(
  from: Queryable,
  organizationId: string,
  id: string,
): Promise<ServedStatus | undefined> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connections as item')
    .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
    .select(['item.status', 'item.catalog', 'refresh.failed_with'])
    .where('item.organization_id', '=', organizationId)
    .where('item.id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { fetched_at, stale } = fromJson<{ fetched_at: string | null; stale: boolean }>(row.catalog);
  const { status, failed_with: failedWith } = row;
  return servedStatus({ status, failedWith, isKnown: fetched_at !== null, isStale: stale });
}
