/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { askOwner, configureNotifications, notifyOwner } from './owner.ts';

export const agentTools = [listAgents, notifyOwner, askOwner, configureNotifications] as const;
