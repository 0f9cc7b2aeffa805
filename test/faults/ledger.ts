/** The table that the kill test writes to. */
import type { MigrationSet } from '@parley/store';

/** One row per acknowledged id. */
export interface LedgerTables {
  ledger: { id: string };
}

/** Its migrations. */
export const ledger: MigrationSet = {
  name: 'ledger',
  migrations: {
    '001-ledger': async (db) => {
      await db.schema
        .createTable('ledger')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .execute();
    },
  },
};
