/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { manageSchedule } from './schedules.ts';
import { manageWorkflow } from './workflows.ts';

export const agentTools = [listAgents, manageSchedule, manageWorkflow] as const;
