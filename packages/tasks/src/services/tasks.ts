/** What the toolset `tasks` stands on. */
import type { Host } from '@parley/kit';
import type { TaskEngine } from '../engine/engine.ts';

/** The services of the toolset. */
export interface TaskServices {
  readonly engine: TaskEngine;
}

/** What the toolset is built from. */
export type TasksHost = Host<{ readonly tasks: TaskEngine }>;
