/** Owns what things of one screen are called on others: connections, keys, agents and people, as far as one may list them. */
import { useQuery } from '@tanstack/react-query';
import { callTool } from './call-tool.ts';
import { useHeldTools } from './held-tools.ts';
import { request } from './request.ts';
import { useSession } from './session.ts';

/** Something by its id, and its name. */
export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A member, with the id of the person. */
export interface NamedPerson extends Named {
  readonly userId: string;
}

const NONE: readonly Named[] = [];
const NOBODY: readonly NamedPerson[] = [];
const MOST = 1000;
const MOST_MEMBERS = 500;
const FRESH_MS = 60_000;

/** Connections and virtual MCPs by their titles. */
export function useNamedConnections(): readonly Named[] {
  const has = useHeldTools('self');
  const { data } = useQuery({
    queryKey: ['connections', 'brief'],
    queryFn: async ({ signal }) => {
      const { items } = await callTool<{ items: { id: string; title: string }[] }>(
        'self',
        'COLLECTION_CONNECTIONS_LIST',
        { limit: MOST, include_virtual: true },
        { signal },
      );
      return items.map(({ id, title }) => ({ id, name: title }));
    },
    enabled: has('COLLECTION_CONNECTIONS_LIST'),
    staleTime: FRESH_MS,
    retry: false,
  });
  return data ?? NONE;
}

/** The keys that the person may list. */
export function useNamedKeys(): readonly Named[] {
  const orgId = useSession().organization.id;
  const has = useHeldTools('self');
  const { data } = useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => request('GET /api/organizations/{orgId}/keys', { path: { orgId }, signal }),
    enabled: has('API_KEY_LIST'),
    staleTime: FRESH_MS,
    retry: false,
  });
  return data ?? NONE;
}

/** The agents, for those who have their screen. */
export function useNamedAgents(): readonly Named[] {
  const { rail } = useSession();
  const { data } = useQuery({
    queryKey: ['agents', 'list'],
    queryFn: ({ signal }) => request('GET /api/agents', { signal }),
    enabled: rail.includes('agents'),
    retry: false,
  });
  return data ?? NONE;
}

/** The first people of the team, with the id of each as a person. */
export function useNamedPeople(): readonly NamedPerson[] {
  const orgId = useSession().organization.id;
  const has = useHeldTools('self');
  const { data } = useQuery({
    queryKey: ['members', 'names'],
    queryFn: async ({ signal }) => {
      const query = { team: true, limit: MOST_MEMBERS };
      const given = { path: { orgId }, query, signal };
      return (await request('GET /api/organizations/{orgId}/members', given)).members;
    },
    enabled: has('ORGANIZATION_MEMBER_LIST'),
    staleTime: FRESH_MS,
    retry: false,
  });
  return data ?? NOBODY;
}
