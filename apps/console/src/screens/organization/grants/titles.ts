/** Owns what resources of grants are called: toolsets and connections by their titles. */
import { useCallback, useMemo } from 'react';
import { useTools } from '../queries.ts';

/** The title of a resource; one that the person does not see stays as it is. */
export function useTitles(): (resource: string) => string {
  const { data } = useTools();
  const titles = useMemo(
    () => new Map((data ?? []).map(({ endpoint, endpointTitle }) => [endpoint, endpointTitle])),
    [data],
  );
  return useCallback(
    (resource) => (resource === '*' ? 'every toolset' : (titles.get(resource) ?? resource)),
    [titles],
  );
}
