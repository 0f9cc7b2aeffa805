/** What the toolset `tasks` stands on. */
import type { Host } from '@parley/kit';
import type { TaskEngine } from '../engine/engine.ts';

export interface TaskServices {
  readonly tasks: TaskEngine;
}

export type TasksHost = Host<{ readonly tasks: TaskEngine }>;
