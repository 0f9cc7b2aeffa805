/** What imports remember, so that one which was cut off goes on where it ended. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Creates the tables behind resuming. */
export const createImports: Migration = async (db) => {
  await db.schema
    .createTable('feedback_import_rows')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('import_key', 'text', (column) => column.notNull())
    .addColumn('row_number', 'integer', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_import_rows_pk', ['organization_id', 'import_key', 'row_number'])
    .execute();
  await db.schema
    .createTable('feedback_archives')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('import_key', 'text', (column) => column.notNull())
    .addColumn('lines_done', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('finished_at', epochMsColumn)
    .addPrimaryKeyConstraint('feedback_archives_pk', ['organization_id', 'import_key'])
    .execute();
  await db.schema
    .createTable('feedback_archive_people')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('import_key', 'text', (column) => column.notNull())
    .addColumn('source_id', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_archive_people_pk', ['organization_id', 'import_key', 'source_id'])
    .execute();
};
