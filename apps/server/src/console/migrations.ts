/** The tables of the console: what people keep there for themselves, and what every set of routes has. */
import { createRestTables } from '@parley/http/rest';
import type { Migration, MigrationSet } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

/** The console of one person in one organization. */
export interface DeskRow {
  organization_id: string;
  user_id: string;
  /** JSON: the saved views of each screen. */
  views: string;
  /** When the person left the first run, without having done all of it. */
  first_run_skipped_at: number | null;
  updated_at: number;
}

/** An organization that a client has connected to. */
export interface ClientsRow {
  organization_id: string;
  /** When its first request came. */
  seen_at: number;
}

export interface ConsoleTables {
  console_clients: ClientsRow;
  console_desks: DeskRow;
}

const createDesks: Migration = async (db) => {
  await db.schema
    .createTable('console_desks')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('views', jsonColumn, (column) => column.notNull())
    .addColumn('first_run_skipped_at', epochMsColumn)
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('console_desks_pk', ['organization_id', 'user_id'])
    .execute();
};

const createClients: Migration = async (db) => {
  await db.schema
    .createTable('console_clients')
    .addColumn('organization_id', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', epochMsColumn, (column) => column.notNull())
    .execute();
};

/** What sign-ins left there: nothing is lost with the rest but the answers to repetitions of one day. */
const forgetSignIns: Migration = async (db) => {
  await db.deleteFrom('console_idempotency').execute();
};

export const consoleMigrations: MigrationSet = {
  name: 'console',
  migrations: {
    '001-rest': createRestTables('console'),
    '002-desks': createDesks,
    '003-clients': createClients,
    '004-forget-sign-ins': forgetSignIns,
  },
};
