/** Owns reading what several screens of feedback need: boards, statuses, tags, roadmaps, the team, settings. */
import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { ApiError, get } from '../../../api/client.ts';
import { queryClient } from '../../../api/query.ts';
import { useSession } from '../../../api/session.ts';
import type { Board, Member, Roadmap, Settings, Status, Tag } from './types.ts';

/** Where the API of feedback is. */
export const API = '/api/v1';

/** The start of every key of feedback: the topic of the live stream. */
export const TOPIC = 'posts';

function useList<T>(noun: string): UseQueryResult<readonly T[]> {
  return useQuery({
    queryKey: [TOPIC, noun],
    queryFn: ({ signal }) => get<readonly T[]>(`${API}/${noun}`, { signal }),
  });
}

/** All boards in their order. */
export const useBoards = () => useList<Board>('boards');
/** All statuses: active, complete, closed. */
export const useStatuses = () => useList<Status>('statuses');
/** All tags by name. */
export const useTags = () => useList<Tag>('tags');
/** All roadmaps in their order. */
export const useRoadmaps = () => useList<Roadmap>('roadmaps');
/** Who is on the team. */
export const useTeam = () => useList<Member>('members');

/** Whether the public pages are on, and how they look. */
export function useSettings(): UseQueryResult<Settings> {
  return useQuery({
    queryKey: [TOPIC, 'settings'],
    queryFn: ({ signal }) => get<Settings>(`${API}/settings`, { signal }),
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
