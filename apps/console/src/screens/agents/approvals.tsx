/** Owns what schedules of all agents wait for people to approve, and what they did lately. */
import { useQuery } from '@tanstack/react-query';
import { CalendarCheck } from 'lucide-react';
import { request } from '../../api/request.ts';
import type { Execution } from '../../api/schema.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { WaitingApproval } from '../../ui/execution-approval.tsx';
import { Page } from '../../ui/page.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';

const MOST = 100;

/** The place of approvals. */
export function ApprovalsPlace() {
  const query = useQuery({
    queryKey: ['schedules', 'executions', MOST],
    queryFn: ({ signal }) => request('GET /api/executions', { query: { limit: MOST }, signal }),
  });
  const waiting = query.data?.filter(({ status }) => status === 'waiting') ?? [];
  const others = query.data?.filter(({ status }) => status !== 'waiting') ?? [];
  return (
    <Page title="Approvals" description="What schedules of agents do only when somebody agrees.">
      {query.isPending && <Skeleton rows={4} kind="card" />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && waiting.length === 0 && (
        <EmptyState icon={<CalendarCheck />} title="Nothing waits for you">
          A schedule whose work needs a word of people first stands here when it is due.
        </EmptyState>
      )}
      {waiting.length > 0 && (
        <Card>
          <ul className="stack-l">
            {waiting.map((execution) => (
              <WaitingApproval key={execution.id} execution={execution} />
            ))}
          </ul>
        </Card>
      )}
      {others.length > 0 && (
        <Card title="Lately">
          <ExecutionList executions={others} hasNames />
        </Card>
      )}
    </Page>
  );
}

/** Executions, each with how it came out. */
export function ExecutionList({
  executions,
  hasNames,
}: {
  readonly executions: readonly Execution[];
  /** True: with the schedule that each is of. */
  readonly hasNames?: boolean;
}) {
  return (
    <ul className="agents-list">
      {executions.map((execution) => (
        <li key={execution.id}>
          <div className="grow stack">
            <span className="row-wrap">
              {hasNames && (
                <ScreenLink to={`/agents/${execution.agent_id}/schedules`}>{execution.schedule}</ScreenLink>
              )}
              <StateBadge state={execution.status} />
              <span className="faint">
                <When at={execution.due_at} />
              </span>
            </span>
            {execution.result !== null && execution.result !== '' && (
              <p className="agents-text small muted" dir="auto">
                {execution.result}
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
