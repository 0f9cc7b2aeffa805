/** Who may work on all feedback at once from the command line. */
import type { Caller } from '@parley/kit';
import { isGranted, ToolError } from '@parley/kit';

/** Refuses a key that may not do everything in feedback, whatever the role of its owner is. */
export function requireAll({ grants }: Pick<Caller, 'grants'>): void {
  if (isGranted(grants, 'feedback', '*')) return;
  throw new ToolError('forbidden', 'This key may not do everything in feedback; use one that may.');
}
