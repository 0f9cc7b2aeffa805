/** Owns answering tasks on Home: the newest of those that ask something. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { Card } from '../../ui/card.tsx';
import { ScreenLink } from '../../ui/screen-link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { useTask } from '../tasks/queries.ts';
import { TaskQuestion, useCancelling } from '../tasks/task-question.tsx';

const MOST = '3';

/** The tasks that wait for an answer. */
export function TaskQuestions() {
  const { data } = useQuery({
    queryKey: ['tasks', 'asking', MOST],
    queryFn: ({ signal }) =>
      request('GET /api/tasks', { query: { state: 'input_required', limit: MOST }, signal }),
  });
  if (!data || data.tasks.length === 0) return null;
  return (
    <Card title="Tasks ask you">
      <ul className="stack-l">
        {data.tasks.map(({ id, title }) => (
          <Asking key={id} id={id} title={title} />
        ))}
      </ul>
    </Card>
  );
}

function Asking({ id, title }: { readonly id: string; readonly title: string }) {
  const { data: task, isPending } = useTask(id);
  const cancelling = useCancelling({ id, title });
  return (
    <li className="stack">
      <ScreenLink to={`/tasks/${encodeURIComponent(id)}`}>
        <bdi>{title}</bdi>
      </ScreenLink>
      {isPending && <Skeleton rows={4} />}
      {task?.state === 'input_required' && <TaskQuestion task={task} onStop={cancelling.stop} />}
      {cancelling.dialog}
    </li>
  );
}
