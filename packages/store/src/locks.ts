/** Locks inside a transaction: how rows and names are held, as every engine offers it. */
import type { Kysely } from 'kysely';
import type { AnyTables } from './engine.ts';

/** A query whose rows can be locked. */
export interface Lockable {
  // oxlint-disable-next-line typescript/no-explicit-any -- each builder types the tables that it can lock itself
  forUpdate(of?: any): unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  forNoKeyUpdate(of?: any): unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  forKeyShare(of?: any): unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  forShare(of?: any): unknown;
}

/** A query that can be run for its locks alone. */
export interface Holdable extends Lockable {
  execute(): Promise<unknown>;
}

/** What rows are held for. */
export type LockPurpose = 'change' | 'write' | 'refer' | 'keep';

/** How the rows of a query are locked. */
export interface LockOptions {
  /**
   * `change`: nobody else changes or refers to them; `refer`: nobody changes them, others may refer too. `write`: nobody
   * else changes them, and who only needs that they stay goes on; `keep`: they stay, and others may change them.
   */
  readonly to?: LockPurpose;
  /** The table of a join that is meant; all of them by default. */
  readonly of?: string;
  /** Leaves out the rows that somebody else holds, instead of waiting for them. */
  readonly skipHeld?: boolean;
}

/** The locks of one engine. */
export interface Locks {
  locked<Query extends Lockable>(query: Query, options?: LockOptions): Query;
  hold(query: Holdable): Promise<void>;
  exclusive(trx: Kysely<AnyTables>, key: string): Promise<void>;
  shared(trx: Kysely<AnyTables>, key: string): Promise<void>;
  tryExclusive(trx: Kysely<AnyTables>, key: string): Promise<boolean>;
}
