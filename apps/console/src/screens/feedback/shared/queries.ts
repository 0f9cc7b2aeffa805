/** Owns reading what several screens of feedback need: boards, statuses, tags, roadmaps, the team, settings. */
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ApiError } from '../../../api/client.ts';
import { queryClient } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import { useSession } from '../../../api/session.ts';
import type { Member, Settings } from './types.ts';

/** The start of every key of feedback: the topic of the live stream. */
export const TOPIC = 'posts';

function useList<T>(noun: string, read: (given: { readonly signal: AbortSignal }) => Promise<T>) {
  return useQuery({ queryKey: [TOPIC, noun], queryFn: ({ signal }) => read({ signal }) });
}

/** All boards in their order. */
export const useBoards = () => useList('boards', (given) => request('GET /api/v1/boards', given));
/** All statuses: active, complete, closed. */
export const useStatuses = () => useList('statuses', (given) => request('GET /api/v1/statuses', given));
/** All tags by name. */
export const useTags = () => useList('tags', (given) => request('GET /api/v1/tags', given));
/** All roadmaps in their order. */
export const useRoadmaps = () => useList('roadmaps', (given) => request('GET /api/v1/roadmaps', given));
const TEAM_ROWS = 100;

/** Who is on the team, as far as a list to choose from shows them; with words, those whom they fit. */
export function useTeam(words = ''): UseQueryResult<readonly Member[]> {
  return useQuery({
    queryKey: ['members', 'team', words],
    queryFn: ({ signal }) =>
      request('GET /api/v1/members', {
        query: { search: words || undefined, limit: TEAM_ROWS },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** Those of these members who are on the team, by id. */
export function useTeammates(ids: readonly (string | null)[]): ReadonlyMap<string, Member> {
  const wanted = [...new Set(ids.filter((id) => id !== null))].toSorted();
  const { data } = useQuery({
    queryKey: ['members', 'team-by-id', wanted],
    queryFn: ({ signal }) => readTeammates(wanted, signal),
    enabled: wanted.length > 0,
    placeholderData: keepPreviousData,
  });
  return useMemo(() => new Map((data ?? []).map((member) => [member.id, member])), [data]);
}

// So many ids fit into an address.
const IDS_AT_ONCE = 100;

/** Reads the team members among these ids. */
export async function readTeammates(ids: readonly string[], signal: AbortSignal): Promise<Member[]> {
  const found: Member[] = [];
  for (let at = 0; at < ids.length; at += IDS_AT_ONCE) {
    const query = { ids: ids.slice(at, at + IDS_AT_ONCE).join(','), limit: IDS_AT_ONCE };
    found.push(...(await request('GET /api/v1/members', { query, signal })));
  }
  return found;
}

/** Whether the public pages are on, and how they look. */
export function useSettings(): UseQueryResult<Settings> {
  return useQuery({
    queryKey: [TOPIC, 'settings'],
    queryFn: ({ signal }) => request('GET /api/v1/settings', { signal }),
  });
}

/** Reads again everything of feedback that is shown. */
export function refreshFeedback(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: [TOPIC] });
}

/** True for owners and administrators: they may change boards, statuses, pages and the changelog. */
export function useIsAdministrator(): boolean {
  return useSession().isAdministrator;
}

/** What is wrong with each field, as a refusal of the API says it. */
export function fieldFaults(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  if (Object.keys(error.fields).length > 0) return error.fields;
  const { details } = error;
  if (typeof details !== 'object' || details === null || !('errors' in details)) return {};
  const { errors } = details;
  if (typeof errors !== 'object' || errors === null) return {};
  return Object.fromEntries(
    Object.entries(errors).map(([field, rules]) => [
      field,
      Array.isArray(rules) ? rules.join('; ') : String(rules),
    ]),
  );
}
