/** What messages ask of the other nouns of this toolset: credits, and work tasks. */
import type { StoreTransaction } from '@parley/store';
import type { Acting } from '../../session.ts';

/** Who pays, and for what. */
export interface Payer {
  readonly organizationId: string;
  readonly agentId: string;
  /** The id of the caller behind it. */
  readonly actor: string;
  readonly reason: string;
}

/** What a message costs. Both are part of the transaction that they are given. */
export interface MessageCredits {
  /** `refused`: there is not enough. */
  charge(
    tx: StoreTransaction,
    payer: Payer,
    what: 'agent_message',
  ): Promise<{ readonly id: string } | 'refused'>;
  /** Gives back what was taken, once however often it is asked for. */
  refund(tx: StoreTransaction, payer: Payer, chargeId: string): Promise<void>;
}

/** Costs nothing. */
export const FREE: MessageCredits = { charge: async () => ({ id: '' }), refund: async () => undefined };

/** A work task that a message asks for. */
export interface MessageWork {
  /** The same for every try, so that one message makes one task. */
  readonly messageId: string;
  /** Whose task it becomes. */
  readonly agentId: string;
  readonly name: string;
  readonly description: string;
  readonly from: Acting;
}

export type CreateWorkTask = (work: MessageWork) => Promise<{ readonly task_id: string }>;
