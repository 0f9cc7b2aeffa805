/** Agents: governed tools for those who act without being a person. Start reading at `toolset.ts`. */
export { createAgentServices } from './services/index.ts';
export type { AgentServices } from './services/index.ts';
export type { Plugin } from './services/plugins/plugins.ts';
export { DEFAULT_ALLOWED_TOOLS, SCHEDULER_BLOCKED_TOOLS } from './tools/sets.ts';
export { agentToolset } from './toolset.ts';
export type { AgentHost } from './toolset.ts';
