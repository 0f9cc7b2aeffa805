/** What agents do later: schedules and workflows, and the services that these do their work with. */
import type { AgentCallers } from '../permissions/lookup.ts';
import type { Acting } from '../session.ts';
import type { AgentHost } from '../toolset.ts';
import type { ActionParts } from './action-services.ts';
import { createActionServices } from './action-services.ts';
import type { Agents } from './agents.ts';
import type { Measure } from './health/measure.ts';
import type { AgentOptions } from './options.ts';
import { createForesee, createPerform } from './schedules/actions.ts';
import type { ScheduleService } from './schedules/index.ts';
import { createSchedules } from './schedules/index.ts';
import type { NotifyOwner } from './schedules/parts.ts';
import { isBuiltIn } from './standing-services.ts';
import type { Workflows } from './workflows/workflows.ts';
import { createWorkflows } from './workflows/workflows.ts';

export interface LaterServices {
  readonly schedules: ScheduleService;
  readonly workflows: Workflows;
}

export interface LaterParts extends ActionParts, Pick<AgentOptions, 'actions'> {
  readonly agents: Agents;
  readonly callers: AgentCallers;
  readonly measure: Measure;
  readonly notifyOwner: NotifyOwner;
}

export function createLaterServices(
  { store, identity, tasks, events, delivers, onFault }: AgentHost,
  now: () => number,
  parts: LaterParts,
): LaterServices {
  const { agents, callers, measure, notifyOwner, actions: services = createActionServices(parts) } = parts;
  const base = { store, identity, tasks, events, callers, now, onFault };
  const actionParts = { services, others: othersOf(agents), isRegistered: isBuiltIn };
  const perform = createPerform(actionParts);
  const foresee = createForesee(actionParts, delivers !== false);
  return {
    schedules: createSchedules({ ...base, perform, foresee, measure, notifyOwner }),
    workflows: createWorkflows({ ...base, services, isRegistered: isBuiltIn }),
  };
}

const othersOf =
  (agents: Agents) =>
  async ({ agentId, organizationId }: Acting): Promise<string[]> =>
    (await agents.list(organizationId)).map(({ id }) => id).filter((id) => id !== agentId);
