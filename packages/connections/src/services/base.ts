/** What the services of connections stand on, and how each change of theirs is told. */
import type { Events } from '@parley/events';
import type { Caller } from '@parley/kit';
import type { Store, StoreTransaction } from '@parley/store';
import type { ConnectionType } from '../schema.ts';
import { selfConnectionId } from '../self-connection.ts';
import type { Upstream } from '../upstream.ts';

/** Looks at code without running it; throws `invalid`, with line and column, when it cannot be read. */
export type CheckCode = (code: string) => Promise<void>;

/** What the services are made from. */
export interface Base {
  readonly store: Store;
  readonly events: Pick<Events, 'publish'>;
  readonly upstream: Upstream;
  readonly checkCode: CheckCode;
  /** Connects to this server itself as the caller would; throws when it does not answer. */
  readonly ownServer: (caller: Caller) => Promise<void>;
  readonly now: () => number;
}

/** The topic under which a change of connections is announced; the payload is the organization. */
export const CONNECTIONS_CHANGED = 'connections';

/** What the event of a change tells. */
export interface Changed {
  readonly id: string;
  readonly title: string;
  readonly connection_type: ConnectionType;
}

/** Announces a change to subscribers and to other processes; the last part of a transaction. */
export async function announce(
  { events }: Base,
  tx: StoreTransaction,
  what: 'created' | 'updated' | 'deleted',
  { organizationId, ...changed }: Changed & { readonly organizationId: string },
): Promise<void> {
  const { id, title, connection_type } = changed;
  await tx.signal(CONNECTIONS_CHANGED, organizationId);
  await events.publish(tx, {
    organizationId,
    source: selfConnectionId(organizationId),
    type: `connection.${what}`,
    subject: id,
    data: { id, title, connection_type },
    orderKey: id,
  });
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
