/** Connections in brief, for what only names them. */
import type { Queryable } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';

/** Those of an organization's connections that have these ids. */
export async function briefConnections(
  from: Queryable,
  organizationId: string,
  ids: readonly string[],
): Promise<{ readonly id: string; readonly title: string; readonly icon: string | null }[]> {
  if (ids.length === 0) return [];
  return from
    .db<ConnectionTables>()
    .selectFrom('connections')
    .select(['id', 'title', 'icon'])
    .where('organization_id', '=', organizationId)
    .where('id', 'in', ids)
    .execute();
}
