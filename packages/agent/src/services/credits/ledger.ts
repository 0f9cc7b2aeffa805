/** Movements of an account: each one in the transaction that changes what it has, so that the two always agree. */
import { ToolError, typeId } from '@parley/kit';
import type { Queryable, StoreTransaction } from '@parley/store';
import type { AccountRow, CreditTables, TransactionType } from './schema.ts';

/** A movement to be written. */
export interface Movement {
  readonly type: TransactionType;
  /** Below zero for what is taken. */
  readonly amount: number;
  readonly reason: string;
  readonly actor: string;
  readonly refersTo?: string | undefined;
}

/** An account of the organization, by its id or by its agent. */
export type WhichAccount = { readonly accountId: string } | { readonly agentId: string };

/** The account, and nobody else changes it until the transaction ends. */
export async function lockedAccount(
  tx: StoreTransaction,
  organizationId: string,
  which: WhichAccount,
): Promise<AccountRow> {
  const row = await tx.locked(accountQuery(tx, organizationId, which)).executeTakeFirst();
  if (row === undefined) throw noAccount();
  return row;
}

/** The id of the account of an agent. */
export async function accountIdOf(from: Queryable, organizationId: string, agentId: string): Promise<string> {
  const row = await accountQuery(from, organizationId, { agentId }).executeTakeFirst();
  if (row === undefined) throw noAccount();
  return row.account_id;
}

function accountQuery(from: Queryable, organizationId: string, which: WhichAccount) {
  const query = from
    .db<CreditTables>()
    .selectFrom('credit_accounts')
    .selectAll()
    .where('organization_id', '=', organizationId);
  return 'agentId' in which
    ? query.where('agent_id', '=', which.agentId)
    : query.where('account_id', '=', which.accountId);
}

export function noAccount(): ToolError {
  return new ToolError('not_found', 'Account not found. corvid_list_agents has the account ids.');
}

/** Writes a movement of an account that is held; returns its id and the account as it is now. */
export async function move(
  tx: StoreTransaction,
  account: AccountRow,
  { movement, at }: { movement: Movement; at: number },
): Promise<{ id: string; account: AccountRow }> {
  const { type, amount, reason, actor, refersTo } = movement;
  const isSetAside = type === 'reserve' || type === 'release';
  const next: AccountRow = {
    ...account,
    credits: isSetAside ? account.credits : account.credits + amount,
    reserved: isSetAside ? account.reserved - amount : account.reserved,
    updated_at: at,
  };
  if (next.reserved < 0 || next.credits < next.reserved)
    throw new Error('A movement would leave less than nothing.');
  const id = typeId('ctx', at);
  const db = tx.db<CreditTables>();
  await db
    .insertInto('credit_transactions')
    .values({
      organization_id: account.organization_id,
      id,
      account_id: account.account_id,
      type,
      amount,
      reason,
      actor,
      refers_to: refersTo ?? null,
      created_at: at,
      updated_at: at,
    })
    .execute();
  await db.updateTable('credit_accounts').set(next).where('account_id', '=', account.account_id).execute();
  return { id, account: next };
}
