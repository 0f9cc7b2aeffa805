/** Owns approving schedules on Home: the newest of those that wait. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { Card } from '../../ui/card.tsx';
import { WaitingApproval } from '../../ui/execution-approval.tsx';

const MOST = 5;

/** The executions that wait, the newest first. */
export function Approvals() {
  const { data } = useQuery({
    queryKey: ['schedules', 'waiting', MOST],
    queryFn: () => request('GET /api/executions', { query: { status: 'waiting', limit: MOST } }),
  });
  if (!data || data.length === 0) return null;
  return (
    <Card title="Schedules ask for your approval">
      <ul className="stack-l">
        {data.map((execution) => (
          <WaitingApproval key={execution.id} execution={execution} />
        ))}
      </ul>
    </Card>
  );
}
