/** Page tokens, sessions, annotations, replies, screenshots and presence. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import { sql } from 'kysely';

export const createAnnotations: Migration = async (db, engine) => {
  await createSessions(db, engine);
  await createNotes(db, engine);
  await createRest(db, engine);
};

const createSessions: Migration = async (db) => {
  await db.schema
    .createTable('annotation_page_tokens')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('allowed_origins', jsonColumn, (column) => column.notNull())
    .addColumn('revoked_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  // Two first starts at once make one token.
  await db.schema
    .createIndex('annotation_page_tokens_one_valid')
    .unique()
    .on('annotation_page_tokens')
    .columns(['organization_id', 'project_id'])
    .where(sql.ref('revoked_at'), 'is', null)
    .execute();
  await db.schema
    .createTable('annotation_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('page_token_id', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull().unique())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('title', 'text', (column) => column.notNull())
    .addColumn('viewport', jsonColumn, (column) => column.notNull())
    .addColumn('user_agent', 'text', (column) => column.notNull())
    .addColumn('framework', 'text', (column) => column.notNull())
    .addColumn('auto_approve', 'integer', (column) => column.notNull())
    .addColumn('last_number', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('last_seen_at', epochMsColumn, (column) => column.notNull())
    .addColumn('live_until', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('annotation_sessions_seen')
    .on('annotation_sessions')
    .columns(['organization_id', 'last_seen_at'])
    .execute();
};

const createNotes: Migration = async (db) => {
  await db.schema
    .createTable('annotations')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) =>
      column.notNull().references('annotation_sessions.id').onDelete('cascade'),
    )
    .addColumn('client_id', 'text', (column) => column.notNull())
    .addColumn('number', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('annotation_text', 'text', (column) => column.notNull())
    .addColumn('intent', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull())
    .addColumn('captured', jsonColumn, (column) => column.notNull())
    .addColumn('screenshot_id', 'text')
    .addColumn('diff', 'text')
    .addColumn('diff_revision', 'integer', (column) => column.notNull())
    .addColumn('diff_response', 'text')
    .addColumn('diff_words', 'text')
    .addColumn('acknowledged_by', jsonColumn)
    .addColumn('resolved_by', 'text')
    .addColumn('resolved_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('annotations_once')
    .unique()
    .on('annotations')
    .columns(['session_id', 'client_id'])
    .execute();
  await db.schema
    .createIndex('annotations_by_status')
    .on('annotations')
    .columns(['organization_id', 'status', 'created_at'])
    .execute();
  await db.schema
    .createTable('annotation_replies')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('annotation_id', 'text', (column) =>
      column.notNull().references('annotations.id').onDelete('cascade'),
    )
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('author_name', 'text')
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('annotation_replies_in_order', ['annotation_id', 'position'])
    .execute();
};

const createRest: Migration = async (db) => {
  await db.schema
    .createTable('annotation_screenshots')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('session_id', 'text', (column) =>
      column.notNull().references('annotation_sessions.id').onDelete('cascade'),
    )
    .addColumn('mime_type', 'text', (column) => column.notNull())
    .addColumn('width', 'integer', (column) => column.notNull())
    .addColumn('height', 'integer', (column) => column.notNull())
    .addColumn('size_bytes', 'integer', (column) => column.notNull())
    .addColumn('data', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('annotation_screenshots_by_project')
    .on('annotation_screenshots')
    .columns(['organization_id', 'project_id', 'created_at'])
    .execute();
  await db.schema
    .createTable('annotation_presence')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('caller_id', 'text', (column) => column.notNull())
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('caller_name', 'text', (column) => column.notNull())
    .addColumn('last_seen_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('annotation_presence_pk', ['organization_id', 'caller_id'])
    .execute();
};
