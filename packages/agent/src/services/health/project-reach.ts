/** Which projects there are for whom, and what is counted in their files. */
import type { Acting } from '../../session.ts';
import type { Code } from '../code/code.ts';
import type { Projects } from '../projects/projects.ts';
import type { HealthValues } from './schema.ts';

export interface ProjectReach {
  /** True when the agent that acts may look at the project. */
  reaches(acting: Acting, projectId: string): Promise<boolean>;
  /** True when the organization has the project. */
  has(organizationId: string, projectId: string): Promise<boolean>;
  /** What can be counted in the files of a project; what is not known is absent. */
  counts(organizationId: string, projectId: string): Promise<Partial<HealthValues>>;
}

/** Asks the projects; nothing is counted where code is not read. */
export function projectReachOf(projects: Projects, code: Code | undefined): ProjectReach {
  const find = async (organizationId: string, projectId: string) =>
    (await projects.list(organizationId)).find(({ id }) => id === projectId);
  return {
    reaches: async (acting, projectId) =>
      (await projects.reachedBy(acting)).some(({ id }) => id === projectId),
    has: async (organizationId, projectId) => (await find(organizationId, projectId)) !== undefined,
    async counts(organizationId, projectId) {
      const project = await find(organizationId, projectId);
      return (project && (await code?.counts(project))) ?? {};
    },
  };
}
