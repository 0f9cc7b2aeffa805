/** Owns approving schedules on Home: what one wants to do, yes or no. */
import { useQuery } from '@tanstack/react-query';
import { get, post } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { useAct } from '../../api/use-act.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';

interface Execution {
  readonly id: string;
  readonly schedule: string;
  readonly actions: readonly {
    readonly type: string;
    readonly description?: string;
    readonly message?: string;
    readonly prompt?: string;
  }[];
  readonly approvals: number;
  readonly approvals_needed: number;
  readonly due_at: string;
}

const MOST = 5;

/** The executions that wait, the newest first. */
export function Approvals() {
  const { data } = useQuery({
    queryKey: ['schedules', 'waiting'],
    queryFn: () => get<Execution[]>('/api/executions', { query: { status: 'waiting', limit: MOST } }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Card title="Schedules ask for your approval">
      <ul className="stack-l">
        {data.map((execution) => (
          <OneExecution key={execution.id} execution={execution} />
        ))}
      </ul>
    </Card>
  );
}

function OneExecution({ execution }: { readonly execution: Execution }) {
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
            {action.description ?? action.message ?? action.prompt ?? action.type.replaceAll('_', ' ')}
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
