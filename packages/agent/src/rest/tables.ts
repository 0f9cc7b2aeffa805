/** The tables of the routes, one for each set; loaded with the first request for any of them. */
import { a2aRoutes } from './a2a.ts';
import { agentRoutes } from './agents.ts';
import { agentSkillRoutes, bundleRoutes, projectSkillRoutes } from './bundles.ts';
import { channelRoutes } from './channels.ts';
import { conductRoutes } from './conduct.ts';
import { creditRoutes } from './credits.ts';
import { executionRoutes } from './executions.ts';
import { healthRoutes } from './health.ts';
import { inboxRoutes } from './inbox.ts';
import { memoryRoutes } from './memories.ts';
import { messageRoutes } from './messages.ts';
import { notificationRoutes, questionRoutes } from './owner.ts';
import { permissionRoutes } from './permissions.ts';
import { pluginRoutes } from './plugins.ts';
import { agentProjectRoutes, projectRoutes } from './projects.ts';
import { scheduleRoutes } from './schedules.ts';
import { workRoutes } from './work.ts';
import { workflowRoutes } from './workflows.ts';

export const agents = [
  ...agentRoutes,
  ...permissionRoutes,
  ...agentSkillRoutes,
  ...inboxRoutes,
  ...conductRoutes,
  ...agentProjectRoutes,
  ...workRoutes,
  ...channelRoutes,
  ...scheduleRoutes,
  ...workflowRoutes,
  ...memoryRoutes,
  ...messageRoutes,
  ...creditRoutes,
];
export const projects = [...projectRoutes, ...projectSkillRoutes, ...healthRoutes];
export {
  a2aRoutes as a2a,
  bundleRoutes as bundles,
  executionRoutes as executions,
  notificationRoutes as notifications,
  pluginRoutes as plugins,
  questionRoutes as questions,
};
