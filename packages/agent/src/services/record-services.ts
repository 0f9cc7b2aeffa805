/** What is kept about agents: the chain that they sign, memories, credits, reputation and what they broke. */
import type { AgentHost } from '../toolset.ts';
import type { Chain } from './chain/chain.ts';
import { createChain } from './chain/chain.ts';
import type { Credits } from './credits/credits.ts';
import { createCredits } from './credits/credits.ts';
import type { Memories } from './memories/memories.ts';
import { createMemories } from './memories/memories.ts';
import { signedMemories } from './memories/rows.ts';
import type { AgentOptions } from './options.ts';
import { signedAttestations } from './reputation/attestations.ts';
import { tableCounts } from './reputation/counts.ts';
import type { Reputation } from './reputation/reputation.ts';
import { createReputation } from './reputation/reputation.ts';
import type { RecordViolation } from './violations.ts';

export interface RecordServices {
  readonly chain: Chain;
  readonly memories: Memories;
  readonly reputation: Reputation;
  readonly credits: Credits;
  readonly violation: RecordViolation;
}

export function createRecordServices(
  { store, identity }: Pick<AgentHost, 'store' | 'identity'>,
  now: () => number,
  { counts = tableCounts, recordViolation }: Pick<AgentOptions, 'counts' | 'recordViolation'>,
): RecordServices {
  const { audit } = identity;
  const chain = createChain({ store, audit, now, sources: [signedMemories, signedAttestations] });
  const reputation = createReputation({ store, chain, counts, now });
  return {
    chain,
    reputation,
    memories: createMemories({ store, chain, audit, now }),
    credits: createCredits({ store, audit, now, conduct: reputation }),
    violation:
      recordViolation ??
      (({ agentId }, kind, detail) =>
        store.transaction((tx) => reputation.recordViolation(tx, agentId, kind, detail))),
  };
}
