/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { checkCredits, creditConfig, grantCredits } from './credits.ts';
import { recallMemory, saveMemory } from './memories.ts';
import {
  checkHealthTrends,
  checkReputation,
  publishAttestation,
  verifyAgentReputation,
} from './reputation.ts';

export const agentTools = [
  listAgents,
  saveMemory,
  recallMemory,
  checkCredits,
  grantCredits,
  creditConfig,
  checkReputation,
  checkHealthTrends,
  publishAttestation,
  verifyAgentReputation,
] as const;
