/** What the agent tools stand on: one service for each noun. */
import type { AgentCallers } from '../permissions/lookup.ts';
import { createAgentCallers } from '../permissions/lookup.ts';
import { AGENT_TOOLS, DEFAULT_ALLOWED_TOOLS } from '../tools/sets.ts';
import type { Acting } from '../session.ts';
import type { AgentHost } from '../toolset.ts';
import type { Agents } from './agents.ts';
import { createAgents } from './agents.ts';
import type { ActionServices } from './schedules/actions.ts';
import { createPerform } from './schedules/actions.ts';
import type { ScheduleService } from './schedules/index.ts';
import { createSchedules } from './schedules/index.ts';
import type { NotifyOwner } from './schedules/parts.ts';
import type { Workflows } from './workflows/workflows.ts';
import { createWorkflows } from './workflows/workflows.ts';

export interface AgentServices {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly schedules: ScheduleService;
  readonly workflows: Workflows;
}

/** What a test may choose. */
export interface AgentOptions {
  readonly now?: () => number;
  /** What schedules and workflows do their work with. */
  readonly actions?: ActionServices;
  readonly notifyOwner?: NotifyOwner;
}

/** Builds the services over the base of this process. */
export function createAgentServices(
  host: Pick<AgentHost, 'store' | 'identity' | 'tasks' | 'events' | 'onFault'>,
  { now = Date.now, actions = {}, notifyOwner = async () => undefined }: AgentOptions = {},
): AgentServices {
  const { store, identity, tasks, events, onFault } = host;
  const registered = () => AGENT_TOOLS.map(({ name }) => name);
  const callers = createAgentCallers(store, identity, { registered, defaults: DEFAULT_ALLOWED_TOOLS });
  identity.serveAgents(callers);
  const toolNamed = (_organizationId: string, name: string) => AGENT_TOOLS.find((tool) => tool.name === name);
  const agents = createAgents({ store, identity, now, toolNamed, born: [] });
  const isRegistered = (name: string) => registered().includes(name);
  const perform = createPerform({ services: actions, others: othersOf(agents), isRegistered });
  const base = { store, identity, tasks, events, callers, now, onFault };
  return {
    agents,
    callers,
    schedules: createSchedules({ ...base, perform, notifyOwner }),
    workflows: createWorkflows({ ...base, services: actions, isRegistered }),
  };
}

const othersOf =
  (agents: Agents) =>
  async ({ agentId, organizationId }: Acting): Promise<string[]> =>
    (await agents.list(organizationId)).map(({ id }) => id).filter((id) => id !== agentId);
