/** Threads with their messages, and the tags of members. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createThreadsAndTags: Migration = async (db) => {
  // Ids are the person's own: what others chose can neither be met nor guessed at.
  await db.schema
    .createTable('threads')
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (column) => column.notNull().references('users.id').onDelete('cascade'))
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('description', 'text')
    .addColumn('hidden', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('updated_by', 'text')
    .addPrimaryKeyConstraint('threads_pk', ['organization_id', 'user_id', 'id'])
    .execute();
  await db.schema
    .createIndex('threads_newest')
    .on('threads')
    .columns(['organization_id', 'user_id', 'updated_at'])
    .execute();
  await db.schema
    .createTable('thread_messages')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('thread_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('parts', jsonColumn, (column) => column.notNull())
    .addColumn('metadata', jsonColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('thread_messages_pk', ['organization_id', 'user_id', 'id'])
    .addForeignKeyConstraint(
      'thread_messages_thread',
      ['organization_id', 'user_id', 'thread_id'],
      'threads',
      ['organization_id', 'user_id', 'id'],
      (key) => key.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('thread_messages_in_order')
    .on('thread_messages')
    .columns(['organization_id', 'user_id', 'thread_id', 'created_at', 'id'])
    .execute();
  await db.schema
    .createTable('organization_tags')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('name_key', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('organization_tags_name', ['organization_id', 'name_key'])
    .execute();
  await db.schema
    .createTable('member_tags')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('member_id', 'text', (column) => column.notNull().references('members.id').onDelete('cascade'))
    .addColumn('tag_id', 'text', (column) =>
      column.notNull().references('organization_tags.id').onDelete('cascade'),
    )
    .addUniqueConstraint('member_tags_once', ['member_id', 'tag_id'])
    .execute();
  await db.schema.createIndex('member_tags_by_tag').on('member_tags').column('tag_id').execute();
};
