/** Settings, boards, statuses and tags. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import { sql } from 'kysely';

/** Creates what posts refer to. */
export const createBoards: Migration = async (db) => {
  await db.schema
    .createTable('feedback_settings')
    .addColumn('organization_id', 'text', (column) => column.primaryKey())
    .addColumn('is_published', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('feedback_boards')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('is_public', 'integer', (column) => column.notNull())
    .addColumn('settings', jsonColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('deleted_at', epochMsColumn)
    .addPrimaryKeyConstraint('feedback_boards_pk', ['organization_id', 'id'])
    .execute();
  // A deleted board gives its slug back.
  await db.schema
    .createIndex('feedback_boards_slug')
    .unique()
    .on('feedback_boards')
    .columns(['organization_id', 'slug'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
  await db.schema
    .createTable('feedback_statuses')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('slug', 'text', (column) => column.notNull())
    .addColumn('color', 'text', (column) => column.notNull())
    .addColumn('category', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('show_on_roadmap', 'integer', (column) => column.notNull())
    .addColumn('is_default', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_statuses_pk', ['organization_id', 'id'])
    .addUniqueConstraint('feedback_statuses_slug', ['organization_id', 'slug'])
    .execute();
  await db.schema
    .createIndex('feedback_statuses_one_default')
    .unique()
    .on('feedback_statuses')
    .column('organization_id')
    .where(sql.ref('is_default'), '=', 1)
    .execute();
  await db.schema
    .createTable('feedback_tags')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('color', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_tags_pk', ['organization_id', 'id'])
    .addUniqueConstraint('feedback_tags_name', ['organization_id', 'name_key'])
    .execute();
};
