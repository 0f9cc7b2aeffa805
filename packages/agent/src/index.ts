/** Agents: governed tools for those who act without being a person. Start reading at `toolset.ts`. */
export { CHANNEL_TYPES } from './adapters/channels/channel.ts';
export type { ChannelType } from './adapters/channels/channel.ts';
export type { McpToolContext, OwnerMessage } from './factory/context.ts';
export {
  handleAskOwner,
  handleCheckCredits,
  handleCheckHealthTrends,
  handleCheckReputation,
  handleCodeSymbols,
  handleConfigureNotifications,
  handleCreateWorkTask,
  handleCreditConfig,
  handleDeepResearch,
  handleDiscoverAgent,
  handleExtendTimeout,
  handleFindReferences,
  handleGithubCommentOnPr,
  handleGithubCreateIssue,
  handleGithubCreatePr,
  handleGithubFollowUser,
  handleGithubForkRepo,
  handleGithubGetPrDiff,
  handleGithubListIssues,
  handleGithubListPrs,
  handleGithubRepoInfo,
  handleGithubReviewPr,
  handleGithubStarRepo,
  handleGithubUnstarRepo,
  handleGrantCredits,
  handleInvokeRemoteAgent,
  handleListAgents,
  handleListProjects,
  handleManageSchedule,
  handleManageWorkflow,
  handleNotifyOwner,
  handlePublishAttestation,
  handleRecallMemory,
  handleSaveMemory,
  handleSendMessage,
  handleVerifyAgentReputation,
  handleWebSearch,
} from './factory/handlers.ts';
export { closeAgentStore } from './factory/on-store.ts';
export type { PluginTool, SdkTool } from './factory/plugin-tools.ts';
export { createCorvidMcpServer } from './factory/server.ts';
export type { AgentMcpServer } from './factory/server.ts';
export { resolveAgentTools } from './permissions/context-tools.ts';
export type { PermissionContext, ResolvedContext } from './permissions/context-tools.ts';
export { promptOf } from './permissions/given-bundles.ts';
export type { AgentRight } from './rights.ts';
export type { Agent } from './services/agents.ts';
export { createAgentServices } from './services/index.ts';
export type { AgentServices } from './services/index.ts';
export type { Plugin } from './services/plugins/plugins.ts';
export { SESSION_SOURCES } from './session.ts';
export type { SessionSource } from './session.ts';
export { DEFAULT_ALLOWED_TOOLS, SCHEDULER_BLOCKED_TOOLS } from './tools/sets.ts';
export { agentToolset } from './toolset.ts';
export type { AgentHost } from './toolset.ts';
