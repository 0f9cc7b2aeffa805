/** Owns reading bundles: those of the organization, those of an agent, and the names that lists can hold. */
import { useQuery } from '@tanstack/react-query';
import { get } from '../../api/client.ts';
import { pathOf, useAgents, useTools } from './queries.ts';

/** A set of tools with words for whoever gets them. */
export interface Bundle {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly prompt_additions: string;
  readonly preset: boolean;
}

/** A bundle that an agent has. */
export interface Skill {
  readonly bundle_id: string;
  readonly sort_order: number;
  readonly name: string;
  readonly tools: readonly string[];
}

export function useBundles() {
  return useQuery({
    queryKey: ['agents', 'bundles'],
    queryFn: ({ signal }) => get<readonly Bundle[]>('/api/skill-bundles', { signal }),
  });
}

export function useSkills(id: string) {
  return useQuery({
    queryKey: ['agents', 'skills', id],
    queryFn: ({ signal }) => get<readonly Skill[]>(`${pathOf(id)}/skills`, { signal }),
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
