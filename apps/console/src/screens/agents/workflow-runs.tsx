/** Owns the runs of a workflow: which there were, and the steps of one. */
import type { WholeWorkflow, WholeWorkflowRun, WorkflowRun } from '../../api/schema.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { classes } from '../../ui/classes.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { durationText, When } from '../../ui/when.tsx';

/** The runs, the newest first; one is shown. */
export function RunList({
  runs,
  shown,
  onChoose,
}: {
  readonly runs: readonly WorkflowRun[];
  readonly shown: string | undefined;
  readonly onChoose: (id: string) => void;
}) {
  if (runs.length === 0) return <p className="muted">It has not run yet.</p>;
  return (
    <section className="stack" aria-label="Runs">
      <h3>Runs</h3>
      <ul className="agents-runs">
        {runs.map((run) => (
          <li key={run.id}>
            <button
              type="button"
              className={classes('agents-run', run.id === shown && 'agents-run-shown')}
              aria-pressed={run.id === shown}
              onClick={() => onChoose(run.id)}
            >
              <StateBadge state={run.status} />
              <When at={run.started_at} />
              <span className="muted number">{spentOn(run)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The steps of a run, in the order in which they began. */
export function RunSteps({
  run,
  workflow,
}: {
  readonly run: WholeWorkflowRun;
  readonly workflow: WholeWorkflow;
}) {
  const labels = new Map(workflow.nodes.map(({ id, label }) => [id, label === '' ? id : label]));
  return (
    <section className="stack" aria-label="Steps of the run">
      <h3>Steps</h3>
      {run.error !== null && <p className="agents-text agents-bad">{run.error}</p>}
      <ol className="agents-list">
        {run.nodes.map((step, index) => (
          <li key={index}>
            <div className="grow stack">
              <span className="row-wrap">
                <strong dir="auto">{labels.get(step.node_id) ?? step.node_id}</strong>
                <span className="muted">{step.type.replaceAll('_', ' ')}</span>
                <StateBadge state={step.status} />
                <span className="faint number">{spentOn(step)}</span>
              </span>
              {step.error !== null && <span className="agents-text agents-bad">{step.error}</span>}
            </div>
          </li>
        ))}
      </ol>
      {run.output !== null && run.output !== undefined && (
        <CodeBlock
          title="What it put out"
          text={typeof run.output === 'string' ? run.output : JSON.stringify(run.output, null, 2)}
          isWrapped
          isShort
        />
      )}
    </section>
  );
}

function spentOn({
  started_at: from,
  finished_at: to,
}: {
  readonly started_at: string;
  readonly finished_at: string | null;
}): string {
  return to === null ? '' : durationText(Date.parse(to) - Date.parse(from));
}
