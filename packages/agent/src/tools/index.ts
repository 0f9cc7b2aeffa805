/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { sendMessage } from './messages.ts';
import { extendTimeout } from './sessions.ts';

export const agentTools = [sendMessage, listAgents, extendTimeout] as const;
