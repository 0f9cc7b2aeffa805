/** Owns what schedules of all agents wait for people to approve, and what they did lately. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CalendarCheck } from 'lucide-react';
import { request } from '../../api/request.ts';
import type { Execution } from '../../api/schema.ts';
import { useMore } from '../../api/use-more.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { WaitingApproval } from '../../ui/execution-approval.tsx';
import { Page } from '../../ui/page.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';

const MOST = 100;

/** What waits, by itself: however much schedules did since, it is not pushed out by that. */
export function useWaitingApprovals() {
  return useInfiniteQuery({
    queryKey: ['schedules', 'waiting', 'all'],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/executions', {
        query: { status: 'waiting', limit: MOST, before: pageParam },
        signal,
      }),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.length === MOST ? last.at(-1)?.id : undefined),
  });
}

/** The place of approvals. */
export function ApprovalsPlace() {
  const query = useWaitingApprovals();
  const lately = useQuery({
    queryKey: ['schedules', 'executions', MOST],
    queryFn: ({ signal }) => request('GET /api/executions', { query: { limit: MOST }, signal }),
  });
  const more = useMore(query);
  const waiting = query.data?.pages.flat() ?? [];
  const others = lately.data?.filter(({ status }) => status !== 'waiting') ?? [];
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
          {query.hasNextPage && (
            <Button isBusy={query.isFetchingNextPage} onClick={more}>
              Show more that wait
            </Button>
          )}
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
