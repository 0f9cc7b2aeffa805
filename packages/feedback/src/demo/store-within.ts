/** A store whose every transaction is part of one that is open already: all of the demo comes, or nothing. */
import type { Store, StoreTransaction } from '@parley/store';

/** The store as it looks from within a transaction. */
export function storeWithin(store: Store, tx: StoreTransaction): Store {
  return {
    engine: store.engine,
    signal: store.signal,
    secrets: store.secrets,
    records: store.records,
    databases: store.databases,
    presence: store.presence,
    spending: store.spending,
    figures: () => store.figures(),
    db: <Tables>() => tx.db<Tables>(),
    transaction: (work) => work(tx),
    now: () => store.now(),
    snapshot: (work) => work(tx),
    flush: () => store.flush(),
    letWritersThrough: () => store.letWritersThrough(),
    migrate: (sets) => store.migrate(sets),
    pending: (sets) => store.pending(sets),
    backup: (targetDir) => store.backup(targetDir),
    ping: () => store.ping(),
    // The code that opened it closes it.
    close: () => Promise.resolve(),
  };
}
