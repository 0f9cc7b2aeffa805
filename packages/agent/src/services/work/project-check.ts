/** The check of a project, tried on what is checked out there, in a worktree that goes afterwards. */
import { typeId } from '@parley/kit';
import type { Projects, ProjectWithCode } from '../projects/projects.ts';
import { runCheck, runInstall } from './commands.ts';
import type { Worktrees } from './worktrees.ts';

/** Whether the code passes; undefined: there is no check, or it could not be tried. */
export type CheckProject = (project: ProjectWithCode, signal: AbortSignal) => Promise<boolean | undefined>;

export interface ProjectCheckParts {
  readonly projects: Projects;
  readonly worktrees: Worktrees;
  readonly environment: Readonly<Record<string, string>>;
  readonly now: () => number;
}

export function createProjectCheck(parts: ProjectCheckParts): CheckProject {
  const { projects, worktrees, environment, now } = parts;
  return async (project, signal) => {
    const code = await projects.usableCode(project);
    if (code === undefined || code.check === null) return undefined;
    await worktrees.requireRepository(code.folder, signal);
    const place = { taskId: typeId('check', now()), repository: code.folder };
    try {
      const cwd = await worktrees.look(place, signal);
      const where = { environment, cwd, signal };
      if (code.install !== null && (await runInstall(code.install, where)).code !== 0) return undefined;
      const { code: exitCode, isLate } = await runCheck(code.check, where);
      return isLate ? undefined : exitCode === 0;
    } finally {
      await worktrees.remove(place);
    }
  };
}
