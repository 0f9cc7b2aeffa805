/** Work on code: finding symbols in it, work tasks on branches of it, and the health of its projects. */
import { isOn } from '../adapters/on-off.ts';
import type { AgentHost } from '../toolset.ts';
import type { Code } from './code/code.ts';
import { createCode } from './code/code.ts';
import { CodeReaders } from './code/code-readers.ts';
import type { Health } from './health/health.ts';
import { createHealth } from './health/health.ts';
import type { Measure } from './health/measure.ts';
import { createMeasure } from './health/measure.ts';
import { projectReachOf } from './health/project-reach.ts';
import type { AgentOptions } from './options.ts';
import type { Projects } from './projects/projects.ts';
import type { Runs } from './runs.ts';
import type { RecordViolation } from './violations.ts';
import { createProjectCheck } from './work/project-check.ts';
import type { WorkTasks } from './work/work-tasks.ts';
import { createWorkTasks } from './work/work-tasks.ts';
import { createWorktrees } from './work/worktrees.ts';

export interface CodeServices {
  /** Undefined: it is switched off. */
  readonly code: Code | undefined;
  /** Undefined: they are switched off. */
  readonly work: WorkTasks | undefined;
  readonly health: Health;
  readonly measure: Measure;
  close(): Promise<void>;
}

export interface CodeParts extends Pick<AgentOptions, 'codeLimits'> {
  readonly projects: Projects;
  readonly runs: Runs;
  readonly violation: RecordViolation;
}

export function createCodeServices(
  { store, tasks, dataDir, environment, settings }: AgentHost,
  now: () => number,
  { projects, runs, violation, codeLimits }: CodeParts,
): CodeServices {
  const readers = isOn('code-index', settings.codeIndex, true) ? new CodeReaders(codeLimits) : undefined;
  const code = readers && createCode({ projects, readers, dataDir, recordViolation: violation });
  const worktrees = createWorktrees(dataDir, environment);
  const runner = runs.runner && runs;
  const work = isOn('work-tasks', settings.workTasks, true)
    ? createWorkTasks({ store, tasks, projects, worktrees, environment, runner, now })
    : undefined;
  const health = createHealth({ store, projects: projectReachOf(projects, code), now });
  const check = work && createProjectCheck({ projects, worktrees, environment, now });
  return {
    code,
    work,
    health,
    measure: createMeasure({ health, projects, check }),
    async close() {
      await readers?.close();
    },
  };
}
