/** Owns reading recorded calls: lists by the filters in the address, one call, rates, errors. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { readHead, useCalmLive } from '../../api/calm-live.ts';
import { queryText } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import type { Call, CallErrors, CallPage, CallRates } from '../../api/schema.ts';
import { orderOf } from '../../ui/server-order.ts';
import type { Search } from '../../ui/use-screen.ts';
import { timesOf } from './time-range.ts';

/** One line of the list. */
export type CallLine = CallPage['calls'][number];

/** A call inside another one. */
export type NestedCall = Call['calls'][number];

/** Figures of calls. */
export type CallStats = CallRates['stats'];

/** Figures of one tool. */
export type ToolRate = CallRates['tools'][number];

/** Alike failures. */
export type ErrorGroup = CallErrors['groups'][number];

/** The filters that stand in the address under the names of the route. */
export const FILTER_NAMES = [
  'tool',
  'connection',
  'caller',
  'user',
  'source',
  'effect',
  'outcome',
  'code',
  'virtualMcp',
  'request',
  'minMs',
] as const;

/** What stays when one goes from one part of the screen to another. */
export const KEPT_NAMES = [...FILTER_NAMES, 'q', 'time'];

type Filters = Readonly<Record<string, string | undefined>>;

/** The filters of the address as the routes take them; the time is worked out when it is asked. */
export function filtersOf(search: Search): Filters {
  const named = Object.fromEntries(FILTER_NAMES.map((name) => [name, search[name]]));
  return { ...named, text: search['q'] };
}

const PAGE = 100;
// Who goes on is looking for something far away.
const NEXT_PAGE = 200;
// Often enough to see a call come, and seldom enough to read the others.
const LIST_MS = 1_000;
const FIGURES_MS = 5_000;

const HEAD = {
  rowsOf: (page: CallPage) => page.calls,
  withRows: (page: CallPage, calls: readonly CallLine[]) => ({ ...page, calls }),
  keyOf: (call: CallLine) => call.id,
};

/** The calls that fit, page by page. */
export function useCalls(search: Search) {
  const filters = filtersOf(search);
  const order = orderOf(search, 'when');
  // Not under the topic itself: with every call all pages would be read again.
  const queryKey = ['call-list', filters, search['time'], order];
  const read = (before?: string, signal?: AbortSignal) =>
    request('GET /api/calls', {
      query: {
        ...filters,
        ...timesOf(search['time']),
        before,
        order,
        limit: before === undefined ? PAGE : NEXT_PAGE,
      },
      signal,
    });
  useCalmLive('calls', LIST_MS, async () => {
    // From the other end, what is new comes last.
    if (order === undefined) await readHead({ queryKey, read: () => read(), ...HEAD });
  });
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.hasMore ? last.calls.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Figures of the calls that fit. */
export function useRates(search: Search, parts: number): UseQueryResult<CallRates> {
  const filters = filtersOf(search);
  const queryKey = ['call-rates', filters, search['time'], parts];
  useCalmLive('calls', FIGURES_MS, () => queryClient.invalidateQueries({ queryKey }));
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      request('GET /api/calls/rates', {
        query: { ...filters, ...timesOf(search['time']), parts },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** What failed. */
export function useErrors(search: Search) {
  const { outcome, ...filters } = filtersOf(search);
  const isFailure = outcome === 'error' || outcome === 'denied';
  const queryKey = ['call-errors', filters, outcome, search['time']];
  useCalmLive('calls', FIGURES_MS, () => queryClient.invalidateQueries({ queryKey }));
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      request('GET /api/calls/errors', {
        query: { ...filters, ...(isFailure && { outcome }), ...timesOf(search['time']) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** One call; what is recorded does not change. */
export function useCall(id: string): UseQueryResult<Call> {
  return useQuery({
    queryKey: ['call', id],
    queryFn: ({ signal }) => request('GET /api/calls/{callId}', { path: { callId: id }, signal }),
  });
}

/** The address of a file of all that fit. */
export function exportHref(search: Search, format: 'jsonl' | 'csv'): string {
  return `/api/calls/export${queryText({ ...filtersOf(search), ...timesOf(search['time']), format })}`;
}
