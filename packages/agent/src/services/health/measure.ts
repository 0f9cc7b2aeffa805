/** Snapshots that nobody reports: what is counted in the files of a project, and whether its check passes. */
import type { Acting } from '../../session.ts';
import type { Projects } from '../projects/projects.ts';
import type { CheckProject } from '../work/project-check.ts';
import type { Health } from './health.ts';

/** Takes a snapshot of the project that an agent worked on; undefined: it reaches no such project. */
export type Measure = (
  acting: Acting,
  projectId: string | undefined,
  signal: AbortSignal,
) => Promise<{ readonly id: string } | undefined>;

export interface MeasureParts {
  readonly health: Pick<Health, 'report'>;
  readonly projects: Pick<Projects, 'reachedBy'>;
  /** Absent: no program is started on the code of projects. */
  readonly check: CheckProject | undefined;
}

export function createMeasure({ health, projects, check }: MeasureParts): Measure {
  return async (acting, projectId, signal) => {
    const reached = await projects.reachedBy({ ...acting, projectId: projectId ?? acting.projectId });
    const project = reached.find(({ id, isDefault }) =>
      projectId === undefined ? isDefault : id === projectId,
    );
    if (project === undefined) return undefined;
    const passes = await check?.(project, signal);
    const { organizationId, agentId } = acting;
    const counted = passes === undefined ? {} : { test_failures: passes ? 0 : 1 };
    return health.report(organizationId, project.id, { agentId, ...counted });
  };
}
