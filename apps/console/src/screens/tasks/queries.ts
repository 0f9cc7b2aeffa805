/** Owns what the screen of tasks reads and does. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ToolQuestion } from '../../api/call-tool.ts';
import { get, post } from '../../api/client.ts';

export const STATES = ['working', 'input_required', 'completed', 'failed', 'cancelled'] as const;

/** A task in the list. */
export interface Task {
  readonly id: string;
  readonly title: string;
  readonly toolset: string | null;
  readonly tool: string;
  readonly state: (typeof STATES)[number];
  readonly progress: { readonly done: number; readonly total: number | null } | null;
  readonly message: string | null;
  readonly owner: { readonly id: string; readonly name: string };
  readonly isOwn: boolean;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string | null;
}

/** The same with all that is known of it. */
export interface TaskInFull extends Task {
  readonly steps: readonly {
    readonly key: string;
    readonly kind: 'step' | 'sleep';
    readonly isDone: boolean;
    readonly attempts: number;
  }[];
  /** What it said on its way, the oldest first. */
  readonly said: readonly {
    readonly at: string;
    readonly done: number;
    readonly total: number | null;
    readonly message: string;
  }[];
  readonly questions: ToolQuestion['inputRequests'];
  readonly arguments: unknown;
  readonly result: unknown;
  readonly error: unknown;
  readonly canRunAgain: boolean;
}

interface Page {
  readonly tasks: readonly Task[];
  readonly cursor: string | null;
}

const PAGE = '100';

/** All tasks one may see, newest first, page by page. */
export function useTasks({ state, text }: { readonly state?: string; readonly text?: string }) {
  return useInfiniteQuery({
    queryKey: ['tasks', 'list', state, text],
    queryFn: ({ pageParam, signal }) =>
      get<Page>('/api/tasks', { query: { state, text, limit: PAGE, cursor: pageParam }, signal }),
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
    queryFn: ({ signal }) => get<TaskInFull>(pathOf(id), { signal }),
  });
}

const pathOf = (id: string) => `/api/tasks/${encodeURIComponent(id)}`;

export const cancelTask = (id: string) => post(`${pathOf(id)}/cancel`);

export const answerTask = (id: string, inputResponses: Readonly<Record<string, unknown>>) =>
  post(`${pathOf(id)}/answer`, { inputResponses });

export const runAgain = (id: string) =>
  post<{ readonly taskId: string | null; readonly result: unknown }>(`${pathOf(id)}/run-again`);

/** True while it can be cancelled. */
export function isOpen({ state }: Pick<Task, 'state'>): boolean {
  return state === 'working' || state === 'input_required';
}
