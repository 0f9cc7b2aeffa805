/** Credits of agents: what they have, what is taken and given, and what things cost. */
import type { AuditLog } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { Acting } from '../../session.ts';
import type { Born } from '../agents.ts';
import type { Reputation } from '../reputation/reputation.ts';
import { balanceOf } from './balance.ts';
import type { Balance } from './balance.ts';
import type { CreditConfig } from './config.ts';
import { checkedKey, checkedValue, readConfig, writeConfig } from './config.ts';
import { accountIdOf, lockedAccount, move, noAccount } from './ledger.ts';
import type { CreditTables, TransactionType } from './schema.ts';

/** Who pays, and for what. */
export interface ChargeFor {
  readonly organizationId: string;
  readonly agentId: string;
  /** The id of the caller behind it. */
  readonly actor: string;
  readonly reason: string;
}

/** What was taken. */
export interface Charge {
  readonly id: string;
  readonly amount: number;
}

export interface Granted {
  readonly transaction_id: string;
  readonly available: number;
  readonly total: number;
}

/** Credits for an account. */
export interface Gift {
  readonly accountId: string;
  readonly amount: number;
  readonly reason: string;
}

/** A movement as people see it. */
export interface ShownMovement {
  readonly id: string;
  readonly type: TransactionType;
  readonly amount: number;
  readonly reason: string;
  readonly at: string;
}

export interface Credits {
  /** Opens the account of a new agent. */
  readonly born: Born;
  /** Of an account of the organization; absent: the agent's own. */
  check(
    acting: Pick<Acting, 'organizationId' | 'agentId'>,
    accountId?: string,
  ): Promise<Balance & { config: CreditConfig }>;
  grant(acting: Acting, to: Gift): Promise<Granted>;
  /** The same by a person. */
  give(by: Caller, to: Gift): Promise<Granted>;
  /** What went through an account of the organization, the newest first. */
  movements(organizationId: string, accountId: string, limit: number): Promise<ShownMovement[]>;
  config(organizationId: string): Promise<CreditConfig>;
  /** True: the value is another one now. */
  configure(by: Caller, key: string, value: number | boolean | string | undefined): Promise<boolean>;
  /** Takes what a message or a turn costs; `refused`: there is not enough, and the organization insists on it. */
  charge(
    tx: StoreTransaction,
    payer: ChargeFor,
    what: 'agent_message' | 'deduction',
  ): Promise<Charge | 'refused'>;
  /** Gives back what was taken, once however often it is asked for. */
  refund(tx: StoreTransaction, payer: ChargeFor, chargeId: string): Promise<void>;
  /** Sets credits aside for each message to a group; `refused` as for a charge. */
  reserve(tx: StoreTransaction, payer: ChargeFor, messages: number): Promise<Charge | 'refused'>;
  /** Ends that, once however often it is asked for. */
  release(tx: StoreTransaction, payer: ChargeFor, reserveId: string): Promise<void>;
}

export interface CreditsParts {
  readonly store: Store;
  readonly audit: AuditLog;
  readonly now: () => number;
  /** Where conduct is written down. */
  readonly conduct: Pick<Reputation, 'recordViolation' | 'recordRefusedDebit'>;
}

const COST = { agent_message: 'credits_per_agent_message', deduction: 'credits_per_turn' } as const;

