/** The toolset `tasks`: a long-running task to try things with, and helpers for every task a caller has. */
import { defineToolset, toolsIn } from '@parley/kit';
import type { TaskServices, TasksHost } from './services/tasks.ts';
import * as manage from './tools/manage.ts';
import * as start from './tools/start.ts';

export const tasksToolset = defineToolset({
  name: 'tasks',
  title: 'Tasks',
  tools: toolsIn(start, manage),
  // Whatever else they may call can become a task, and a task is its caller's own.
  roles: { member: ['get_task', 'list_tasks', 'cancel_task'] },
  services: (host: TasksHost): TaskServices => ({ tasks: host.tasks }),
});
