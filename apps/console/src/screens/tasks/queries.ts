/** Owns what the screen of tasks reads and does. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import type { TaskList } from '../../api/schema.ts';

export const STATES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** A task in the list. */
export type Task = TaskList['tasks'][number];

const PAGE = '100';

/** All tasks one may see, newest first unless it is said otherwise, page by page. */
export function useTasks({
  state,
  text,
  order,
}: {
  readonly state?: string;
  readonly text?: string;
  readonly order?: 'asc' | undefined;
}) {
  return useInfiniteQuery({
    queryKey: ['tasks', 'list', state, text, order],
    queryFn: ({ pageParam, signal }) =>
      request('GET /api/tasks', { query: { state, text, order, limit: PAGE, cursor: pageParam }, signal }),
    // The first page has no cursor; the type is that of the others.
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ cursor }) => cursor ?? undefined,
    placeholderData: keepPreviousData,
  });
}

/** One task; it is read again whenever a task changes. */
export function useTask(id: string) {
  return useQuery({
    queryKey: ['tasks', 'one', id],
    queryFn: ({ signal }) => request('GET /api/tasks/{id}', { path: { id }, signal }),
  });
}

export const cancelTask = (id: string) => request('POST /api/tasks/{id}/cancel', { path: { id } });

export const answerTask = (id: string, inputResponses: Readonly<Record<string, unknown>>) =>
  request('POST /api/tasks/{id}/answer', { path: { id }, body: { inputResponses } });

export const runAgain = (id: string) => request('POST /api/tasks/{id}/run-again', { path: { id } });

/** True while it can be cancelled. */
export function isOpen({ state }: Pick<Task, 'state'>): boolean {
  return state === 'working' || state === 'input_required';
}
