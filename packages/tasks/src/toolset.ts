/** The toolset `tasks`: a long-running task to try things with, and helpers for every task a caller has. */
import { defineToolset } from '@parley/kit';
import type { TaskServices, TasksHost } from './services/tasks.ts';
import { cancelTask, getTask, listTasks } from './tools/manage.ts';
import { startLongRunningTask } from './tools/start.ts';

/** The toolset. */
export const tasksToolset = defineToolset({
  name: 'tasks',
  title: 'Tasks',
  tools: [startLongRunningTask, cancelTask, getTask, listTasks],
  services: (host: TasksHost): TaskServices => ({ engine: host.tasks }),
});
