/** Which organizations a caller reaches, and as whom: their own, and with a key for everything also the others of its user. */
import type { Identity, Organization } from '@parley/identity';
import type { Caller } from '@parley/kit';
import { guardOf, hiddenReason, ToolError } from '@parley/kit';
import type { CrossingTool } from '../guards.ts';
import { GUARDS } from '../guards.ts';
import { MANAGEMENT } from '../name.ts';

export interface Reach {
  /** The caller in an organization, where they have the tool; an organization out of reach is one that is not there. */
  inside(caller: Caller, organizationId: string | undefined, tool: CrossingTool): Promise<Caller>;
  /** The organizations of the caller's user that the caller reaches. */
  organizations(caller: Caller): Promise<Organization[]>;
}

export function createReach({ organizations }: Pick<Identity, 'organizations'>): Reach {
  return {
    async inside(caller, organizationId = caller.organizationId, tool) {
      const there = await organizations.callerIn(caller, organizationId);
      if (there === undefined) throw new ToolError('not_found', 'No such organization.');
      const guard = guardOf(GUARDS[tool], { name: tool, toolset: MANAGEMENT, services: undefined });
      if (there !== caller && hiddenReason(guard, there) !== undefined)
        throw new ToolError('forbidden', `Your role in that organization does not give ${tool}.`);
      return there;
    },
    async organizations(caller) {
      const own = caller.userId === null ? [] : await organizations.list(caller.userId);
      const reached = await Promise.all(
        own.map(async (one) => ((await organizations.callerIn(caller, one.id)) === undefined ? [] : [one])),
      );
      return reached.flat();
    },
  };
}
