/** What the services of connections stand on, and how each change of theirs is told. */
import { MANAGEMENT_EVENTS } from '@parley/events';
import type { Events } from '@parley/events';
import type { AuditLog } from '@parley/identity';
import type { Caller } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { ConnectionTables, ConnectionType } from '../schema.ts';
import type { Upstream } from '../upstream.ts';
import type { NamesThere } from './member-names.ts';

/** Looks at code without running it; throws `invalid`, with line and column, when it cannot be read. */
export type CheckCode = (code: string) => Promise<void>;

/** What the services are made from. */
export interface Base {
  readonly store: Store;
  readonly events: Pick<Events, 'publish' | 'subscribers'>;
  readonly audit: AuditLog;
  readonly upstream: Upstream;
  readonly checkCode: CheckCode;
  /** Connects to this server itself as the caller would, or to a virtual MCP of it; throws when it does not answer. */
  readonly ownServer: (caller: Caller, virtualId?: string) => Promise<void>;
  /** True for the name of a toolset that the caller's organization has. */
  readonly isToolset: (caller: Caller, name: string) => boolean;
  /** What the management tools are called, as which this server is a member of virtual MCPs; absent: nobody knows. */
  readonly ownNames?: ((caller: Pick<Caller, 'organizationId'>) => NamesThere) | undefined;
  readonly now: () => number;
  /** The port that this server itself listens on, which no connection may reach by a permission of its own. */
  readonly ownPort?: (() => number | undefined) | undefined;
}

/** The topic under which a change of connections is announced; the payload is the organization. */
export const CONNECTIONS_CHANGED = 'connections';

/** A change, and what its event tells. */
export interface Changed {
  readonly what: 'created' | 'updated' | 'deleted';
  readonly noun?: 'connection' | 'virtual_mcp';
  readonly id: string;
  readonly title: string;
  readonly connection_type: ConnectionType;
}

/** Writes a change down and announces it to subscribers and to other processes; the last part of a transaction. */
export async function announce(
  { events, audit }: Base,
  tx: StoreTransaction,
  caller: Caller,
  { what, noun = 'connection', id, title, connection_type }: Changed,
): Promise<void> {
  const { organizationId } = caller;
  await tx.signal(CONNECTIONS_CHANGED, organizationId);
  await audit.write(tx, {
    caller,
    action: `${noun}.${what}`,
    target: id,
    changed: { title, connection_type },
  });
  const { of } = MANAGEMENT_EVENTS[`connection.${what}`];
  await events.publish(tx, of({ organizationId, subject: id, data: { id, title, connection_type } }));
}

/** Tells other processes that a catalog was read; no event, since nobody changed anything. */
export async function announceCatalog(tx: StoreTransaction, organizationId: string): Promise<void> {
  await tx.signal(CONNECTIONS_CHANGED, organizationId);
}

/** Makes changes of who contains whom take turns, so that none breaks what another has just checked. */
export async function takeTurns(tx: StoreTransaction, organizationId: string): Promise<void> {
  await tx.exclusive(`connections/${organizationId}`);
}

/** Who acts, as authors of rows are written. */
export function authorOf({ userId, id }: Caller): string {
  return userId ?? id;
}

/** Lets go of what a connection has beside its row, in the transaction that deletes it. */
export async function forgetConnection(
  { store, events, now }: Base,
  tx: StoreTransaction,
  organizationId: string,
  id: string,
): Promise<void> {
  // Grants that name it stay where they are, and must not become grants on something else.
  await tx
    .db<ConnectionTables>()
    .insertInto('connection_ids_used')
    .values({ organization_id: organizationId, id, deleted_at: now() })
    .onConflict((conflict) => conflict.columns(['organization_id', 'id']).doNothing())
    .execute();
  await events.subscribers.forget(tx, organizationId, id);
  await store.databases.forget(tx, organizationId, [id]);
}
