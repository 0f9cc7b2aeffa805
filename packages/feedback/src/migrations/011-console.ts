/** What the console adds: order of boards, labels, the look of the public pages, read marks, uploaded imports. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import { sql } from 'kysely';

/** Adds all of it; what is there already keeps its order and has no labels. */
export const createConsole: Migration = async (db, engine) => {
  await db.schema
    .alterTable('feedback_boards')
    .addColumn('position', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('feedback_changelog')
    .addColumn('labels', jsonColumn, (column) => column.notNull().defaultTo(sql`'[]'`))
    .execute();
  await createLook(db, engine);
  await createReadMarks(db, engine);
  await createUploads(db, engine);
};

const createLook: Migration = async (db) => {
  await db.schema.alterTable('feedback_settings').addColumn('site_name', 'text').execute();
  await db.schema.alterTable('feedback_settings').addColumn('accent_color', 'text').execute();
  await db.schema
    .createTable('feedback_site_images')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    // Base64: small, rarely read, and the same in both databases.
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_site_images_pk', ['organization_id', 'kind'])
    .execute();
};

const createReadMarks: Migration = async (db) => {
  await db.schema
    .createTable('feedback_reads')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('post_id', 'text', (column) => column.notNull())
    .addColumn('seen_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_reads_pk', ['organization_id', 'member_id', 'post_id'])
    .execute();
  await db.schema
    .createTable('feedback_read_marks')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull())
    .addColumn('read_before', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_read_marks_pk', ['organization_id', 'member_id'])
    .execute();
  // What was said since a mark.
  await db.schema
    .createIndex('feedback_comments_created')
    .on('feedback_comments')
    .columns(['organization_id', 'created_at'])
    .execute();
};

const createUploads: Migration = async (db) => {
  await db.schema
    .createTable('feedback_imports')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('options', jsonColumn, (column) => column.notNull())
    .addColumn('report', jsonColumn)
    .addColumn('fault', 'text')
    .addColumn('rows_done', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('rows_total', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('task_id', 'text')
    .addColumn('task_owner_id', 'text')
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_imports_pk', ['organization_id', 'id'])
    .execute();
  await db.schema
    .createTable('feedback_import_parts')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('import_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('feedback_import_parts_pk', ['organization_id', 'import_id', 'number'])
    .execute();
};
