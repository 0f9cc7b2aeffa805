/** The seam between the store and a database engine; `sqlite/` and `postgres/` each implement it. */
import type { Kysely, Transaction } from 'kysely';
import type { DatabaseEngine } from './databases/connection-databases.ts';
import type { Locks } from './locks.ts';
import type { RecordTable } from './records/record-table.ts';
import type { SignalLink } from './signals/change-signal.ts';
import type { StoreEngine } from './store.ts';

/** Tables of other packages are not known here, so their queries are typed where they are written. */
// oxlint-disable-next-line typescript/no-explicit-any -- each caller names its own tables
export type AnyTables = any;

/** What an engine is told when it is opened. */
export interface EngineOptions {
  readonly dataDir: string;
  /** Names this process in the signals it sends, so that it can skip its own. */
  readonly origin: string;
  /** How large the database of a connection may grow. */
  readonly databaseBytes: number;
  readonly clock: () => number;
  readonly onError: (error: unknown) => void;
}

/** One database engine. */
export interface Engine {
  readonly name: StoreEngine;
  readonly db: Kysely<AnyTables>;
  readonly signalLink: SignalLink;
  readonly recordTable: RecordTable;
  readonly locks: Locks;
  readonly databases: DatabaseEngine;
  /** One transaction that no other process migrates beside. */
  migrationTransaction<T>(work: (trx: Transaction<AnyTables>) => Promise<T>): Promise<T>;
  /** Makes a transaction, before its first query, see one state of the database and write nothing. */
  asSnapshot(trx: Transaction<AnyTables>): Promise<void>;
  letWritersThrough(): Promise<void>;
  isMissingTable(error: unknown): boolean;
  backup(targetDir: string): Promise<string[]>;
  /** Throws when the database is not the one that was opened; before the probe writes. */
  requireThere(): Promise<void>;
  close(): Promise<void>;
}
