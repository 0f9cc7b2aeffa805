/** What the toolset `tasks` stands on. */
import type { TaskEngine } from '../engine/engine.ts';

/** The services of the toolset. */
export interface TaskServices {
  readonly engine: TaskEngine;
}

/** What the program that serves the toolset offers. */
export interface TasksHost {
  readonly tasks: TaskEngine;
}
