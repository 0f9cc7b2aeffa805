/** The table of lanterns. */
import type { MigrationSet } from '@parley/store';
import { addSerialId } from '@parley/store';

export const migrations: MigrationSet = {
  name: 'lantern',
  migrations: {
    '001-lanterns': async (db, engine) => {
      await addSerialId(db.schema.createTable('lanterns'), engine)
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('oil', 'integer', (column) => column.notNull())
        .execute();
    },
  },
};
