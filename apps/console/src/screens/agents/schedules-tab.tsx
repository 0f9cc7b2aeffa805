/** Owns the schedules of an agent: when they run in words, the next five runs, how it went, and running one now. */
import { CalendarClock, ChevronDown, ChevronRight, MoreHorizontal, Plus } from 'lucide-react';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import type { Schedule } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { Badge, StateBadge } from '../../ui/badge.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ConfirmDelete } from '../../ui/dialog.tsx';
import { actionText } from '../../ui/execution-approval.tsx';
import { Menu } from '../../ui/menu.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { When } from '../../ui/when.tsx';
import { ExecutionList } from './approvals.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import { deleteSchedule, tellSchedule, useExecutions, useSchedules } from './schedule-queries.ts';
import { useCronText } from '../../ui/cron-text.ts';
import { timeIn, timingText } from './schedule-words.ts';

export function SchedulesTab({ id }: { readonly id: string }) {
  const query = useSchedules(id);
  const [edited, setEdited] = useState<Schedule | 'new'>();
  const make = (
    <Button icon={<Plus />} onClick={() => setEdited('new')}>
      New schedule
    </Button>
  );
  return (
    <div className="stack agents-part">
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data?.length === 0 && (
        <EmptyState icon={<CalendarClock />} title="No schedules" action={make}>
          A schedule lets the agent do something later, again and again, or when an event comes.
        </EmptyState>
      )}
      {query.data && query.data.length > 0 && (
        <>
          <div>{make}</div>
          <ul className="agents-list">
            {query.data.map((schedule) => (
              <ScheduleEntry
                key={schedule.id}
                agentId={id}
                schedule={schedule}
                onEdit={() => setEdited(schedule)}
              />
            ))}
          </ul>
        </>
      )}
      {edited !== undefined && (
        <ScheduleDialog
          agentId={id}
          schedule={edited === 'new' ? undefined : edited}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  );
}

const POLICY_WORDS: Readonly<Record<Schedule['policy'], string>> = {
  auto: 'runs unasked',
  owner_approve: 'one person approves',
  council_approve: 'two people approve',
};
const TOLD = { pause: 'It rests.', resume: 'It goes on.', run: '' } as const;

function ScheduleEntry({
  agentId,
  schedule,
  onEdit,
}: {
  readonly agentId: string;
  readonly schedule: Schedule;
  readonly onEdit: () => void;
}) {
  const [isAsking, setAsking] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const tell = useAct(
    async (what: 'pause' | 'resume' | 'run') => {
      const { status } = await tellSchedule(agentId, schedule.id, what);
      return what === 'run' ? (status === 'waiting' ? 'It waits for an approval.' : 'It runs.') : TOLD[what];
    },
    {
      onDone(text) {
        toast({ text });
        makeOld('schedules', 'counts');
      },
    },
  );
  const remove = useAct(() => deleteSchedule(agentId, schedule.id), { onDone: () => makeOld('schedules') });
  const cronText = useCronText();
  const { timing } = schedule;
  const isActive = schedule.status === 'active';
  const zone = timing.kind === 'cron' ? timing.timezone : undefined;
  return (
    <li className="stack agents-schedule">
      <div className="agents-line">
        <div className="grow stack">
          <span className="row-wrap">
            <strong dir="auto">{schedule.name}</strong>
            <StateBadge
              state={schedule.status}
              tone={schedule.status === 'auto_paused' ? 'red' : undefined}
            />
            <Badge>{POLICY_WORDS[schedule.policy]}</Badge>
          </span>
          <span>
            {timingText(timing, cronText)}
            {timing.kind === 'cron' && (
              <span className="muted">
                {' '}
                in {timing.timezone} <code className="agents-cron">{timing.cron}</code>
              </span>
            )}
          </span>
          {schedule.actions.map((action, index) => (
            <span key={index} className="agents-text small muted" dir="auto">
              {action.type.replaceAll('_', ' ')}
              {actionText(action) !== action.type.replaceAll('_', ' ') && `: ${actionText(action)}`}
            </span>
          ))}
        </div>
        <div className="row">
          <Button size="s" isBusy={tell.isBusy} onClick={() => tell.run('run')}>
            Run now
          </Button>
          <Button size="s" disabled={tell.isBusy} onClick={() => tell.run(isActive ? 'pause' : 'resume')}>
            {isActive ? 'Pause' : 'Resume'}
          </Button>
          <Menu
            trigger={<IconButton size="s" label={`More about ${schedule.name}`} icon={<MoreHorizontal />} />}
            items={[
              { label: 'Edit', onSelect: onEdit },
              { label: 'Delete', isDanger: true, onSelect: () => setAsking(true) },
            ]}
          />
        </div>
      </div>
      {schedule.next_runs.length > 0 && <NextRuns runs={schedule.next_runs} zone={zone} />}
      <div>
        <Button
          size="s"
          kind="quiet"
          icon={isOpen ? <ChevronDown /> : <ChevronRight />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {schedule.runs} {schedule.runs === 1 ? 'run' : 'runs'}
          {schedule.failures > 0 && `, ${schedule.failures} failures in a row`}
        </Button>
      </div>
      {isOpen && <History agentId={agentId} id={schedule.id} />}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isBusy={remove.isBusy}
        onConfirm={() => remove.run()}
        title={`Delete the schedule “${schedule.name}”?`}
        gone={[
          'It runs no more, and what waits for an approval is cancelled',
          'What it did stays to be seen',
        ]}
      />
    </li>
  );
}

/** The next runs, by the clock of the schedule; in steps there is no zone, so it is the person's. */
function NextRuns({ runs, zone }: { readonly runs: readonly string[]; readonly zone: string | undefined }) {
  const shown = zone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return (
    <div className="small">
      <span className="muted">
        Next {runs.length === 1 ? 'run' : `${runs.length} runs`} ({shown})
      </span>
      <ol className="agents-next">
        {runs.map((at, index) => (
          <li key={at} className="number">
            {timeIn(shown, at)}
            {index === 0 && (
              <span className="muted">
                {' '}
                <When at={at} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

function History({ agentId, id }: { readonly agentId: string; readonly id: string }) {
  const query = useExecutions(agentId, id);
  if (query.isPending) return <Skeleton rows={3} />;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (query.data.length === 0) return <p className="muted small">It has not run yet.</p>;
  return <ExecutionList executions={query.data} />;
}
