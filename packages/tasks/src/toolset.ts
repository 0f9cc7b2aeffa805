/** The toolset `tasks`: a long-running task to try things with, and helpers for every task a caller has. */
import { defineToolset, toolsIn } from '@parley/kit';
import type { TaskServices, TasksHost } from './services/tasks.ts';
import * as manage from './tools/manage.ts';
import * as start from './tools/start.ts';

export const tasksToolset = defineToolset({
  name: 'tasks',
  title: 'Tasks',
  tools: toolsIn(start, manage),
  services: (host: TasksHost): TaskServices => ({ tasks: host.tasks }),
});
