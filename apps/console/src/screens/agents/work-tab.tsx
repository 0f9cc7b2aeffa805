/** Owns the work tasks of an agent: what it does on branches of its own, given to it and cancelled here. */
import { useQuery } from '@tanstack/react-query';
import { Hammer, Plus } from 'lucide-react';
import { useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import { request } from '../../api/request.ts';
import type { Agent, WorkList } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ConfirmDelete, Dialog } from '../../ui/dialog.tsx';
import { Field, TextArea } from '../../ui/field.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { When } from '../../ui/when.tsx';
import { callAs, useProjects } from './queries.ts';

type WorkTask = WorkList['tasks'][number];

const OVER: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);

export function WorkTab({ agent }: { readonly agent: Agent }) {
  const [isMaking, setMaking] = useState(false);
  const query = useQuery({
    queryKey: ['agents', 'work', agent.id],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/work', { path: { id: agent.id }, signal }),
  });
  const tasks = query.data?.tasks ?? [];
  const make = (
    <Button icon={<Plus />} onClick={() => setMaking(true)}>
      New work task
    </Button>
  );
  return (
    <div className="stack agents-part">
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && tasks.length === 0 && (
        <EmptyState icon={<Hammer />} title="No work tasks" action={make}>
          A work task is something to do on the code of a project, on a branch of its own, and checked there.
        </EmptyState>
      )}
      {tasks.length > 0 && (
        <>
          <div>{make}</div>
          <ul className="agents-list">
            {tasks.map((task) => (
              <WorkEntry key={task.task_id} agentId={agent.id} task={task} />
            ))}
          </ul>
        </>
      )}
      {isMaking && <NewWork agent={agent} onClose={() => setMaking(false)} />}
    </div>
  );
}

function WorkEntry({ agentId, task }: { readonly agentId: string; readonly task: WorkTask }) {
  const [isAsking, setAsking] = useState(false);
  const project = useProjects().find(({ id }) => id === task.project_id)?.name;
  const path = { id: agentId, taskId: task.task_id };
  const cancel = useAct(() => request('POST /api/agents/{id}/work/{taskId}/cancel', { path }), {
    onDone() {
      setAsking(false);
      makeOld('agents');
    },
  });
  return (
    <li className="agents-line">
      <div className="grow stack">
        <span className="row-wrap">
          <StateBadge state={task.status} />
          {project !== undefined && <span className="muted">{project}</span>}
          <span className="faint">
            <When at={task.finished_at ?? task.created_at} />
          </span>
          {task.iterations > 1 && <span className="faint number">{task.iterations} tries</span>}
        </span>
        <p className="agents-text" dir="auto">
          {task.description}
        </p>
        {task.branch !== null && (
          <span className="row">
            <code className="truncate">{task.branch}</code>
            <CopyButton text={task.branch} label="Copy the branch" />
          </span>
        )}
        {task.error !== null && <p className="agents-text agents-bad">{task.error}</p>}
        {task.reply !== null && (
          <p className="agents-text muted" dir="auto">
            {task.reply}
          </p>
        )}
      </div>
      {!OVER.has(task.status) && (
        <Button size="s" onClick={() => setAsking(true)}>
          Cancel
        </Button>
      )}
      <ConfirmDelete
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        isBusy={cancel.isBusy}
        onConfirm={() => cancel.run()}
        confirmText="Cancel the work"
        keepText="Go on"
        title="Cancel this work?"
      >
        <p>What was done so far stays on its branch.</p>
      </ConfirmDelete>
    </li>
  );
}

function NewWork({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) {
  const projects = useProjects();
  const [project, setProject] = useState(agent.default_project_id ?? undefined);
  const [description, setDescription] = useState('');
  const make = useAct(
    () =>
      callAs(agent.id, 'corvid_create_work_task', {
        description: description.trim(),
        ...(project !== undefined && { project_id: project }),
      }),
    {
      isQuiet: true,
      onDone() {
        makeOld('agents');
        onClose();
      },
    },
  );
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => description.trim() !== '' && make.run()}
      title={`Work for ${agent.name}`}
      description="It is done on a branch of its own, in a project that the agent reaches."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={make.isBusy} disabled={description.trim() === ''}>
            Give it
          </Button>
        </>
      }
    >
      <div className="stack">
        <Field label="Project">
          <Select
            value={project}
            onChange={setProject}
            options={projects.map(({ id, name }) => ({ value: id, label: name }))}
            placeholder="The default project of the agent"
          />
        </Field>
        <Field label="What is to be done" isRequired error={make.error?.message}>
          <TextArea rows={5} value={description} onText={setDescription} maxLength={16_384} />
        </Field>
      </div>
    </Dialog>
  );
}
