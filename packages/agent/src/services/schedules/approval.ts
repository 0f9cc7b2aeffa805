/** Who has to agree before a schedule does what it says. */
import { asksForWork } from '../messages/send.ts';
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

const SENDS: ReadonlySet<ActionType> = new Set<ActionType>(['send_message', 'council_launch']);

/** A message that makes a work task is one. */
function asksOwner({ type, message = '' }: ScheduleAction): boolean {
  return ASKS_OWNER.has(type) || (SENDS.has(type) && asksForWork(message));
}

/** Whose word an execution needs. */
export function approvalOf(
  { policy, by_web, unattended }: Pick<ScheduleRow, 'policy' | 'by_web' | 'unattended'>,
  actions: readonly ScheduleAction[],
): Approval {
  if (policy === 'council_approve') return 'council';
  if (unattended === 1) return 'one';
  // `auto` is a person's to give.
  if (policy === 'auto' && by_web === 1) return 'none';
  return actions.some(asksOwner) ? 'one' : 'none';
}

const COUNCIL = 2;

/** How many different people have to say yes, where so many are there. */
export function approvalsNeeded(approval: Approval, people: number): number {
  if (approval === 'none') return 0;
  return approval === 'council' ? Math.max(1, Math.min(COUNCIL, people)) : 1;
}
