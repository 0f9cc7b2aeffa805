/** Owns reading recorded calls: lists by the filters in the address, one call, rates, errors. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { readHead, useCalmLive } from '../../api/calm-live.ts';
import { get, queryText } from '../../api/client.ts';
import { queryClient } from '../../api/query.ts';
import type { Effect } from '../../api/types.ts';
import type { Search } from '../../ui/use-screen.ts';
import { timesOf } from './time-range.ts';

/** One line of the list. */
export interface CallLine {
  readonly id: string;
  readonly timestamp: string;
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly effect: Effect | null;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
  readonly durationMs: number;
  readonly callerId: string;
  readonly callerName: string | null;
  readonly callerSource: string;
  readonly userId: string | null;
  readonly userName: string | null;
  readonly virtualMcpId: string | null;
}

/** A call inside another one. */
export interface NestedCall {
  readonly id: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly effect: Effect | null;
  readonly outcome: string;
  readonly errorCode: string | null;
  readonly durationMs: number;
  readonly startMs: number;
  readonly calls: readonly NestedCall[];
}

/** One call in full. */
export interface CallInFull extends CallLine {
  readonly method: string;
  readonly input: string | null;
  readonly output: string | null;
  readonly upstreamMs: number | null;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly userAgent: string | null;
  readonly virtualMcpTitle: string | null;
  readonly protocolVersion: string | null;
  readonly bytesIn: number | null;
  readonly bytesOut: number | null;
  readonly properties: Readonly<Record<string, string>> | null;
  readonly grant: {
    readonly resource: string;
    readonly name: string;
    readonly roles: readonly string[];
  } | null;
  readonly calls: readonly NestedCall[];
  readonly madeBy: { readonly id: string; readonly toolName: string } | null;
}

/** Figures of calls. */
export interface CallStats {
  readonly calls: number;
  readonly errors: number;
  readonly averageMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Figures of one tool. */
export interface ToolRate extends CallStats {
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
}

/** Figures over the time, and by tool. */
export interface Rates {
  readonly since: string;
  readonly until: string;
  readonly stepMs: number;
  readonly stats: CallStats;
  readonly points: readonly (CallStats & { readonly at: string })[];
  readonly tools: readonly ToolRate[];
  readonly partial: boolean;
}

/** Alike failures. */
export interface ErrorGroup {
  readonly connectionId: string;
  readonly connectionTitle: string | null;
  readonly toolName: string;
  readonly outcome: string;
  readonly code: string | null;
  readonly count: number;
  readonly callers: number;
  readonly first: string;
  readonly last: string;
  readonly lastId: string;
  readonly message: string | null;
}

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

interface CallPage {
  readonly calls: readonly CallLine[];
  readonly hasMore: boolean;
}

const HEAD = {
  rowsOf: (page: CallPage) => page.calls,
  withRows: (page: CallPage, calls: readonly CallLine[]) => ({ ...page, calls }),
  keyOf: (call: CallLine) => call.id,
};

/** The calls that fit, page by page. */
export function useCalls(search: Search) {
  const filters = filtersOf(search);
  // Not under the topic itself: with every call all pages would be read again.
  const queryKey = ['call-list', filters, search['time']];
  const read = (before?: string, signal?: AbortSignal) =>
    get<CallPage>('/api/calls', {
      query: {
        ...filters,
        ...timesOf(search['time']),
        before,
        limit: before === undefined ? PAGE : NEXT_PAGE,
      },
      signal,
    });
  useCalmLive('calls', LIST_MS, () => readHead({ queryKey, read: () => read(), ...HEAD }));
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined, // The first page has no cursor
    getNextPageParam: (last) => (last.hasMore ? last.calls.at(-1)?.id : undefined),
    placeholderData: keepPreviousData,
  });
}

/** Figures of the calls that fit. */
export function useRates(search: Search, parts: number): UseQueryResult<Rates> {
  const filters = filtersOf(search);
  const queryKey = ['call-rates', filters, search['time'], parts];
  useCalmLive('calls', FIGURES_MS, () => queryClient.invalidateQueries({ queryKey }));
  return useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      get<Rates>('/api/calls/rates', { query: { ...filters, ...timesOf(search['time']), parts }, signal }),
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
      get<{ groups: ErrorGroup[]; partial: boolean }>('/api/calls/errors', {
        query: { ...filters, ...(isFailure && { outcome }), ...timesOf(search['time']) },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** One call; what is recorded does not change. */
export function useCall(id: string): UseQueryResult<CallInFull> {
  return useQuery({
    queryKey: ['call', id],
    queryFn: ({ signal }) => get<CallInFull>(`/api/calls/${encodeURIComponent(id)}`, { signal }),
  });
}

/** The address of a file of all that fit. */
export function exportHref(search: Search, format: 'jsonl' | 'csv'): string {
  return `/api/calls/export${queryText({ ...filtersOf(search), ...timesOf(search['time']), format })}`;
}
