/** Owns what subscribers and publishers are called: connections by their title, webhooks by their address. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { callTool } from '../../api/call-tool.ts';
import { request } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import type { Option } from '../../ui/select.tsx';
import { useOrganizationId, useWebhooks } from './queries.ts';

interface Brief {
  readonly id: string;
  readonly title: string;
}

const MOST = 1000;

/** The connections of the organization by id and title. */
export function useConnections(): readonly Brief[] {
  const { data } = useQuery({
    queryKey: ['connections', 'brief'],
    queryFn: async ({ signal }) => {
      const { items } = await callTool<{ items: Brief[] }>(
        'self',
        'COLLECTION_CONNECTIONS_LIST',
        { limit: MOST, include_virtual: true },
        { signal },
      );
      return items.map(({ id, title }) => ({ id, title }));
    },
    staleTime: 60_000,
    retry: false,
  });
  return data ?? [];
}

/** The keys that the person may list, by id and name. */
function useKeyNames() {
  const orgId = useOrganizationId();
  return useQuery({
    queryKey: ['keys', 'names'],
    queryFn: ({ signal }) => request('GET /api/organizations/{orgId}/keys', { path: { orgId }, signal }),
    staleTime: 60_000,
    retry: false,
  });
}

/** What an id is called; ids that nobody knows stay as they are. */
export function useNames(): (id: string) => string {
  const { organization } = useSession();
  const connections = useConnections();
  const { data: webhooks } = useWebhooks();
  const { data: keys } = useKeyNames();
  const names = useMemo(
    () =>
      new Map([
        ...(keys ?? []).map(({ id, name }) => [`caller/${id}`, name] as const),
        [`${organization.id}_self`, organization.name],
        ...connections.map(({ id, title }) => [id, title] as const),
        ...(webhooks ?? []).map(({ id, url }) => [id, url] as const),
      ]),
    [organization, connections, webhooks, keys],
  );
  return useCallback((id) => names.get(id) ?? id, [names]);
}

/** Whom to subscribe: the organization itself, or a connection. */
export function useSubscriberOptions(): readonly Option[] {
  const { organization } = useSession();
  const connections = useConnections();
  const self = `${organization.id}_self`;
  return [
    { value: self, label: organization.name, hint: 'Waits for EVENT_ACK where no handler takes it' },
    ...connections.filter(({ id }) => id !== self).map(({ id, title }) => ({ value: id, label: title })),
  ];
}
