/** What messages ask of the other nouns of this toolset: credits, and work tasks. */
import type { StoreTransaction } from '@parley/store';
import type { Acting } from '../../session.ts';

/** What is paid for. */
export interface Charged {
  readonly type: 'agent_message';
  /** The message. */
  readonly id: string;
}

/** Who pays. Both are part of the transaction that they are given. */
export interface MessageCredits {
  /** Throws `insufficient_credits`; what it has written by then stays. */
  charge(tx: StoreTransaction, agentId: string, what: Charged): Promise<void>;
  refund(tx: StoreTransaction, agentId: string, what: Charged): Promise<void>;
}

export const FREE: MessageCredits = { charge: async () => {}, refund: async () => {} };

/** A work task that a message asks for. */
export interface MessageWork {
  /** Whose task it becomes. */
  readonly agentId: string;
  readonly description: string;
  readonly from: Acting;
}

export type CreateWorkTask = (work: MessageWork) => Promise<{ readonly task_id: string }>;
