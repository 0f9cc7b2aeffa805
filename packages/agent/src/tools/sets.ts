/** The lists of tools that permission resolution speaks of, computed from the definitions. */
import type { Caller, Privileged } from '@parley/kit';
import type { AgentServices } from '../services/index.ts';
import { agentTools } from './index.ts';

/** What resolution has to know of a tool of agents. */
export interface AgentTool {
  readonly name: string;
  readonly privileged: Privileged;
  readonly unattended: 'block' | undefined;
  readonly available: ((services: AgentServices, caller: Caller) => boolean) | undefined;
}

/** Every built-in tool. */
export const AGENT_TOOLS: readonly AgentTool[] = agentTools.map(
  // As each literal may leave them out.
  ({
    name,
    privileged = false,
    unattended,
    available,
  }: {
    name: string;
    privileged?: Privileged;
    unattended?: 'block';
    available?: (services: AgentServices, caller: Caller) => boolean;
  }) => ({ name, privileged, unattended, available }),
);

/** Those that an agent without a list of its own has. */
export function defaultsAmong(tools: readonly Pick<AgentTool, 'name' | 'privileged'>[]): readonly string[] {
  return tools.filter(({ privileged }) => privileged === false).map(({ name }) => name);
}

/** Those that nobody has while nobody is watching. */
export function blockedAmong(tools: readonly Pick<AgentTool, 'name' | 'unattended'>[]): readonly string[] {
  return tools.filter(({ unattended }) => unattended === 'block').map(({ name }) => name);
}

/** What an agent without a list of its own has. */
export const DEFAULT_ALLOWED_TOOLS: readonly string[] = defaultsAmong(AGENT_TOOLS);

/** What nobody has while nobody is watching. */
export const SCHEDULER_BLOCKED_TOOLS: readonly string[] = blockedAmong(AGENT_TOOLS);
