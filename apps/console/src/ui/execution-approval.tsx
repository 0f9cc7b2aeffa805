/** Owns approving what a schedule wants to do: yes or no. */
import { request } from '../api/request.ts';
import type { Execution } from '../api/schema.ts';
import { queryClient } from '../api/query.ts';
import { useAct } from '../api/use-act.ts';
import { Button } from './button.tsx';
import { toast } from './toast-store.ts';
import { When } from './when.tsx';

type Action = Execution['actions'][number];

/** An action in words: what it was told, else what kind it is. */
export function actionText({ type, repos, description, message, prompt }: Action): string {
  const kind = type.replaceAll('_', ' ');
  return description ?? message ?? prompt ?? (repos === undefined ? kind : `${kind} ${repos.join(', ')}`);
}

/** An execution that waits, as an entry of a list. */
export function WaitingApproval({ execution }: { readonly execution: Execution }) {
  const act = useAct(
    async (verdict: 'approve' | 'deny') => {
      await request(`POST /api/executions/{id}/${verdict}`, { path: { id: execution.id } });
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
