/** What the agent tools stand on: one service for each noun. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import type { AgentPermissions } from '../permissions/permissions.ts';
import { createPermissions } from '../permissions/permissions.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { Outside, OutsideOptions } from './outside/index.ts';
import { createOutside } from './outside/index.ts';
import type { Bundles } from './bundles.ts';
import { createBundles } from './bundles.ts';
import type { ProjectExists, Skills } from './skills.ts';
import { createSkills } from './skills.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly bundles: Bundles;
  readonly callers: AgentCallers;
  /** Web search, GitHub, and agents of other servers. */
  readonly outside: Outside;
  readonly permissions: AgentPermissions;
  readonly skills: Skills;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  readonly outside?: OutsideOptions;
  /** Absent: there are no projects. */
  readonly projectExists?: ProjectExists;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: Pick<AgentHost, 'store' | 'identity' | 'tasks' | 'egress' | 'settings'>,
  { now = Date.now, outside, projectExists = async () => false }: AgentOptions = {},
): AgentServices {
  const { store, identity } = host;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const tools = { registered, defaults: DEFAULT_ALLOWED_TOOLS };
  const callers = createAgentCallers(store, identity, tools);
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  const parts = { store, identity, now, toolNamed, born: [] };
  const agents = createAgents(parts);
  const services: AgentServices = {
    agents,
    bundles: createBundles(parts),
    callers,
    outside: createOutside({ host, agents, callers, now }, outside),
    permissions: createPermissions({ store, callers, tools, toolNamed }, () => services),
    skills: createSkills(parts, projectExists),
  };
  return services;
}
