/** What the agent tools stand on: one service for each noun. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { OwnerLine } from './owner/index.ts';
import { createOwnerLine } from './owner/index.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  /** Questions and notifications to the owner. */
  readonly owner: OwnerLine;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: Pick<AgentHost, 'store' | 'identity' | 'tasks' | 'events' | 'egress' | 'settings' | 'onFault'>,
  { now = Date.now }: AgentOptions = {},
): AgentServices {
  const { store, identity } = host;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const callers = createAgentCallers(store, identity, { registered, defaults: DEFAULT_ALLOWED_TOOLS });
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  return {
    agents: createAgents({ store, identity, now, toolNamed, born: [] }),
    callers,
    owner: createOwnerLine(host, now),
  };
}
