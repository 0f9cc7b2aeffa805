/** Owns what subscribers and publishers are called: connections by their title, webhooks by their address. */
import { useCallback, useMemo } from 'react';
import { useNamedConnections, useNamedKeys } from '../../api/named.ts';
import { useSession } from '../../api/session.ts';
import type { Option } from '../../ui/select.tsx';
import { useWebhooks } from './queries.ts';

/** What an id is called; ids that nobody knows stay as they are. */
export function useNames(): (id: string) => string {
  const { organization } = useSession();
  const connections = useNamedConnections();
  const { data: webhooks } = useWebhooks();
  const keys = useNamedKeys();
  const names = useMemo(
    () =>
      new Map([
        ...keys.map(({ id, name }) => [`caller/${id}`, name] as const),
        [`${organization.id}_self`, organization.name],
        ...connections.map(({ id, name }) => [id, name] as const),
        ...(webhooks ?? []).map(({ id, url }) => [id, url] as const),
      ]),
    [organization, connections, webhooks, keys],
  );
  return useCallback((id) => names.get(id) ?? id, [names]);
}

/** Whom to subscribe: the organization itself, or a connection. */
export function useSubscriberOptions(): readonly Option[] {
  const { organization } = useSession();
  const connections = useNamedConnections();
  const self = `${organization.id}_self`;
  return [
    { value: self, label: organization.name, hint: 'Waits for EVENT_ACK where no handler takes it' },
    ...connections.filter(({ id }) => id !== self).map(({ id, name }) => ({ value: id, label: name })),
  ];
}
