/** Owns reading bundles: those of the organization, those of an agent, and the names that lists can hold. */
import { useQuery } from '@tanstack/react-query';
import { request } from '../../api/request.ts';
import { useAgents, useTools } from './queries.ts';

export function useBundles() {
  return useQuery({
    queryKey: ['agents', 'bundles'],
    queryFn: ({ signal }) => request('GET /api/skill-bundles', { signal }),
  });
}

export function useSkills(id: string) {
  return useQuery({
    queryKey: ['agents', 'skills', id],
    queryFn: ({ signal }) => request('GET /api/agents/{id}/skills', { path: { id }, signal }),
  });
}

/** Every name of a tool that an agent could have: those that there are, and those that a list has already. */
export function useToolNames(listed: readonly string[]): readonly string[] {
  const first = useAgents().data?.[0]?.id;
  const { data } = useTools(first ?? '', { source: 'web', isUnattended: false }, first !== undefined);
  const bundles = useBundles().data ?? [];
  const names = [
    ...(data?.tools ?? []),
    ...(data?.removed ?? []).map(({ name }) => name),
    ...bundles.flatMap(({ tools }) => tools),
    ...listed,
  ];
  return [...new Set(names)].toSorted();
}
