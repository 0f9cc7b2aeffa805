/** Owns approving what a schedule wants to do: yes or no. */
import { post } from '../api/client.ts';
import { queryClient } from '../api/query.ts';
import { useAct } from '../api/use-act.ts';
import { Button } from './button.tsx';
import { toast } from './toast-store.ts';
import { When } from './when.tsx';

/** One thing that a schedule does. */
export interface ScheduledAction {
  readonly type: string;
  readonly repos?: readonly string[];
  readonly description?: string;
  readonly message?: string;
  readonly prompt?: string;
}

/** What waits for a word of people. */
export interface WaitingExecution {
  readonly id: string;
  readonly schedule: string;
  readonly actions: readonly ScheduledAction[];
  readonly approvals: number;
  readonly approvals_needed: number;
  readonly due_at: string;
}

/** An action in words: what it was told, else what kind it is. */
export function actionText({ type, repos, description, message, prompt }: ScheduledAction): string {
  const kind = type.replaceAll('_', ' ');
  return description ?? message ?? prompt ?? (repos === undefined ? kind : `${kind} ${repos.join(', ')}`);
}

/** An execution that waits, as an entry of a list. */
export function WaitingApproval({ execution }: { readonly execution: WaitingExecution }) {
  const act = useAct(
    async (verdict: 'approve' | 'deny') => {
      await post(`/api/executions/${execution.id}/${verdict}`);
      await queryClient.invalidateQueries({ queryKey: ['schedules'] });
      await queryClient.invalidateQueries({ queryKey: ['counts'] });
      return verdict;
    },
    {
      onDone: (verdict) =>
        toast({
          text:
            verdict === 'approve'
              ? `“${execution.schedule}” is approved.`
              : `“${execution.schedule}” will not run.`,
        }),
    },
  );
  return (
    <li className="stack">
      <div>
        <span className="strong">{execution.schedule}</span>{' '}
        <span className="small faint">
          due <When at={execution.due_at} />
          {execution.approvals_needed > 1 &&
            `, ${execution.approvals} of ${execution.approvals_needed} approvals`}
        </span>
        {execution.actions.map((action, index) => (
          <div key={index} className="muted">
            {actionText(action)}
          </div>
        ))}
      </div>
      <div className="row-wrap">
        <Button size="s" kind="primary" isBusy={act.isBusy} onClick={() => act.run('approve')}>
          Approve
        </Button>
        <Button size="s" disabled={act.isBusy} onClick={() => act.run('deny')}>
          Deny
        </Button>
      </div>
    </li>
  );
}
