/** How the last authorization of a connection by a person went: kept, so that any process can show it. */
import type { Queryable, StoreTransaction } from '@parley/store';
import { fromJson, toJson } from '@parley/store';
import type { ConnectionTables } from '../schema.ts';
import { CONNECTIONS_CHANGED } from './base.ts';

/** What an authorization goes through, in its order. */
export type AuthStepName =
  | 'asked'
  | 'metadata'
  | 'server'
  | 'client'
  | 'sent'
  | 'returned'
  | 'token'
  | 'catalog';

export interface AuthStep {
  readonly step: AuthStepName;
  /** `waiting`: for the person, whose browser is elsewhere. */
  readonly state: 'done' | 'waiting' | 'failed';
  /** A sentence without addresses beyond the host, and without secrets. */
  readonly text: string;
  readonly at: string;
}

interface Owner {
  readonly organizationId: string;
  readonly connectionId: string;
  readonly userId: string;
}

const MOST_STEPS = 20;

/** Keeps the steps in the place of those before, and tells whoever looks. */
export async function keepTrail(
  tx: StoreTransaction,
  { organizationId, connectionId, userId }: Owner,
  { steps, now }: { readonly steps: readonly AuthStep[]; readonly now: number },
): Promise<void> {
  const changing = { steps: toJson(steps.slice(-MOST_STEPS)), updated_at: now };
  await tx
    .db<ConnectionTables>()
    .insertInto('oauth_trails')
    .values({
      organization_id: organizationId,
      connection_id: connectionId,
      user_id: userId,
      ...changing,
    })
    .onConflict((conflict) => conflict.columns(['connection_id', 'user_id']).doUpdateSet(changing))
    .execute();
  await tx.signal(CONNECTIONS_CHANGED, organizationId);
}

/** The steps of the last one; none when there was none. */
export async function trailOf(from: Queryable, owner: Owner): Promise<readonly AuthStep[]> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('oauth_trails')
    .select('steps')
    .where('organization_id', '=', owner.organizationId)
    .where('connection_id', '=', owner.connectionId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst();
  return row === undefined ? [] : fromJson<AuthStep[]>(row.steps);
}
