/** Owns the screen of tasks: the live list, and one task beside it. */
import { useQueryClient } from '@tanstack/react-query';
import { ListTodo } from 'lucide-react';
import { useMemo } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { ListScreen } from '../../ui/list-screen.tsx';
import { Progress } from '../../ui/progress.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { useScreen } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { cancelTask, isOpen, STATES, useTasks } from './queries.ts';
import type { Task } from './queries.ts';
import { TaskDetail } from './task-detail.tsx';
import './tasks.css';

const columns: Column<Task>[] = [
  {
    id: 'title',
    header: 'Task',
    cell: (task) => <Title task={task} />,
    width: 'minmax(160px, 2fr)',
    sortValue: (task) => task.title,
  },
  {
    id: 'state',
    header: 'State',
    cell: (task) => <StateBadge state={task.state} />,
    width: '150px',
    sortValue: (task) => task.state,
  },
  { id: 'progress', header: 'Progress', cell: (task) => <HowFar task={task} />, width: '160px' },
  {
    id: 'owner',
    header: 'Begun by',
    cell: (task) => task.owner.name,
    width: '160px',
    sortValue: (task) => task.owner.name,
  },
  {
    id: 'created',
    header: 'Begun',
    cell: (task) => <When at={task.createdAt} />,
    width: '120px',
    sortValue: (task) => task.createdAt,
  },
];
/** What fits beside an open task. */
const narrow = columns.filter(({ id }) => id === 'title' || id === 'state');
const keyOf = (task: Task) => task.id;
const FILTERS = [
  {
    id: 'state',
    label: 'State',
    options: STATES.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
  },
];

export function Screen() {
  const screen = useScreen();
  const { q = '', state } = screen.search;
  const query = useTasks(state);
  const client = useQueryClient();
  const cancel = useAct(async (tasks: readonly Task[]) => {
    for (const task of tasks.filter(isOpen)) await cancelTask(task.id);
    await client.invalidateQueries({ queryKey: ['tasks'] });
  });
  const rows = useMemo(() => {
    const all = query.data?.pages.flatMap(({ tasks }) => tasks) ?? [];
    const text = q.toLowerCase();
    return text === '' ? all : all.filter((task) => wordsOf(task).includes(text));
  }, [query.data, q]);
  return (
    <ListScreen
      title="Tasks"
      viewsOf="tasks"
      screen={screen}
      query={query}
      rows={rows}
      columns={screen.id === undefined ? columns : narrow}
      keyOf={keyOf}
      defaultSort="-created"
      // They come so; sorting a hundred thousand again would be felt.
      isSortedByServer={screen.search['sort'] === undefined || screen.search['sort'] === '-created'}
      filters={FILTERS}
      filterPlaceholder="Task, person or message"
      onEnd={() => {
        if (query.hasNextPage && !query.isFetchingNextPage) detach(query.fetchNextPage(), reportError);
      }}
      bulk={(tasks, clear) => (
        <Button
          size="s"
          kind="danger"
          isBusy={cancel.isBusy}
          disabled={!tasks.some(isOpen)}
          onClick={() => {
            cancel.run(tasks);
            clear();
          }}
        >
          Cancel {tasks.filter(isOpen).length}
        </Button>
      )}
      empty={
        <EmptyState icon={<ListTodo />} title="No tasks yet">
          A task is work that outlives its call: an agent begins one with start_long_running_task, and it
          shows up here while it runs.
        </EmptyState>
      }
      detail={
        screen.id !== undefined && (
          <TaskDetail
            key={screen.id}
            id={screen.id}
            onClose={() => screen.open(undefined)}
            onOpen={(id) => screen.open(id)}
          />
        )
      }
    />
  );
}

function Title({ task }: { readonly task: Task }) {
  return (
    <span className="tasks-title">
      <span>{task.title}</span>
      {task.message !== null && <span className="faint">{task.message}</span>}
    </span>
  );
}

function HowFar({ task }: { readonly task: Task }) {
  if (!isOpen(task)) return null;
  const { done, total } = task.progress ?? { done: 0, total: null };
  return <Progress done={done} total={total} label={`Progress of ${task.title}`} />;
}

function wordsOf({ title, tool, message, owner }: Task): string {
  return [title, tool, message ?? '', owner.name].join(' ').toLowerCase();
}
