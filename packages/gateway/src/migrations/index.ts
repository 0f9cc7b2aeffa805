/** Migrations of the gateway, in order. */
import type { Migration, MigrationSet } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

/** Outcomes of the steps of calls that are entered again. */
const createCallSteps: Migration = async (db) => {
  await db.schema
    .createTable('call_steps')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('call_id', 'text', (column) => column.notNull())
    .addColumn('step_key', 'text', (column) => column.notNull())
    .addColumn('outcome', jsonColumn)
    .addColumn('claimed_until', epochMsColumn, (column) => column.notNull())
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('call_steps_pk', ['organization_id', 'call_id', 'step_key'])
    .execute();
  await db.schema.createIndex('call_steps_by_expiry').on('call_steps').column('expires_at').execute();
};

/** Where each replica is reached, as long as it says so. */
const createReplicas: Migration = async (db) => {
  await db.schema
    .createTable('replicas')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('renewed_at', epochMsColumn, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .execute();
};

/** Applied by whoever opens the store. */
export const gatewayMigrations: MigrationSet = {
  name: 'gateway',
  migrations: { '001-call-steps': createCallSteps, '002-replicas': createReplicas },
};
