/** From one organization to another: what a key with everything may do where its user is a member too. */
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, firstUncovered } from '@parley/kit';
import type { Store } from '@parley/store';
import { fromJson } from '@parley/store';
import type { IdentityTables } from '../schema.ts';
import type { Powers } from './authentication.ts';
import { callerOfKey } from './authentication.ts';

/** The caller in an organization; undefined for one that the caller does not reach, as for one that is not there. */
export async function callerIn(
  store: Store,
  caller: Caller,
  organizationId: string,
  powers: Powers,
): Promise<Caller | undefined> {
  if (organizationId === caller.organizationId) return caller;
  // An agent is of one organization, whoever owns its key.
  if (caller.agent !== undefined) return undefined;
  const key = await store
    .db<IdentityTables>()
    .selectFrom('api_keys')
    .selectAll()
    .where('id', '=', caller.id)
    .where('organization_id', '=', caller.organizationId)
    .executeTakeFirst();
  const isFull = key !== undefined && firstUncovered(fromJson<Grants>(key.grants), ALL_GRANTS) === undefined;
  if (!isFull) return undefined;
  // As if the key were of that organization: its user's roles there, cut to its rank where it has one.
  const there = await callerOfKey(store, { ...key, organization_id: organizationId }, caller.source, powers);
  return there && { ...there, unattended: caller.unattended };
}
