/** Tokens that people bring along for one connection; nobody but their owner's calls ever carries them. */
import type { Queryable, SecretBox, StoreTransaction } from '@parley/store';
import type { ConnectionTables, PersonalTokenRow } from '../schema.ts';
import { openText, sealText } from '../secrets/vault.ts';
import type { TokenOwner } from './tokens.ts';
import { TOKENS_CHANGED, tokenPlace } from './tokens.ts';

/** One person's place. */
export interface PersonalOwner extends TokenOwner {
  readonly userId: string;
}

const WHAT = 'personal-token';

export async function keepPersonalToken(
  tx: StoreTransaction,
  box: SecretBox,
  owner: PersonalOwner,
  { token, now }: { token: string; now: number },
): Promise<void> {
  const { organizationId: organization_id, connectionId: connection_id, userId: user_id } = owner;
  const row = { organization_id, connection_id, user_id };
  const changing = { secrets: sealText(box, placed(row), WHAT, token), updated_at: now };
  await tx
    .db<ConnectionTables>()
    .insertInto('personal_tokens')
    .values({ ...row, ...changing })
    .onConflict((conflict) => conflict.columns(['connection_id', 'user_id']).doUpdateSet(changing))
    .execute();
  await tx.signal(TOKENS_CHANGED, tokenPlace(owner));
}

/** False when there was none. */
export async function dropPersonalToken(tx: StoreTransaction, owner: PersonalOwner): Promise<boolean> {
  const { numDeletedRows } = await tx
    .db<ConnectionTables>()
    .deleteFrom('personal_tokens')
    .where('organization_id', '=', owner.organizationId)
    .where('connection_id', '=', owner.connectionId)
    .where('user_id', '=', owner.userId)
    .executeTakeFirst();
  await tx.signal(TOKENS_CHANGED, tokenPlace(owner));
  return numDeletedRows > 0n;
}

export function personalRowOf(
  from: Queryable,
  { organizationId, connectionId, userId }: PersonalOwner,
): Promise<PersonalTokenRow | undefined> {
  return from
    .db<ConnectionTables>()
    .selectFrom('personal_tokens')
    .selectAll()
    .where('organization_id', '=', organizationId)
    .where('connection_id', '=', connectionId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

export function openedPersonal(box: SecretBox, row: PersonalTokenRow): string {
  return openText(box, placed(row), WHAT, row.secrets);
}

function placed(row: Pick<PersonalTokenRow, 'organization_id' | 'connection_id' | 'user_id'>) {
  return { id: `${row.connection_id}/${row.user_id}`, organization_id: row.organization_id };
}
