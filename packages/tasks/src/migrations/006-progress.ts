/** What tasks have said on their way: the last messages of each, which go with it. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

/** Adds the messages. */
export const keepProgress: Migration = async (db) => {
  await db.schema
    .createTable('task_progress')
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('at', epochMsColumn, (column) => column.notNull())
    .addColumn('done', 'double precision', (column) => column.notNull())
    .addColumn('total', 'double precision')
    .addColumn('message', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('task_progress_pk', ['task_id', 'position'])
    .execute();
};
