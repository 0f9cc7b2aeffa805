/** Owns the schedules of an agent: when they run, how it went, pause, resume and run now. */
import { useQueryClient } from '@tanstack/react-query';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import { tellSchedule, timingText, useSchedules } from './queries.ts';
import type { Schedule } from './queries.ts';

export function SchedulesTab({ id }: { readonly id: string }) {
  const query = useSchedules(id);
  if (query.isPending) return <Skeleton rows={4} />;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (query.data.length === 0)
    return (
      <EmptyState title="No schedules">The agent makes them with its own tool for schedules.</EmptyState>
    );
  return (
    <ul className="agents-list">
      {query.data.map((schedule) => (
        <Line key={schedule.id} agentId={id} schedule={schedule} />
      ))}
    </ul>
  );
}

function Line({ agentId, schedule }: { readonly agentId: string; readonly schedule: Schedule }) {
  const client = useQueryClient();
  const tell = useAct((what: 'pause' | 'resume' | 'run') => tellSchedule(agentId, schedule.id, what), {
    onDone() {
      toast({ text: 'Done.' });
      detach(client.invalidateQueries({ queryKey: ['schedules'] }), reportError);
    },
  });
  const isActive = schedule.status === 'active';
  return (
    <li>
      <div className="grow stack">
        <span className="row-wrap">
          <strong dir="auto">{schedule.name}</strong>
          <StateBadge state={schedule.status} />
        </span>
        <span className="muted">
          {timingText(schedule.timing)}
          {schedule.next_run_at !== null && (
            <>
              , next <When at={schedule.next_run_at} />
            </>
          )}
        </span>
        <span className="faint">
          {schedule.runs} runs{schedule.failures > 0 && `, ${schedule.failures} failures in a row`}
        </span>
      </div>
      <Button size="s" isBusy={tell.isBusy} onClick={() => tell.run('run')}>
        Run now
      </Button>
      <Button size="s" isBusy={tell.isBusy} onClick={() => tell.run(isActive ? 'pause' : 'resume')}>
        {isActive ? 'Pause' : 'Resume'}
      </Button>
    </li>
  );
}
