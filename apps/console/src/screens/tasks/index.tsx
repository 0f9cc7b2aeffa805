/** Owns the screen of tasks: the live list, and one task beside it. */
import { useQueryClient } from '@tanstack/react-query';
import { ListTodo } from 'lucide-react';
import { useMemo } from 'react';
import { useAct } from '../../api/use-act.ts';
import { detach } from '../../detach.ts';
import { StateBadge } from '../../ui/badge.tsx';
import { useAsking } from '../../ui/asking.tsx';
import { Button } from '../../ui/button.tsx';
import type { Column } from '../../ui/data-table.tsx';
import { missedWords, tryEach } from '../../ui/each-of.ts';
import { ListScreen } from '../../ui/list-screen.tsx';
import { Progress } from '../../ui/progress.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useScreen } from '../../ui/use-screen.ts';
import { When } from '../../ui/when.tsx';
import { cancelTask, isOpen, STATES, useTasks } from './queries.ts';
import type { Task } from './queries.ts';
import { orderOf } from '../../ui/server-order.ts';
import { TaskDetail } from './task-detail.tsx';
import './tasks.css';

const columns: Column<Task>[] = [
  {
    id: 'title',
    header: 'Task',
    cell: (task) => <Title task={task} />,
    width: 'minmax(160px, 2fr)',
  },
  {
    id: 'state',
    header: 'State',
    cell: (task) => <StateBadge state={task.state} />,
    width: '150px',
  },
  { id: 'progress', header: 'Progress', cell: (task) => <HowFar task={task} />, width: '160px' },
  {
    id: 'owner',
    header: 'Begun by',
    cell: (task) => task.owner.name,
    width: '160px',
  },
  {
    id: 'created',
    header: 'Begun',
    isServerSorted: true,
    cell: (task) => <When at={task.createdAt} />,
    width: '120px',
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
  const { q: text, state } = screen.search;
  const query = useTasks({ state, text, order: orderOf(screen.search, 'created') });
  const client = useQueryClient();
  const cancelAll = async (tasks: readonly Task[]) => {
    const open = tasks.filter(isOpen);
    const end = await tryEach(open, ({ id }) => cancelTask(id));
    await client.invalidateQueries({ queryKey: ['tasks'] });
    const missed = missedWords(open.length, end);
    if (missed !== undefined) toast({ text: missed, tone: 'red' });
  };
  const cancel = useAct(cancelAll, { inTurn: true });
  const rows = useMemo(() => query.data?.pages.flatMap(({ tasks }) => tasks) ?? [], [query.data]);
  const asking = useAsking();
  return (
    <>
      {asking.dialog}
      <ListScreen
        title="Tasks"
        viewsOf="tasks"
        screen={screen}
        query={query}
        rows={rows}
        columns={screen.id === undefined ? columns : narrow}
        keyOf={keyOf}
        isSortedByServer
        defaultSort="-created"
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
              const open = tasks.filter(isOpen);
              asking.ask({
                title: open.length === 1 ? 'Cancel the task?' : `Cancel ${open.length} tasks?`,
                gone: [
                  ...open.slice(0, MOST_NAMED).map(({ title }) => `The result of “${title}”`),
                  ...moreOf(open),
                ],
                confirmText: open.length === 1 ? 'Cancel the task' : 'Cancel the tasks',
                keepText: 'Let them run',
                onYes: () => {
                  cancel.run(open);
                  clear();
                },
              });
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
    </>
  );
}

const MOST_NAMED = 10;
const moreOf = (tasks: readonly Task[]) =>
  tasks.length > MOST_NAMED ? [`and ${tasks.length - MOST_NAMED} more`] : [];

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
