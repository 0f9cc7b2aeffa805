/** Owns answering what a task asks: its form, and the way to end the task instead. */
import type { TaskInFull } from '../../api/schema.ts';
import { makeOld } from '../../api/make-old.ts';
import { useAct } from '../../api/use-act.ts';
import { useAsking } from '../../ui/asking.tsx';
import { QuestionForm } from '../tools/question-form.tsx';
import '../tools/tools.css';
import { answerTask, cancelTask } from './queries.ts';

/** Asks before a task is cancelled; `dialog` belongs on the screen. */
export function useCancelling({ id, title }: { readonly id: string; readonly title: string }) {
  const cancel = useAct(() => cancelTask(id), { onDone: () => makeOld('tasks', 'counts') });
  const asking = useAsking();
  const stop = () =>
    asking.ask({
      title: `Cancel “${title}”?`,
      gone: ['What it is doing now', 'Its result: it ends without one'],
      confirmText: 'Cancel the task',
      keepText: 'Let it run',
      onYes: () => cancel.run(),
    });
  return { stop, isBusy: cancel.isBusy, dialog: asking.dialog };
}

/** The form of a task that waits for an answer. */
export function TaskQuestion({ task, onStop }: { readonly task: TaskInFull; readonly onStop: () => void }) {
  const answer = useAct((responses: Readonly<Record<string, unknown>>) => answerTask(task.id, responses), {
    onDone: () => makeOld('tasks', 'counts'),
  });
  return (
    <QuestionForm
      key={JSON.stringify(Object.keys(task.questions))}
      question={{ inputRequests: task.questions }}
      onAnswer={(responses) => answer.run(responses)}
      onStop={onStop}
    />
  );
}
