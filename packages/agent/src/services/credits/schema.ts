/** The tables of credits, as queries see them. */

/** The account of an agent. */
export interface AccountRow {
  organization_id: string;
  agent_id: string;
  account_id: string;
  credits: number;
  /** Set aside for what is under way. */
  reserved: number;
  created_at: number;
  updated_at: number;
}

export type TransactionType =
  | 'purchase'
  | 'deduction'
  | 'agent_message'
  | 'reserve'
  | 'release'
  | 'grant'
  | 'refund';

/** One movement; rows are added, never changed. All amounts of an account together are what it has available. */
export interface TransactionRow {
  organization_id: string;
  id: string;
  account_id: string;
  type: TransactionType;
  /** Below zero for what was taken. */
  amount: number;
  reason: string;
  /** The id of the caller behind it. */
  actor: string;
  /** The movement that this one takes back; at most one does. */
  refers_to: string | null;
  created_at: number;
  updated_at: number;
}

/** A setting of an organization that is not the default. */
export interface ConfigRow {
  organization_id: string;
  key: string;
  value: string;
  created_at: number;
  updated_at: number;
}

export interface CreditTables {
  credit_accounts: AccountRow;
  credit_transactions: TransactionRow;
  credit_config: ConfigRow;
}
