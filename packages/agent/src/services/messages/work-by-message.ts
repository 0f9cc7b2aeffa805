/** Work that a message asks for: one task of the recipient, however often the message is delivered. */
import { ToolError } from '@parley/kit';
import type { WorkTasks } from '../work/work-tasks.ts';
import type { CreateWorkTask } from './seams.ts';

export const workByMessage =
  (work: Pick<WorkTasks, 'create'>): CreateWorkTask =>
  async ({ messageId, agentId, name, description, from }) => {
    const { organizationId, depth, unattended } = from;
    const acting = { organizationId, agentId, projectId: undefined, depth: depth + 1, unattended };
    try {
      return { task_id: (await work.create(acting, { description, key: messageId })).id };
    } catch (error) {
      // The words are for the agent that works, and the one that reads them has asked it to.
      const words = error instanceof ToolError ? wordsForSender(name, error.code) : undefined;
      throw words ?? error;
    }
  };

function wordsForSender(name: string, code: string): ToolError | undefined {
  if (code === 'no_project')
    return new ToolError(code, `${name} has no default project with code. Its owner sets one.`);
  if (code === 'daily_cap')
    return new ToolError(code, `${name} may start no more work tasks today (UTC). Try again tomorrow.`);
  return undefined;
}
