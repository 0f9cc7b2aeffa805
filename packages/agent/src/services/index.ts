/** What the agent tools stand on: one service for each noun. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { Chain } from './chain/chain.ts';
import { createChain } from './chain/chain.ts';
import type { Credits } from './credits/credits.ts';
import { createCredits } from './credits/credits.ts';
import type { Health } from './health/health.ts';
import { createHealth } from './health/health.ts';
import type { ProjectReach } from './health/project-reach.ts';
import { givenProjects } from './health/project-reach.ts';
import type { Memories } from './memories/memories.ts';
import { createMemories } from './memories/memories.ts';
import { signedMemories } from './memories/rows.ts';
import { signedAttestations } from './reputation/attestations.ts';
import type { AgentCounts } from './reputation/counts.ts';
import { tableCounts } from './reputation/counts.ts';
import type { Reputation } from './reputation/reputation.ts';
import { createReputation } from './reputation/reputation.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly chain: Chain;
  readonly memories: Memories;
  readonly credits: Credits;
  readonly reputation: Reputation;
  readonly health: Health;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  /** What work and sessions count for reputation. */
  readonly counts?: AgentCounts;
  /** Which projects agents reach. */
  readonly projectReach?: ProjectReach;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: Pick<AgentHost, 'store' | 'identity'>,
  { now = Date.now, counts = tableCounts(), projectReach }: AgentOptions = {},
): AgentServices {
  const { store, identity } = host;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const callers = createAgentCallers(store, identity, { registered, defaults: DEFAULT_ALLOWED_TOOLS });
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  const { audit } = identity;
  const chain = createChain({ store, audit, now, sources: [signedMemories, signedAttestations] });
  const reputation = createReputation({ store, chain, counts, now });
  const credits = createCredits({ store, audit, now, conduct: reputation });
  const born = [chain.born, credits.born];
  return {
    agents: createAgents({ store, identity, now, toolNamed, born }),
    callers,
    chain,
    memories: createMemories({ store, chain, now }),
    credits,
    reputation,
    health: createHealth({ store, projects: projectReach ?? givenProjects(store), now }),
  };
}
