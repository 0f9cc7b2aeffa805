/** Which projects there are for whom: asked of whoever knows projects, and of the agents' own table until then. */
import type { Store } from '@parley/store';
import type { AgentTables } from '../../schema.ts';
import type { Acting } from '../../session.ts';
import type { HealthValues } from './schema.ts';

export interface ProjectReach {
  /** True when the agent that acts may look at the project. */
  reaches(acting: Acting, projectId: string): Promise<boolean>;
  /** True when the organization has the project. */
  has(organizationId: string, projectId: string): Promise<boolean>;
  /** What can be counted in the files of a project; absent, or without a count: not known. */
  counts?(organizationId: string, projectId: string): Promise<Partial<HealthValues>>;
}

/** The projects that agents were given. */
export function givenProjects(store: Store): ProjectReach {
  const given = (organizationId: string, projectId: string) =>
    store
      .db<AgentTables>()
      .selectFrom('agents')
      .leftJoin('agent_projects', 'agent_projects.agent_id', 'agents.id')
      .select('agents.id')
      .where('agents.organization_id', '=', organizationId)
      .where((where) =>
        where.or([
          where('agents.default_project_id', '=', projectId),
          where('agent_projects.project_id', '=', projectId),
        ]),
      );
  return {
    async reaches({ organizationId, agentId, projectId: own, source }, projectId) {
      if (own === projectId) return true;
      const query = given(organizationId, projectId);
      const held = source === 'web' ? query : query.where('agents.id', '=', agentId);
      return (await held.executeTakeFirst()) !== undefined;
    },
    has: async (organizationId, projectId) =>
      (await given(organizationId, projectId).executeTakeFirst()) !== undefined,
  };
}
