/** Locks on PostgreSQL: row locks, and advisory locks that end with the transaction. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { Lockable, LockOptions, Locks } from '../locks.ts';

/** The locks of a transaction. */
export const postgresLocks: Locks = {
  locked: lockedRows,
  async hold(query) {
    await lockedRows(query).execute();
  },
  async exclusive(trx, key) {
    await sql`select pg_advisory_xact_lock(${numberOf(key)})`.execute(trx);
  },
  async shared(trx, key) {
    await sql`select pg_advisory_xact_lock_shared(${numberOf(key)})`.execute(trx);
  },
  async tryExclusive(trx, key) {
    const { rows } = await sql<{
      held: boolean;
    }>`select pg_try_advisory_xact_lock(${numberOf(key)}) as held`.execute(trx);
    return rows[0]?.held === true;
  },
};

const METHODS = {
  change: 'forUpdate',
  write: 'forNoKeyUpdate',
  refer: 'forShare',
  keep: 'forKeyShare',
} as const;

function lockedRows<Query extends Lockable>(
  query: Query,
  { to = 'change', of, skipHeld = false }: LockOptions = {},
): Query {
  const locked = query[METHODS[to]](of);
  // A builder returns a builder of its own kind.
  const builder = locked as Query & { skipLocked(): Query };
  return skipHeld ? builder.skipLocked() : builder;
}

function numberOf(key: string): RawBuilder<number> {
  return sql`hashtextextended(${key}, 0)`;
}
