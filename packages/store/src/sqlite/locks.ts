/** Locks on SQLite: a transaction of the store holds the only write lock there is, and so everything. */
import type { Locks } from '../locks.ts';

/** Nothing is left to lock. */
export const sqliteLocks: Locks = {
  locked: (query) => query,
  async hold() {},
  async exclusive() {},
  async shared() {},
  tryExclusive: async () => true,
};
