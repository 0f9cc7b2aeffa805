/** Owns which tools the person has, so that screens leave out what the server would refuse. */
import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

/** Asks whether the person has a tool of an endpoint; until it is known, nothing is there. */
export function useHeldTools(endpoint: string): (tool: string) => boolean {
  const { data } = useQuery({
    // What one may do changes with roles and members.
    queryKey: ['members', 'held-tools', endpoint],
    queryFn: async ({ signal }) => {
      const tools = await request('GET /api/tools', { query: { endpoint }, signal });
      return new Set(tools.map(({ name }) => name));
    },
  });
  return (tool) => data?.has(tool) === true;
}
