/** The face of the store: what every other package may do with the database, whatever the engine. */
import type { Kysely, Transaction } from 'kysely';
import type { MigrationSet } from './migrations.ts';
import type { RecordLog, RecordRetention } from './records/record-log.ts';
import type { SecretBox } from './secrets/secret-box.ts';
import type { ChangeSignal } from './signals/change-signal.ts';

/** The database engine behind a store. */
export type StoreEngine = 'sqlite' | 'postgres';

/** Where the data lives, and the few choices that the store leaves open. */
export interface StoreOptions {
  /** Folder of the databases and of the key file; made with mode 0700 when absent. */
  dataDir: string;
  /** PostgreSQL address; absent means SQLite in the data folder. */
  databaseUrl?: string;
  /** 32 bytes in base64url, several of them one per line with the newest first; wins over the key file. */
  secretKey?: string;
  /** How long call records are kept; 30 days and a million rows unless told. */
  recordRetention?: RecordRetention;
  /** Milliseconds since the epoch; `Date.now` unless told. */
  clock?: () => number;
  /** Told of failures in the background: a throwing subscriber, a flush that failed, a lost connection. */
  onError?: (error: unknown) => void;
}

/** Anything that queries can run on: the store itself, or a transaction. */
export interface Queryable {
  /** The query builder, typed by the tables of the caller. */
  db<T>(): Kysely<T>;
}

/** A running transaction. Every query in it goes through `db()` of this object, never of the store. */
export interface StoreTransaction extends Queryable {
  db<T>(): Transaction<T>;
  /** Announces a change: delivered after the commit, never after a rollback. */
  signal(topic: string, payload?: string): Promise<void>;
}

/** An open database with its change signal, secret box and call-record log. */
export interface Store extends Queryable {
  readonly engine: StoreEngine;
  readonly signal: ChangeSignal;
  readonly secrets: SecretBox;
  readonly records: RecordLog;
  /** Applies what is pending, in order, and answers the names `set/migration` that it applied. */
  migrate(sets: MigrationSet[]): Promise<string[]>;
  /** The names `set/migration` that `migrate` would apply; changes nothing. */
  pending(sets: MigrationSet[]): Promise<string[]>;
  /** Runs `work` in one transaction: committed when it resolves, rolled back when it throws. */
  transaction<T>(work: (tx: StoreTransaction) => Promise<T>): Promise<T>;
  /** Copies the databases, never the key, into a new or empty folder and answers the paths of the copies. */
  backup(targetDir: string): Promise<string[]>;
  /** Resolves when the database takes a write; what it finds counts for a second. Throws the reason otherwise. */
  ping(): Promise<void>;
  /** Writes what is buffered and lets go of files, connections and timers. */
  close(): Promise<void>;
}
