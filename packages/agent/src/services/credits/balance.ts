/** What an account has, and what went through it since it was opened. */
import type { Queryable } from '@parley/store';
import type { CreditTables, TransactionType } from './schema.ts';

export interface Balance {
  readonly account_id: string;
  readonly available: number;
  readonly reserved: number;
  readonly total: number;
  readonly lifetime_bought: number;
  readonly lifetime_used: number;
}

const BOUGHT: readonly TransactionType[] = ['purchase', 'grant'];
const USED: readonly TransactionType[] = ['deduction', 'agent_message', 'refund'];

/** Undefined: the organization has no such account. */
export async function balanceOf(
  from: Queryable,
  organizationId: string,
  accountId: string,
): Promise<Balance | undefined> {
  const db = from.db<CreditTables>();
  const account = await db
    .selectFrom('credit_accounts')
    .select(['credits', 'reserved'])
    .where('organization_id', '=', organizationId)
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  if (account === undefined) return undefined;
  const sums = await db
    .selectFrom('credit_transactions')
    .select(({ fn }) => ['type', fn.sum('amount').as('sum')])
    .where('account_id', '=', accountId)
    .groupBy('type')
    .execute();
  const sumOf = (types: readonly TransactionType[]) =>
    sums.filter(({ type }) => types.includes(type)).reduce((whole, { sum }) => whole + Number(sum), 0);
  const { credits, reserved } = account;
  return {
    account_id: accountId,
    available: credits - reserved,
    reserved,
    total: credits,
    lifetime_bought: sumOf(BOUGHT),
    // A plain minus would make -0 of nothing.
    lifetime_used: 0 - sumOf(USED),
  };
}
