/** The face of the store: what every other package may do with the database, whatever the engine. */
import type { CompiledQuery, Kysely, Transaction } from 'kysely';
import type { Databases } from './databases/databases.ts';
import type { AnyTables } from './engine.ts';
import type { StoreFigures } from './figures.ts';
import type { Holdable, Lockable, LockOptions } from './locks.ts';
import type { MigrationSet } from './migrations.ts';
import type { Presence } from './presence.ts';
import type { RecordLog, RecordRetention } from './records/record-log.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type { ChangeSignal, SignalEvent } from './signals/change-signal.ts';
import type { Spending } from './spending.ts';

/** The database engine behind a store. */
export type StoreEngine = 'sqlite' | 'postgres';

/** Where the data lives, and the few choices that the store leaves open. */
export interface StoreOptions {
  /** Folder of the databases and of the key file; made with mode 0700 when absent. */
  readonly dataDir: string;
  /** True: a folder that holds no data of Parley is refused, and nothing is made there. */
  readonly mustExist?: boolean;
  /** True: no secret key is made for a database that holds data, since none of its secrets would open. */
  readonly keyMustFit?: boolean;
  /** PostgreSQL address; absent means SQLite in the data folder. */
  readonly databaseUrl?: string;
  /**
   * False behind a pooler that hands connections to others between transactions, such as PgBouncer in its transaction
   * mode: nothing is left on a connection then, neither statements nor limits of time. True by default.
   */
  readonly preparedStatements?: boolean;
  /** PostgreSQL without the pooler, for the connection that listens and for migrations; the same address by default. */
  readonly directUrl?: string;
  /** 32 bytes in base64url, several of them one per line with the newest first; wins over the key file. */
  readonly secretKey?: string;
  /** How long call records are kept; 30 days, ten million rows and 5 GiB by default. */
  readonly recordRetention?: RecordRetention;
  /** How large the database of a connection may grow; 256 MiB by default. */
  readonly databaseBytes?: number;
  /** Milliseconds since the epoch, instead of the clock of the database; for tests. */
  readonly clock?: () => number;
  /** Told of failures in the background: a throwing subscriber, a flush that failed, a lost connection. */
  readonly onError?: (error: unknown) => void;
}

/** Anything that queries can run on: the store itself, or a transaction. */
export interface Queryable {
  /** Shown to people, and chosen by with `byEngine`. */
  readonly engine: StoreEngine;
  /** The query builder, typed by the tables of the caller. */
  db<T>(): Kysely<T>;
}

/**
 * Which connections a transaction waits for; `ending`: those kept free for what ends or renews work that is under way;
 * `tidying`: those on which call records are written and what is old is deleted.
 */
export type Lane = 'general' | 'ending' | 'tidying';

/** How a transaction is run. */
export interface TransactionOptions {
  /** `general` by default; on SQLite all are one. */
  readonly lane?: Lane;
}

/** A statement as builders and `sql` make it. */
export interface LastQuery<Row> {
  compile(on: Kysely<AnyTables>): CompiledQuery<Row>;
}

/** A running transaction. Every query in it goes through `db()` of this object, never of the store. */
export interface StoreTransaction extends Queryable {
  db<T>(): Transaction<T>;
  /** Announces a change: delivered after the commit, never after a rollback. */
  signal(topic: string, payload?: string): Promise<void>;
  /**
   * Runs the statement when the work is done, after those that were given before. On PostgreSQL they go out together with
   * the commit: rows that others need are held by the server alone, and not by a process that may stand still. `done` is
   * told the rows, and what it returns is announced with the change.
   */
  last<Row>(query: LastQuery<Row>, done?: (rows: readonly Row[]) => readonly SignalEvent[] | undefined): void;
  /**
   * Has the commit let go of what the last statements hold before the disk has them, so that nobody waits for a disk on
   * behalf of somebody else. `transaction` resolves when the disk has them, as ever; others may read them a moment earlier.
   */
  letGoEarly(): void;
  /** Calls `fn` after the commit, never after a rollback, and in this process alone; a crash between the two loses it. */
  committed(fn: () => void): void;
  /** The query, so that it reads rows which nobody else changes until the transaction ends. */
  locked<Query extends Lockable>(query: Query, options?: LockOptions): Query;
  /** Keeps others from changing the rows of a query until the transaction ends; what they hold is not read. */
  hold(query: Holdable): Promise<void>;
  /** Waits until no other transaction holds the key, and holds it until this one ends. */
  exclusive(key: string): Promise<void>;
  /** Holds the key together with others that share it; a caller that wants it exclusively waits. */
  shared(key: string): Promise<void>;
  /** Like `exclusive`, but does not wait: false when another transaction holds the key. */
  tryExclusive(key: string): Promise<boolean>;
}

/** An open database with its change signal, secret box and call-record log. */
export interface Store extends Queryable {
  readonly signal: ChangeSignal;
  readonly secrets: SecretBox;
  readonly records: RecordLog;
  /** Databases that connections have of their own. */
  readonly databases: Databases;
  /** Who of all processes is there. */
  readonly presence: Presence;
  /** Whose time goes where. */
  readonly spending: Spending;
  /** What the store counts of itself. */
  figures(): StoreFigures;
  /** Applies what is pending, in order, and returns the names `set/migration` that it applied. */
  migrate(sets: MigrationSet[]): Promise<string[]>;
  /** The names `set/migration` that `migrate` would apply; changes nothing. */
  pending(sets: MigrationSet[]): Promise<string[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Milliseconds since the epoch as every process on this database counts them; never goes back while the process lives. */
  now(): number;
  /** Runs `work` on one state of the database, whatever others write meanwhile; it only reads. */
  snapshot<T>(work: (from: Queryable) => Promise<T>): Promise<T>;
  /** Resolves when the disk has all that was committed before: for who says that something is there which others wrote. */
  flush(): Promise<void>;
  /** Lets waiting writers through between two batches of a long write, where only one can write at a time. */
  letWritersThrough(): Promise<void>;
  /** Copies the databases, never the key, into a new or empty folder and returns the paths of the copies. */
  backup(targetDir: string): Promise<string[]>;
  /** Resolves when the database takes a write; what it finds counts for a second. Throws the reason otherwise. */
  ping(): Promise<void>;
  /** Writes what is buffered and lets go of files, connections and timers. */
  close(): Promise<void>;
}
