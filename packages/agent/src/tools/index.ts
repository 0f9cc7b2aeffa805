/** The built-in tools, in the order of their definition. */
import { listAgents } from './agents.ts';
import { codeSymbols, findReferences } from './code.ts';
import { checkCredits, creditConfig, grantCredits } from './credits.ts';
import { createIssue, listIssues } from './github-issues.ts';
import { commentOnPull, createPull, listPulls, pullDiff, reviewPull } from './github-pulls.ts';
import { followUser, forkRepo, repoInfo, starRepo, unstarRepo } from './github-repos.ts';
import { recallMemory, saveMemory } from './memories.ts';
import { sendMessage } from './messages.ts';
import { listProjects } from './projects.ts';
import { askOwner, configureNotifications, notifyOwner } from './owner.ts';
import { discoverAgent, invokeRemoteAgent } from './remote-agents.ts';
import {
  checkHealthTrends,
  checkReputation,
  publishAttestation,
  verifyAgentReputation,
} from './reputation.ts';
import { manageSchedule } from './schedules.ts';
import { extendTimeout } from './sessions.ts';
import { deepResearch, webSearch } from './web-search.ts';
import { createWorkTask } from './work.ts';
import { manageWorkflow } from './workflows.ts';

export const agentTools = [
  sendMessage,
  listAgents,
  listProjects,
  saveMemory,
  recallMemory,
  extendTimeout,
  checkCredits,
  grantCredits,
  creditConfig,
  createWorkTask,
  manageSchedule,
  manageWorkflow,
  webSearch,
  deepResearch,
  discoverAgent,
  invokeRemoteAgent,
  notifyOwner,
  askOwner,
  configureNotifications,
  starRepo,
  unstarRepo,
  forkRepo,
  listPulls,
  createPull,
  reviewPull,
  createIssue,
  listIssues,
  repoInfo,
  pullDiff,
  commentOnPull,
  followUser,
  checkReputation,
  checkHealthTrends,
  publishAttestation,
  verifyAgentReputation,
  codeSymbols,
  findReferences,
] as const;
