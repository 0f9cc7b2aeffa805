/** The era of an upstream, kept with its catalog: believed for a day from when it was found out, over restarts too. */
import type { Queryable, Store } from '@parley/store';
import { fromJson, toQueryJson } from '@parley/store';
import { digest } from '../definitions/hash.ts';
import type { ConnectionTables } from '../schema.ts';
import type { ServerSeen, UpstreamTarget } from '../upstream.ts';

/** When it was found out, in ms since the epoch. */
export interface FoundEra {
  readonly era: ServerSeen['era'];
  readonly foundAt: number;
}

/** As far as a target says it. */
export type BelievedEra = Pick<UpstreamTarget, 'era' | 'eraUntil'>;

const BELIEVED_MS = 24 * 60 * 60_000;
const UNKNOWN: BelievedEra = { era: null };

/** What is still believed of it; a time that has not come yet is none, since a clock was set. */
export function believedEra(found: FoundEra | undefined, now: number = Date.now()): BelievedEra {
  if (found === undefined || found.foundAt > now || now - found.foundAt >= BELIEVED_MS) return UNKNOWN;
  return { era: found.era, eraUntil: found.foundAt + BELIEVED_MS };
}

export async function knownEra(from: Queryable, connectionId: string): Promise<BelievedEra> {
  const found = await from
    .db<ConnectionTables>()
    .selectFrom('connection_catalogs')
    .select(['body', 'fetched_at'])
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'era')
    .executeTakeFirst();
  return believedEra(found && foundEra(found));
}

/** What a row says of it. */
export function foundEra(row: { readonly body: string; readonly fetched_at: number }): FoundEra {
  return { era: fromJson<FoundEra['era']>(row.body), foundAt: row.fetched_at };
}

/** Keeps what was just found out; of a connection that is gone, nothing. */
export async function rememberEra(
  store: Store,
  connectionId: string,
  era: FoundEra['era'],
  now: number = Date.now(),
): Promise<void> {
  const body = toQueryJson(era);
  const changing = { body, hash: digest(body), fetched_at: now, last_error: null };
  await store.transaction(async (tx) => {
    const db = tx.db<ConnectionTables>();
    const query = db.selectFrom('connections').select('organization_id').where('id', '=', connectionId);
    const row = await tx.locked(query).executeTakeFirst();
    if (row === undefined) return;
    await db
      .insertInto('connection_catalogs')
      .values({ connection_id: connectionId, ...row, kind: 'era', ...changing })
      .onConflict((conflict) => conflict.columns(['connection_id', 'kind']).doUpdateSet(changing))
      .execute();
  });
}

/** Another server may be of another era. */
export async function forgetEra(to: Queryable, connectionId: string): Promise<void> {
  await to
    .db<ConnectionTables>()
    .deleteFrom('connection_catalogs')
    .where('connection_id', '=', connectionId)
    .where('kind', '=', 'era')
    .execute();
}
