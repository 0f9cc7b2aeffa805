/** What the gateway keeps of connections: whom each may reach, when it is asked again, and which definitions were agreed to. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const addGateway: Migration = async (db) => {
  await db.schema.alterTable('connections').addColumn('egress_allow', jsonColumn).execute();
  await db.schema
    .createTable('connection_refreshes')
    .addColumn('connection_id', 'text', (column) =>
      column.primaryKey().references('connections.id').onDelete('cascade'),
    )
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('due_at', epochMsColumn, (column) => column.notNull())
    .addColumn('lease_owner', 'text')
    .addColumn('lease_until', epochMsColumn)
    .addColumn('started_at', epochMsColumn)
    .addColumn('wanted', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('started', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('done', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('failures', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('failed_with', 'text')
    .addColumn('failing_since', epochMsColumn)
    .addColumn('empty_since', epochMsColumn)
    .addColumn('pins_revision', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('connection_refreshes_by_due')
    .on('connection_refreshes')
    .column('due_at')
    .execute();
  const pins = () => db.schema.alterTable('tool_pins');
  await pins().addColumn('approved_hash', 'text').execute();
  await pins().addColumn('approved_definition', jsonColumn).execute();
  await pins().addColumn('reason', 'text').execute();
  await pins().addColumn('renamed_from', 'text').execute();
  await db
    .updateTable('tool_pins')
    .set((row) => ({ approved_hash: row.ref('definition_hash'), approved_definition: row.ref('definition') }))
    .where('state', '=', 'approved')
    .execute();
  // The hash was that of what was agreed to, and what stands beside it is something else: nobody can agree to it
  // before the upstream has been asked again.
  await db
    .updateTable('tool_pins')
    .set((row) => ({ approved_hash: row.ref('definition_hash'), definition_hash: '' }))
    .where('state', 'in', ['changed', 'removed'])
    .where('approved_at', 'is not', null)
    .execute();
  // So that the next answer counts as another one, and every pin is compared with it.
  await db
    .updateTable('connection_catalogs')
    .set({ hash: '' })
    .where('kind', '=', 'tools')
    .where('body', '<>', '[]')
    .execute();
};
