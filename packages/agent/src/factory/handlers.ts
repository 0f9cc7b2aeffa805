/** Each built-in tool as a function: the same input, services and answer, without MCP. For the program, not for the agent: no list is asked. */
import type { Tool } from '@parley/kit';
import { runTool, ToolError } from '@parley/kit';
import type * as z from 'zod';
import type { AgentServices } from '../services/index.ts';
import { listAgents } from '../tools/agents.ts';
import { codeSymbols, findReferences } from '../tools/code.ts';
import { checkCredits, creditConfig, grantCredits } from '../tools/credits.ts';
import { createIssue, listIssues } from '../tools/github-issues.ts';
import { commentOnPull, createPull, listPulls, pullDiff, reviewPull } from '../tools/github-pulls.ts';
import { followUser, forkRepo, repoInfo, starRepo, unstarRepo } from '../tools/github-repos.ts';
import { recallMemory, saveMemory } from '../tools/memories.ts';
import { sendMessage } from '../tools/messages.ts';
import { askOwner, configureNotifications, notifyOwner } from '../tools/owner.ts';
import { listProjects } from '../tools/projects.ts';
import { discoverAgent, invokeRemoteAgent } from '../tools/remote-agents.ts';
import {
  checkHealthTrends,
  checkReputation,
  publishAttestation,
  verifyAgentReputation,
} from '../tools/reputation.ts';
import { manageSchedule } from '../tools/schedules.ts';
import { extendTimeout } from '../tools/sessions.ts';
import { deepResearch, webSearch } from '../tools/web-search.ts';
import { createWorkTask } from '../tools/work.ts';
import { manageWorkflow } from '../tools/workflows.ts';
import { actingCaller } from './acting-caller.ts';
import type { McpToolContext } from './context.ts';
import { inSession } from './current.ts';
import { sessionServices } from './session-services.ts';

/** Throws a ToolError where the tool would answer with one. */
export type Handler<Input extends z.ZodObject, Output extends z.ZodObject> = (
  ctx: McpToolContext,
  input: z.input<Input>,
) => Promise<z.output<Output>>;

function handlerOf<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<AgentServices, string, Input, Output>,
): Handler<Input, Output> {
  return (ctx, input) =>
    inSession(ctx, async () => {
      const caller = await actingCaller(ctx, []);
      if (caller === undefined) throw new ToolError('not_found', 'Agent not found');
      ctx.emitStatus?.(tool.title);
      return runTool(tool, input, { caller, services: sessionServices(ctx), signal: ctx.signal });
    });
}

export const handleSendMessage = handlerOf(sendMessage);
export const handleListAgents = handlerOf(listAgents);
export const handleListProjects = handlerOf(listProjects);
export const handleSaveMemory = handlerOf(saveMemory);
export const handleRecallMemory = handlerOf(recallMemory);
export const handleExtendTimeout = handlerOf(extendTimeout);
export const handleCheckCredits = handlerOf(checkCredits);
export const handleGrantCredits = handlerOf(grantCredits);
export const handleCreditConfig = handlerOf(creditConfig);
export const handleCreateWorkTask = handlerOf(createWorkTask);
export const handleManageSchedule = handlerOf(manageSchedule);
export const handleManageWorkflow = handlerOf(manageWorkflow);
export const handleWebSearch = handlerOf(webSearch);
export const handleDeepResearch = handlerOf(deepResearch);
export const handleDiscoverAgent = handlerOf(discoverAgent);
export const handleInvokeRemoteAgent = handlerOf(invokeRemoteAgent);
export const handleNotifyOwner = handlerOf(notifyOwner);
export const handleAskOwner = handlerOf(askOwner);
export const handleConfigureNotifications = handlerOf(configureNotifications);
export const handleGithubStarRepo = handlerOf(starRepo);
export const handleGithubUnstarRepo = handlerOf(unstarRepo);
export const handleGithubForkRepo = handlerOf(forkRepo);
export const handleGithubListPrs = handlerOf(listPulls);
export const handleGithubCreatePr = handlerOf(createPull);
export const handleGithubReviewPr = handlerOf(reviewPull);
export const handleGithubCreateIssue = handlerOf(createIssue);
export const handleGithubListIssues = handlerOf(listIssues);
export const handleGithubRepoInfo = handlerOf(repoInfo);
export const handleGithubGetPrDiff = handlerOf(pullDiff);
export const handleGithubCommentOnPr = handlerOf(commentOnPull);
export const handleGithubFollowUser = handlerOf(followUser);
export const handleCheckReputation = handlerOf(checkReputation);
export const handleCheckHealthTrends = handlerOf(checkHealthTrends);
export const handlePublishAttestation = handlerOf(publishAttestation);
export const handleVerifyAgentReputation = handlerOf(verifyAgentReputation);
export const handleCodeSymbols = handlerOf(codeSymbols);
export const handleFindReferences = handlerOf(findReferences);
