/** Work on the code of a project, on a branch of its own. */
import * as z from 'zod';
import { defineTool } from './define-tool.ts';
import { text } from './texts.ts';

export const createWorkTask = defineTool({
  name: 'corvid_create_work_task',
  title: 'Create a work task',
  description: 'Queues work on the code of a project; it is done on its own branch and checked there.',
  effect: 'run',
  task: 'allowed',
  taskOptions: { followedOnly: true },
  available: ({ work }) => work !== undefined,
  input: z.strictObject({
    description: text(16_384).describe('What is to be done'),
    project_id: text(128).optional().describe('Your default project if absent'),
  }),
  output: z.object({
    task_id: z.string(),
    status: z.enum(['pending', 'branching', 'running', 'validating', 'completed', 'failed', 'cancelled']),
    branch: z.string().nullable(),
    queue_position: z.int(),
  }),
  errors: {
    daily_cap: 'The work tasks of this day are used up.',
    no_project: 'There is no project to work on.',
  },
  async run({ description, project_id: projectId }, ctx, acting) {
    const { work } = ctx.services;
    if (work === undefined)
      throw ctx.error('unavailable', 'Work tasks are off. Start the server with --work-tasks on.');
    const made = await ctx.step('create', () => work.create(acting, { description, projectId }));
    const { id, status, branch, position } = made;
    return { task_id: id, status, branch, queue_position: position };
  },
});
