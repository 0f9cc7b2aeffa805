/** The seam between the store and a database engine; `sqlite/` and `postgres/` each implement it. */
import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { SteadyClock } from './clock/steady-clock.ts';
import type { DatabaseEngine } from './databases/connection-databases.ts';
import type { LaneFigures, LaneMeter } from './figures.ts';
import type { Locks } from './locks.ts';
import type { Presence } from './presence.ts';
import type { RecordTable } from './records/record-table.ts';
import type { SignalLink } from './signals/change-signal.ts';
import type { Spending } from './spending.ts';
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
  /** PostgreSQL behind a pooler that hands connections to others between transactions. */
  readonly isPooled: boolean;
  /** PostgreSQL itself, where a pooler is before it. */
  readonly directUrl: string | undefined;
  readonly spending: Spending;
  readonly onError: (error: unknown) => void;
}

/** A statement that runs when the work of a transaction is done. */
export interface LastStatement {
  readonly query: CompiledQuery;
  /** Told the rows, after the commit where they come with it. */
  done(rows: readonly unknown[]): void;
}

/** What a transaction ends with. */
export interface LastStatements {
  readonly statements: readonly LastStatement[];
  /** Whether others go on before the disk has it. */
  readonly isEarly: boolean;
}

/** One database engine. */
export interface Engine {
  readonly name: StoreEngine;
  /** As OpenTelemetry calls it. */
  readonly system: string;
  readonly db: Kysely<AnyTables>;
  /** The same database on connections that only what ends work uses. */
  readonly endingDb: Kysely<AnyTables>;
  /** The same on connections that nobody waits for. */
  readonly tidyingDb: Kysely<AnyTables>;
  readonly signalLink: SignalLink;
  readonly recordTable: RecordTable;
  readonly locks: Locks;
  readonly databases: DatabaseEngine;
  readonly presence: Presence;
  /** The time of the database. */
  readonly clock: SteadyClock;
  readonly meters: readonly LaneMeter[];
  lanes(): readonly LaneFigures[];
  /** True when this process has written since it was asked last, or where nobody counts that. */
  hasWritten(): boolean;
  /** Runs the last statements of a transaction that commits next; where nobody else writes meanwhile, at once. */
  runLast(trx: Transaction<AnyTables>, last: LastStatements): Promise<void>;
  /** Resolves when the disk has all that was committed before. */
  flush(): Promise<void>;
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
