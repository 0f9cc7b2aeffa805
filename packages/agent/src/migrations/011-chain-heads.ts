/** Where each chain of an agent ends, sealed; a chain from before has its head with its next entry. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const createChainHeads: Migration = async (db) => {
  await db.schema
    .createTable('agent_chain_heads')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('agent_id', 'text', (column) =>
      column.primaryKey().references('agents.id').onDelete('cascade'),
    )
    .addColumn('head', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
};
