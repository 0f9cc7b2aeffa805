/** Work that a message asks for: one task of the recipient, however often the message is delivered. */
import { ToolError } from '@parley/kit';
import type { WorkTasks } from '../work/work-tasks.ts';
import type { CreateWorkTask } from './seams.ts';

export const workByMessage =
  (work: Pick<WorkTasks, 'create'>): CreateWorkTask =>
  async ({ messageId, agentId, description, from }) => {
    const { organizationId, depth, unattended } = from;
    const acting = { organizationId, agentId, projectId: undefined, depth: depth + 1, unattended };
    try {
      return { task_id: (await work.create(acting, { description, key: messageId })).id };
    } catch (error) {
      // The words are for the agent that works, and the one that reads them has asked it to.
      if (error instanceof ToolError && error.code === 'no_project')
        throw new ToolError(
          'no_project',
          'The recipient has no default project with code. Its owner sets one.',
        );
      throw error;
    }
  };
