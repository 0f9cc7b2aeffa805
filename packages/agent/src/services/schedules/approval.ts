/** Who has to agree before a schedule does what it says. */
import type { ActionType, Approval, ScheduleAction, ScheduleRow } from './schema.ts';

/** What nobody does on its own: it spends, or changes what others see. */
const ASKS_OWNER: ReadonlySet<ActionType> = new Set<ActionType>([
  'work_task',
  'github_suggest',
  'fork_repo',
  'codebase_review',
  'dependency_audit',
  'improvement_loop',
]);

/** Whose word an execution needs. */
export function approvalOf(
  { policy, by_web, unattended }: Pick<ScheduleRow, 'policy' | 'by_web' | 'unattended'>,
  actions: readonly ScheduleAction[],
): Approval {
  if (policy === 'council_approve') return 'council';
  if (unattended === 1) return 'one';
  // `auto` is a person's to give.
  if (policy === 'auto' && by_web === 1) return 'none';
  return actions.some(({ type }) => ASKS_OWNER.has(type)) ? 'one' : 'none';
}

const COUNCIL = 2;

/** How many different people have to say yes, where so many are there. */
export function approvalsNeeded(approval: Approval, people: number): number {
  if (approval === 'none') return 0;
  return approval === 'council' ? Math.max(1, Math.min(COUNCIL, people)) : 1;
}
