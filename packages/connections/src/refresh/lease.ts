/** Who asks an upstream about itself: one at a time, in whichever process, and when it is asked the next time. */
import { randomUUID } from 'node:crypto';
import { detach } from '@parley/kit';
import type { Queryable, Store, StoreTransaction } from '@parley/store';
import { isForeignKeyViolation } from '@parley/store';
import type { ConnectionRefreshRow, ConnectionTables } from '../schema.ts';
import { FARTHEST_MS } from './due.ts';

/** Longer than any request of an upstream is waited for; whoever lives has it renewed long before. */
const LEASE_MS = 20_000;
/** No lease lasts longer, though clocks of processes differ: one beyond it was taken before a clock was set back. */
export const FARTHEST_LEASE_MS = 2 * 60_000;
const RENEW_EVERY_MS = 5_000;

/** The connection that is asked. */
export interface Place {
  readonly organizationId: string;
  readonly id: string;
}

/** The name under which one attempt holds a lease. */
export function newLease(): string {
  return randomUUID();
}

/** Takes the lease in the place of whoever has it, whose finding counts for nothing then. */
export async function takeLease(
  from: Queryable,
  place: Place,
  { lease, now }: { readonly lease: string; readonly now: number },
): Promise<void> {
  const { organizationId: organization_id, id: connection_id } = place;
  const held = { lease_owner: lease, lease_until: now + LEASE_MS, started_at: now };
  await from
    .db<ConnectionTables>()
    .insertInto('connection_refreshes')
    .values({ ...NEVER, connection_id, organization_id, due_at: now, ...held })
    .onConflict((conflict) =>
      conflict
        .column('connection_id')
        .doUpdateSet((row) => ({ ...held, started: row.ref('connection_refreshes.wanted') })),
    )
    .execute();
}

/**
 * Takes the lease when nobody has it; false when somebody does, or when it is not due and that is asked for, since
 * somebody else may just have finished. Outside a transaction, which a refused row would end.
 */
export async function claimLease(
  from: Store,
  place: Place,
  { lease, now, isDue = false }: { readonly lease: string; readonly now: number; readonly isDue?: boolean },
): Promise<boolean> {
  const db = from.db<ConnectionTables>();
  const { organizationId: organization_id, id: connection_id } = place;
  try {
    await db
      .insertInto('connection_refreshes')
      .values({ ...NEVER, connection_id, organization_id, due_at: now })
      .onConflict((conflict) => conflict.column('connection_id').doNothing())
      .execute();
  } catch (error) {
    // Somebody has just deleted the connection.
    if (isForeignKeyViolation(error)) return false;
    throw error;
  }
  const { numUpdatedRows } = await db
    .updateTable('connection_refreshes')
    .set((row) => ({
      lease_owner: lease,
      lease_until: now + LEASE_MS,
      started_at: now,
      started: row.ref('wanted'),
    }))
    .where('connection_id', '=', connection_id)
    .where((row) =>
      row.or([
        row('lease_until', 'is', null),
        row('lease_until', '<=', now),
        row('lease_until', '>', now + FARTHEST_LEASE_MS),
      ]),
    )
    .$if(isDue, (query) =>
      query.where((row) => row.or([row('due_at', '<=', now), row('due_at', '>', now + FARTHEST_MS)])),
    )
    .executeTakeFirstOrThrow();
  return numUpdatedRows === 1n;
}

/** One that is switched off is not asked about its change: it is due when it is switched on. */
export async function dueWhenOn(from: Queryable, connectionId: string, now: number): Promise<void> {
  await from
    .db<ConnectionTables>()
    .updateTable('connection_refreshes')
    .set({ due_at: now })
    .where('connection_id', '=', connectionId)
    .execute();
}

/** Keeps a lease for as long as the work takes; one that another has taken stays theirs. */
export async function holdingLease<T>(
  { store, connectionId, lease, now }: Holding,
  work: () => Promise<T>,
): Promise<T> {
  const renew = () =>
    store
      .db<ConnectionTables>()
      .updateTable('connection_refreshes')
      .set({ lease_until: now() + LEASE_MS })
      .where('connection_id', '=', connectionId)
      .where('lease_owner', '=', lease)
      .execute();
  // Without it the lease only ends early, and another asks as well.
  const timer = setInterval(() => detach(renew(), () => undefined), RENEW_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/** Who holds a lease, on what. */
export interface Holding {
  readonly store: Store;
  readonly connectionId: string;
  readonly lease: string;
  readonly now: () => number;
}

/** `held`: somebody asks; `lapsed`: somebody did, and is gone; `free`: whoever asked has finished. */
export async function leaseState(
  from: Queryable,
  connectionId: string,
  now: number,
): Promise<'free' | 'held' | 'lapsed'> {
  const row = await from
    .db<ConnectionTables>()
    .selectFrom('connection_refreshes')
    .select(['lease_owner', 'lease_until'])
    .where('connection_id', '=', connectionId)
    .executeTakeFirst();
  if (row === undefined || row.lease_owner === null) return 'free';
  const leftMs = (row.lease_until ?? 0) - now;
  return leftMs <= 0 || leftMs > FARTHEST_LEASE_MS ? 'lapsed' : 'held';
}

/** The row of whoever holds the lease, kept from others; undefined when it is not held under this name any more. */
export async function heldRow(
  tx: StoreTransaction,
  connectionId: string,
  lease: string,
): Promise<ConnectionRefreshRow | undefined> {
  const query = tx
    .db<ConnectionTables>()
    .selectFrom('connection_refreshes')
    .selectAll()
    .where('connection_id', '=', connectionId)
    .where('lease_owner', '=', lease);
  return tx.locked(query).executeTakeFirst();
}

/** How an attempt ended. */
export type Ending = Pick<
  ConnectionRefreshRow,
  'due_at' | 'failures' | 'failed_with' | 'failing_since' | 'empty_since' | 'pins_revision'
>;

/** Lets the lease go. What was announced after the attempt began is left for the next one. */
export async function endLease(
  tx: StoreTransaction,
  held: ConnectionRefreshRow,
  ending: Partial<Ending>,
): Promise<void> {
  await tx
    .db<ConnectionTables>()
    .updateTable('connection_refreshes')
    .set({ ...ending, lease_owner: null, lease_until: null, done: held.started })
    .where('connection_id', '=', held.connection_id)
    .execute();
  // Calls wait for it, in every process.
  if (held.started > held.done) await tx.signal(REFRESH_ENDED, `${held.started} ${held.connection_id}`);
}

/** Announced when an upstream says that it has changed; the payload is the number of it and the connection. */
export const REFRESH_ANNOUNCED = 'refresh.announced';
/** Announced when that, and all before it, has been read; with the same payload. */
export const REFRESH_ENDED = 'refresh.ended';

const NEVER = {
  lease_owner: null,
  lease_until: null,
  started_at: null,
  wanted: 0,
  started: 0,
  done: 0,
  failures: 0,
  failed_with: null,
  failing_since: null,
  empty_since: null,
  pins_revision: 0,
} satisfies Omit<ConnectionRefreshRow, 'connection_id' | 'organization_id' | 'due_at'>;
