/** The era that an upstream spoke when it was read last. */
import type { Queryable } from '@parley/store';
import { fromJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import type { ServerSeen } from '../upstream.ts';

/** Null: to be found out. */
export async function knownEra(from: Queryable, connectionId: string): Promise<ServerSeen['era'] | null> {
  const found = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select('body')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'server')
    .executeTakeFirst();
  return found === undefined ? null : fromJson<ServerSeen>(found.body).era;
}
