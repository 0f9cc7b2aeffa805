/** Which organizations a client has connected to: the first request over MCP is written down, and told to whoever looks at the first run. */
import type { Caller } from '@parley/kit';
import { detach } from '@parley/kit';
import type { Store } from '@parley/store';
import type { ConsoleTables } from './migrations.ts';

export const CLIENTS_CHANGED = 'console.clients';

const MOST_KNOWN = 10_000;

/** Takes the caller of every request over MCP; a look into memory, but for the first one of an organization. */
export function createClientsSeen(
  store: Store,
  onFault: (error: unknown, where: string) => void,
): (caller: Caller) => void {
  const known = new Set<string>();
  return (caller) => {
    const { organizationId } = caller;
    // A connection that calls back is no client that somebody has set up.
    if (caller.connectionId !== undefined || known.has(organizationId)) return;
    // Whoever is forgotten is looked up once more.
    if (known.size >= MOST_KNOWN) known.clear();
    known.add(organizationId);
    detach(noteClient(store, organizationId), (error) => {
      known.delete(organizationId);
      onFault(error, 'clients seen');
    });
  };
}

/** Writes down that a client is there. */
export async function noteClient(store: Store, organizationId: string): Promise<void> {
  if (await hasClient(store, organizationId)) return;
  await store
    .db<ConsoleTables>()
    .insertInto('console_clients')
    .values({ organization_id: organizationId, seen_at: Date.now() })
    .onConflict((conflict) => conflict.column('organization_id').doNothing())
    .execute();
  await store.signal.publish(CLIENTS_CHANGED, organizationId);
}

/** True once a client has connected. */
export async function hasClient(store: Store, organizationId: string): Promise<boolean> {
  const row = await store
    .db<ConsoleTables>()
    .selectFrom('console_clients')
    .select('seen_at')
    .where('organization_id', '=', organizationId)
    .executeTakeFirst();
  return row !== undefined;
}