export function createCredits({ store, audit, now, conduct }: CreditsParts): Credits {
  const take = async (
    tx: StoreTransaction,
    payer: ChargeFor,
    {
      type,
      cost,
      isEnforced,
    }: { type: 'agent_message' | 'deduction' | 'reserve'; cost: number; isEnforced: boolean },
  ): Promise<Charge | 'refused'> => {
    const { organizationId, agentId, actor, reason } = payer;
    const account = await lockedAccount(tx, organizationId, { agentId });
    const available = account.credits - account.reserved;
    if (cost > available && isEnforced) {
      await conduct.recordRefusedDebit(tx, agentId, `${cost} credits wanted, ${available} available`);
      return 'refused';
    }
    // Where nobody insists, an empty account pays what it has.
    const amount = Math.min(cost, available);
    const { id } = await move(tx, account, {
      movement: { type, amount: 0 - amount, reason, actor },
      at: now(),
    });
    return { id, amount };
  };
  const giveBack = async (
    tx: StoreTransaction,
    { organizationId, agentId, actor, reason }: ChargeFor,
    { type, of }: { type: 'refund' | 'release'; of: string },
  ) => {
    const account = await lockedAccount(tx, organizationId, { agentId });
    const rows = await tx
      .db<CreditTables>()
      .selectFrom('credit_transactions')
      .select(['id', 'amount'])
      .where('account_id', '=', account.account_id)
      .where((where) => where.or([where('id', '=', of), where('refers_to', '=', of)]))
      .execute();
    const taken = rows.find(({ id }) => id === of);
    if (taken === undefined || rows.length > 1) return;
    const movement = { type, amount: 0 - taken.amount, reason, actor, refersTo: of };
    await move(tx, account, { movement, at: now() });
  };
  const give = (caller: Caller, { accountId, amount, reason }: Gift): Promise<Granted> =>
    store.transaction(async (tx) => {
      const account = await lockedAccount(tx, caller.organizationId, { accountId });
      const movement = { type: 'grant', amount, reason, actor: caller.id } as const;
      const moved = await move(tx, account, { movement, at: now() });
      const changed = { amount, reason, transaction: moved.id };
      await audit.write(tx, { caller, action: 'credits.granted', target: accountId, changed });
      const { credits, reserved } = moved.account;
      return { transaction_id: moved.id, available: credits - reserved, total: credits };
    });
  return {
    async born(tx, agent) {
      const at = now();
      const { free_credits_first_time: amount } = await readConfig(tx, agent.organization_id);
      const { organization_id, id: agent_id, account_id } = agent;
      const row = {
        organization_id,
        agent_id,
        account_id,
        credits: 0,
        reserved: 0,
        created_at: at,
        updated_at: at,
      };
      await tx.db<CreditTables>().insertInto('credit_accounts').values(row).execute();
      if (amount === 0) return;
      const movement = { type: 'grant', amount, reason: 'free_credits_first_time', actor: 'system' } as const;
      await move(tx, row, { movement, at });
    },
    async check({ organizationId, agentId }, accountId) {
      const wanted = accountId ?? (await accountIdOf(store, organizationId, agentId));
      const balance = await balanceOf(store, organizationId, wanted);
      if (balance === undefined) throw noAccount();
      return { ...balance, config: await readConfig(store, organizationId) };
    },
    async grant({ organizationId, agentId, caller, source }, { accountId, amount, reason }) {
      const own = await accountIdOf(store, organizationId, agentId);
      if (own === accountId && source !== 'web') {
        await store.transaction((tx) =>
          conduct.recordViolation(tx, agentId, 'self_grant', `${amount} credits`),
        );
        throw new ToolError('self_grant', 'An agent cannot grant credits to itself. Ask a person to do it.');
      }
      return give(caller, { accountId, amount, reason });
    },
    give,
    async movements(organizationId, accountId, limit) {
      const rows = await store
        .db<CreditTables>()
        .selectFrom('credit_transactions')
        .select(['id', 'type', 'amount', 'reason', 'created_at'])
        .where('organization_id', '=', organizationId)
        .where('account_id', '=', accountId)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ created_at, ...row }) => ({ ...row, at: new Date(created_at).toISOString() }));
    },
    config: (organizationId) => readConfig(store, organizationId),
    async configure(by, key, given) {
      const { organizationId } = by;
      const known = checkedKey(key);
      if (given === undefined) return false;
      const value = checkedValue(known, given);
      return store.transaction(async (tx) => {
        await tx.exclusive(`credit-config:${organizationId}`);
        const { [known]: before } = await readConfig(tx, organizationId);
        if (before === value) return false;
        await writeConfig(tx, { organizationId, key: known, value, at: now() });
        const changed = { before, value };
        await audit.write(tx, { caller: by, action: 'credits.configured', target: known, changed });
        return true;
      });
    },
    async charge(tx, payer, type) {
      const config = await readConfig(tx, payer.organizationId);
      return take(tx, payer, { type, cost: config[COST[type]], isEnforced: config.enforce });
    },
    refund: (tx, payer, of) => giveBack(tx, payer, { type: 'refund', of }),
    async reserve(tx, payer, messages) {
      const { reserve_per_group_message, enforce } = await readConfig(tx, payer.organizationId);
      const cost = reserve_per_group_message * messages;
      return take(tx, payer, { type: 'reserve', cost, isEnforced: enforce });
    },
    release: (tx, payer, of) => giveBack(tx, payer, { type: 'release', of }),
  };
}
