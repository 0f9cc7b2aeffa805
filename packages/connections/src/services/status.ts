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
}

export function servedStatus({ status, isKnown, isStale, failedWith }: Condition): ServedStatus {
  if (status === 'inactive') return 'inactive';
  if (failedWith === 'auth_required') return 'needs_reauth';
  if (!isKnown) return failedWith === null && status === 'active' ? 'active' : 'error';
  return isStale ? 'degraded' : 'active';
}

/** One connection or virtual MCP, and how it does. */
export interface ConnectionState {
  readonly id: string;
  readonly title: string;
  readonly isVirtual: boolean;
  readonly status: ServedStatus;
  /** Why it could not be read when it was asked last: in words, and the kind of failure. */
  readonly lastError: string | null;
  readonly failedWith: UpstreamStatus | null;
}

interface KnownCatalog {
  readonly fetched_at: string | null;
  readonly stale: boolean;
  readonly last_error: string | null;
}

/** How all of them do: those of an organization, or of the whole installation. */
export async function connectionStates(from: Queryable, organizationId?: string): Promise<ConnectionState[]> {
  const rows = await from
    .db<ConnectionTables>()
    .selectFrom('connections as item')
    .leftJoin('connection_refreshes as refresh', 'refresh.connection_id', 'item.id')
    .select(['item.id', 'item.title', 'item.is_virtual_mcp', 'item.status', 'item.catalog'])
    .select('refresh.failed_with')
    .$if(organizationId !== undefined, (query) =>
      query.where('item.organization_id', '=', organizationId ?? ''),
    )
    .orderBy('item.title')
    .execute();
  return rows.map(({ id, title, is_virtual_mcp, status, catalog, failed_with: failedWith }) => {
    const { fetched_at, stale, last_error: lastError } = fromJson<KnownCatalog>(catalog);
    const isVirtual = is_virtual_mcp === 1;
    // A virtual MCP is never read itself.
    const state = { status, failedWith, isKnown: isVirtual || fetched_at !== null, isStale: stale };
    return { id, title, isVirtual, status: servedStatus(state), lastError, failedWith };
  });
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
