/** Owns the workflows of an agent: one as a graph, its runs step by step while they go on. */
import { Play, Plus, Workflow as WorkflowIcon } from 'lucide-react';
import { useMemo, useState } from 'react';
import { makeOld } from '../../api/make-old.ts';
import type { WholeWorkflow, WholeWorkflowRun } from '../../api/schema.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import type { Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Graph } from '../../ui/graph.tsx';
import { Select } from '../../ui/select.tsx';
import { EmptyState, ErrorState, Skeleton } from '../../ui/states.tsx';
import { NewWorkflow, StartRun } from './workflow-dialogs.tsx';
import { tellWorkflow, useRun, useRuns, useWorkflow, useWorkflows } from './workflow-queries.ts';
import { RunList, RunSteps } from './workflow-runs.tsx';

export function WorkflowsTab({ id }: { readonly id: string }) {
  const query = useWorkflows(id);
  const [chosen, setChosen] = useState<string>();
  const [isMaking, setMaking] = useState(false);
  const workflows = query.data ?? [];
  // What is in use comes before what was put aside.
  const shown = chosen ?? (workflows.find(({ status }) => status === 'active') ?? workflows[0])?.id;
  const make = (
    <Button icon={<Plus />} onClick={() => setMaking(true)}>
      New workflow
    </Button>
  );
  return (
    <div className="stack agents-part">
      {query.isPending && <Skeleton rows={4} />}
      {query.error !== null && <ErrorState error={query.error} onRetry={() => query.refetch()} />}
      {query.data && workflows.length === 0 && (
        <EmptyState icon={<WorkflowIcon />} title="No workflows" action={make}>
          A workflow is a graph of steps that runs by itself and survives restarts.
        </EmptyState>
      )}
      {workflows.length > 0 && (
        <div className="row-wrap">
          <Select
            label="Workflow"
            className="agents-choice"
            value={shown}
            onChange={setChosen}
            options={workflows.map(({ id: value, name, status }) => ({ value, label: name, hint: status }))}
          />
          {make}
        </div>
      )}
      {shown !== undefined && <OneWorkflow key={shown} agentId={id} id={shown} />}
      {isMaking && <NewWorkflow agentId={id} onClose={() => setMaking(false)} onMade={setChosen} />}
    </div>
  );
}

function OneWorkflow({ agentId, id }: { readonly agentId: string; readonly id: string }) {
  const query = useWorkflow(agentId, id);
  const runs = useRuns(agentId, id);
  const [chosen, setChosen] = useState<string>();
  const [isStarting, setStarting] = useState(false);
  const runId = chosen ?? runs.data?.[0]?.id;
  const run = useRun(agentId, runId);
  const tell = useAct((action: 'activate' | 'pause') => tellWorkflow(agentId, action, id), {
    onDone: () => makeOld('agents'),
  });
  const workflow = query.data;
  if (query.error !== null) return <ErrorState error={query.error} onRetry={() => query.refetch()} />;
  if (!workflow) return <Skeleton kind="card" rows={2} />;
  const isActive = workflow.status === 'active';
  return (
    <>
      <div className="agents-line">
        <div className="grow row-wrap">
          <strong dir="auto">{workflow.name}</strong>
          <StateBadge state={workflow.status} />
          {workflow.description !== '' && (
            <span className="muted" dir="auto">
              {workflow.description}
            </span>
          )}
        </div>
        <div className="row">
          <Button
            size="s"
            kind="primary"
            icon={<Play />}
            disabled={!isActive}
            onClick={() => setStarting(true)}
          >
            Run
          </Button>
          <Button size="s" isBusy={tell.isBusy} onClick={() => tell.run(isActive ? 'pause' : 'activate')}>
            {isActive ? 'Pause' : 'Activate'}
          </Button>
        </div>
      </div>
      <WorkflowGraph workflow={workflow} steps={run.data?.nodes} />
      {runs.data && <RunList runs={runs.data} shown={runId} onChoose={setChosen} />}
      {run.data && <RunSteps run={run.data} workflow={workflow} />}
      {isStarting && (
        <StartRun
          agentId={agentId}
          workflow={workflow}
          onClose={() => setStarting(false)}
          onStarted={setChosen}
        />
      )}
    </>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  running: 'blue',
  completed: 'green',
  failed: 'red',
  cancelled: 'amber',
};

/** The graph, with where the run that is shown stands. */
function WorkflowGraph({
  workflow: { name, nodes, edges },
  steps,
}: {
  readonly workflow: WholeWorkflow;
  readonly steps: WholeWorkflowRun['nodes'] | undefined;
}) {
  const boxes = useMemo(() => {
    // A node in a loop has several; the last one counts.
    const last = new Map(steps?.map((step) => [step.node_id, step.status]));
    return nodes.map(({ id, type, label }) => {
      const status = last.get(id);
      const kind = type.replaceAll('_', ' ');
      return {
        id,
        title: label === '' ? id : label,
        text: status === undefined ? kind : `${kind}: ${status}`,
        isLive: status === 'running',
        ...(status !== undefined && TONES[status] !== undefined && { tone: TONES[status] }),
      };
    });
  }, [nodes, steps]);
  const arrows = useMemo(() => {
    const running = new Set(
      steps?.filter(({ status }) => status === 'running').map(({ node_id }) => node_id),
    );
    return edges.map(({ sourceNodeId, targetNodeId, condition, label }) => ({
      from: sourceNodeId,
      to: targetNodeId,
      isLive: running.has(targetNodeId),
      ...((label ?? condition) !== undefined && { label: label ?? condition ?? '' }),
    }));
  }, [edges, steps]);
  return <Graph nodes={boxes} edges={arrows} label={`Graph of ${name}`} heightPx={420} />;
}
