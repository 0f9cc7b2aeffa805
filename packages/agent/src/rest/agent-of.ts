/** The agent that a route of people names; one of another organization is as unknown as one that is not there. */
import type { Caller } from '@parley/kit';
import { ToolError } from '@parley/kit';
import type { AgentServices } from '../services/index.ts';

interface Asked {
  readonly services: AgentServices;
  readonly caller: Caller;
  readonly params: { readonly id: string };
}

export async function agentOf({ services, caller, params }: Asked) {
  const { organizationId } = caller;
  if ((await services.agents.get(organizationId, params.id)) === undefined)
    throw new ToolError('not_found', 'Agent not found');
  return { organizationId, agentId: params.id };
}
