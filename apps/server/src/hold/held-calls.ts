/** Calls that would become tasks while tasks are held: told so at once, instead of waiting for nobody. */
import type { TaskSeam } from '@parley/kit';
import { ToolError } from '@parley/kit';
import { holdText } from './held-row.ts';
import type { Hold } from './hold.ts';

/** The same seam; answers to questions of tasks, and tasks of other servers, are taken and wait. */
export function refusedWhileHeld(seam: TaskSeam, hold: Pick<Hold, 'held'>): TaskSeam {
  return {
    ...seam,
    async call(call) {
      const held = hold.held();
      if (held !== undefined && call.taskId === undefined) throw new ToolError('unavailable', holdText(held));
      return seam.call(call);
    },
  };
}
