/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';

export const agentTools = [listAgents] as const;
