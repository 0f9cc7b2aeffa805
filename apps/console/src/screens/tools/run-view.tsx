/** Owns showing a run: how far it is, what it asks, what came of it, and the messages as they were. */
import { useState } from 'react';
import { toolError } from '../../api/call-tool.ts';
import type { Tool } from '../../api/schema.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Progress } from '../../ui/progress.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { durationText } from '../../ui/when.tsx';
import { useCallers } from './queries.ts';
import { QuestionForm } from './question-form.tsx';
import { ResultView } from './result-view.tsx';
import type { Run, RunState } from './use-run.ts';

const WORDS: Readonly<Record<RunState, string>> = {
  running: 'running',
  asking: 'waiting',
  done: 'done',
  failed: 'failed',
  stopped: 'stopped',
  task: 'running',
};

/** The run. */
export function RunView({
  tool,
  run,
  onAnswer,
  onStop,
}: {
  readonly tool: Tool;
  readonly run: Run;
  readonly onAnswer: (responses: Readonly<Record<string, unknown>>) => void;
  readonly onStop: () => void;
}) {
  const [tab, setTab] = useState<'result' | 'log' | 'raw'>('result');
  return (
    <section className="tools-run" aria-label="The run" aria-live="polite">
      <div className="row-wrap">
        <StateBadge state={WORDS[run.state]} />
        {run.durationMs !== undefined && <span className="muted number">{durationText(run.durationMs)}</span>}
        {run.as !== undefined && <As id={run.as} />}
      </div>
      {run.state === 'running' && (
        <div className="stack">
          <Progress
            done={run.progress?.done ?? 0}
            total={run.progress?.total}
            label={run.progress?.message ?? 'Running'}
          />
          {run.progress !== undefined && <div className="small muted">{progressText(run.progress)}</div>}
        </div>
      )}
      {run.question && <QuestionForm question={run.question} onAnswer={onAnswer} onStop={onStop} />}
      {run.state !== 'asking' && (
        <Tabs
          label="The run"
          value={tab}
          onChange={setTab}
          tabs={[
            { id: 'result', label: 'Result', content: <Outcome tool={tool} run={run} /> },
            ...(run.logs.length > 0
              ? [
                  {
                    id: 'log' as const,
                    label: 'Log',
                    count: run.logs.length,
                    content: <Log logs={run.logs} />,
                  },
                ]
              : []),
            { id: 'raw', label: 'Raw', content: <Raw run={run} /> },
          ]}
        />
      )}
    </section>
  );
}

function progressText({ done, total, message }: NonNullable<Run['progress']>): string {
  const count = typeof total === 'number' ? `${done} of ${total}` : String(done);
  return message ? `${message} (${count})` : count;
}

function Outcome({ tool, run }: { readonly tool: Tool; readonly run: Run }) {
  if (run.state === 'running') return <p className="muted">The result shows here.</p>;
  if (run.state === 'stopped')
    return <p className="muted">It was stopped. What it had done by then stays done.</p>;
  if (run.task) return <TaskLink task={run.task} />;
  if (run.error) return <Failure code={run.error.code} message={run.error.message} />;
  if (!run.result) return null;
  if (run.result.isError) {
    const { code, message } = toolError(run.result);
    return (
      <div className="stack">
        <Failure code={code} message={message} />
        {run.result.structuredContent !== undefined && run.result.structuredContent !== null && (
          <JsonView value={run.result.structuredContent} />
        )}
      </div>
    );
  }
  return <ResultView tool={tool} result={run.result} args={run.args} />;
}

function Failure({ code, message }: { readonly code: string; readonly message: string }) {
  return (
    <div className="tools-failure" role="alert">
      <div className="tools-failure-text">{message}</div>
      <div className="small mono">{code}</div>
    </div>
  );
}

function TaskLink({ task }: { readonly task: Record<string, unknown> }) {
  const id =
    typeof task['taskId'] === 'string'
      ? task['taskId']
      : typeof task['id'] === 'string'
        ? task['id']
        : undefined;
  return (
    <div className="stack">
      <p>It goes on as a task, also when this page is closed.</p>
      {id !== undefined && (
        <div>
          <ScreenLink to={`/tasks/${encodeURIComponent(id)}`} isButton>
            Follow the task
          </ScreenLink>
        </div>
      )}
      <JsonView value={task} />
    </div>
  );
}

function Log({ logs }: { readonly logs: readonly unknown[] }) {
  return (
    <ol className="tools-log mono">
      {logs.map((line, index) => (
        <li key={index}>{typeof line === 'string' ? line : JSON.stringify(line)}</li>
      ))}
    </ol>
  );
}

function Raw({ run }: { readonly run: Run }) {
  return (
    <div className="stack">
      {run.exchange.map(({ way, body }, index) => (
        <div key={index}>
          <div className="small muted">{way === 'sent' ? 'Sent' : 'Came'}</div>
          <JsonView value={body} openDepth={2} />
        </div>
      ))}
    </div>
  );
}

/** By name; who was chosen stands in the list that was chosen from. */
function As({ id }: { readonly id: string }) {
  const { data = [] } = useCallers();
  return <span className="muted">as {data.find((caller) => caller.id === id)?.name ?? id}</span>;
}
