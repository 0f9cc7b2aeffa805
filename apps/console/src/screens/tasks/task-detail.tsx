/** Owns one task: how far it is, what it asks, its steps, what it was given and what came of it. */
import { CircleCheck, CircleDashed, Moon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ContentBlock, ToolResult } from '../../api/call-tool.ts';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ShortId } from '../../ui/copy-button.tsx';
import { DetailPane, Facts } from '../../ui/detail-pane.tsx';
import { JsonView } from '../../ui/json-view.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Progress } from '../../ui/progress.tsx';
import { toast } from '../../ui/toast-store.ts';
import { durationText, When } from '../../ui/when.tsx';
import { isOpen, runAgain, useTask } from './queries.ts';
import { TaskQuestion, useCancelling } from './task-question.tsx';
import type { TaskInFull } from '../../api/schema.ts';

interface TaskDetailProps {
  readonly id: string;
  readonly onClose: () => void;
  /** Shows another task. */
  readonly onOpen: (id: string) => void;
}

export function TaskDetail({ id, onClose, onOpen }: TaskDetailProps) {
  const query = useTask(id);
  const task = query.data;
  const cancelling = useCancelling({ id, title: task?.title ?? 'the task' });
  const again = useAct(() => runAgain(id), {
    onDone({ taskId }) {
      makeOld('tasks');
      if (taskId === null) toast({ text: 'It ran and has ended already.' });
      else onOpen(taskId);
    },
  });
  return (
    <DetailPane
      title={task?.title ?? 'Task'}
      about={
        <>
          {task && <StateBadge state={task.state} />}
          <ShortId id={id} />
        </>
      }
      query={query}
      onClose={onClose}
      actions={
        task &&
        (isOpen(task) ? (
          <Button kind="danger" isBusy={cancelling.isBusy} onClick={cancelling.stop}>
            Cancel
          </Button>
        ) : (
          task.canRunAgain && (
            <Button isBusy={again.isBusy} onClick={() => again.run()}>
              Run again
            </Button>
          )
        ))
      }
    >
      {cancelling.dialog}
      {task && (
        <div className="stack tasks-detail">
          {isOpen(task) && <HowFar task={task} />}
          {task.state === 'input_required' && (
            <Part title="It asks">
              <TaskQuestion task={task} onStop={cancelling.stop} />
            </Part>
          )}
          <Facts facts={factsOf(task)} />
          {task.steps.length > 0 && <Steps task={task} />}
          {task.said.length > 0 && <WhatItSaid said={task.said} />}
          {task.error !== null && (
            <Part title="What went wrong">
              <JsonView value={task.error} />
            </Part>
          )}
          {task.result !== null && (
            <Part title="Result">
              <Result result={task.result} />
            </Part>
          )}
          {task.arguments !== null && (
            <Part title="Arguments">
              <JsonView value={task.arguments} />
            </Part>
          )}
        </div>
      )}
    </DetailPane>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack">
      <h3 className="tasks-part">{title}</h3>
      {children}
    </section>
  );
}

function HowFar({ task }: { readonly task: TaskInFull }) {
  const { done, total } = task.progress ?? { done: 0, total: null };
  return (
    <div className="stack" aria-live="polite">
      <Progress done={done} total={total} label={`Progress of ${task.title}`} />
      <span className="muted">{task.message ?? (total === null ? 'It works.' : `${done} of ${total}`)}</span>
    </div>
  );
}

function factsOf(task: TaskInFull): readonly (readonly [string, ReactNode] | false)[] {
  const endedAt = task.finishedAt;
  return [
    ['Begun by', task.owner.name],
    ['Tool', <code key="tool">{task.tool}</code>],
    ['Begun', <When key="begun" at={task.createdAt} />],
    endedAt !== null && ['Ended', <When key="ended" at={endedAt} />],
    endedAt !== null && ['Took', durationText(Date.parse(endedAt) - Date.parse(task.createdAt))],
    !isOpen(task) && task.message !== null && ['Said', task.message],
  ];
}

function Steps({ task }: { readonly task: TaskInFull }) {
  // What comes after a sleep could not begin before it was over.
  const steps = task.steps.map((step, index) => ({
    ...step,
    isDone: step.isDone || (step.kind === 'sleep' && index < task.steps.length - 1),
  }));
  return (
    <Part title={`Steps (${steps.filter(({ isDone }) => isDone).length} of ${steps.length})`}>
      <ol className="tasks-steps">
        {steps.map((step) => (
          <li key={step.key}>
            {iconOf(step)}
            <span className="grow">{step.key}</span>
            {step.attempts > 1 && <span className="faint">{step.attempts} tries</span>}
          </li>
        ))}
      </ol>
    </Part>
  );
}

/** The newest first: that is what somebody waits for. */
function WhatItSaid({ said }: Pick<TaskInFull, 'said'>) {
  return (
    <Part title="Progress">
      <ol className="tasks-said" reversed>
        {said.toReversed().map(({ at, done, total, message }, index) => (
          <li key={said.length - index}>
            <When at={at} />
            <span className="grow">{message}</span>
            <span className="faint number">{total === null ? done : `${done} of ${total}`}</span>
          </li>
        ))}
      </ol>
    </Part>
  );
}

function iconOf({ isDone, kind }: TaskInFull['steps'][number]): ReactNode {
  if (isDone) return <CircleCheck aria-label="Done" />;
  return kind === 'sleep' ? <Moon aria-label="Sleeps" /> : <CircleDashed aria-label="Not yet" />;
}

/** What a tool answered, as it looks: its data, else its texts. */
function Result({ result }: { readonly result: unknown }) {
  if (!isToolResult(result)) return <JsonView value={result} />;
  if (result.structuredContent !== undefined) return <JsonView value={result.structuredContent} />;
  return (
    <>
      {result.content.map((block, index) => (
        <Block key={index} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { readonly block: ContentBlock }) {
  if (block.type === 'text' && block.text !== undefined) return <Markdown text={block.text} />;
  return <JsonView value={block} />;
}

function isToolResult(value: unknown): value is ToolResult {
  return typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value.content);
}
