/** The agent as a schedule of it acts: as it is now, and nobody watches. */
import type { Caller } from '@parley/kit';
import type { AgentCallers } from '../../permissions/lookup.ts';

/** Undefined when the agent, or the person behind it, is gone. */
export function scheduledCaller(
  callers: AgentCallers,
  of: { readonly organization_id: string; readonly agent_id: string; readonly depth: number },
): Promise<Caller | undefined> {
  return callers.acting({
    organizationId: of.organization_id,
    agentId: of.agent_id,
    source: 'schedule',
    sessionSource: 'schedule',
    depth: of.depth,
    unattended: true,
  });
}
