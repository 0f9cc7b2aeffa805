/** The line to the owner: questions, notifications, the channels that carry them, and what became of each try. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import type { CreateTableBuilder } from 'kysely';

export const createOwnerLine: Migration = async (db) => {
  await ofAgent(db.schema.createTable('notification_channels'))
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('config_keys', jsonColumn, (column) => column.notNull())
    .addUniqueConstraint('notification_channels_type', ['agent_id', 'type'])
    .execute();
  await ofAgent(db.schema.createTable('owner_notifications'))
    .addColumn('level', 'text', (column) => column.notNull())
    .addColumn('title', 'text')
    .addColumn('message', 'text', (column) => column.notNull())
    .addColumn('notice_key', 'text')
    .addUniqueConstraint('owner_notifications_key', ['agent_id', 'notice_key'])
    .execute();
  await db.schema
    .createIndex('owner_notifications_by_time')
    .on('owner_notifications')
    .columns(['organization_id', 'id'])
    .execute();
  await db.schema
    .createIndex('owner_notifications_by_age')
    .on('owner_notifications')
    .column('created_at')
    .execute();
  await ofAgent(db.schema.createTable('owner_questions'))
    .addColumn('task_id', 'text', (column) => column.unique())
    .addColumn('question', 'text', (column) => column.notNull())
    .addColumn('options', jsonColumn)
    .addColumn('context', 'text')
    .addColumn('deadline_at', epochMsColumn, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('answer', 'text')
    .addColumn('option_index', 'integer')
    .addColumn('answered_by', 'text')
    .addColumn('answered_at', epochMsColumn)
    .execute();
  await db.schema
    .createIndex('owner_questions_by_status')
    .on('owner_questions')
    .columns(['organization_id', 'status', 'created_at'])
    .execute();
  await db.schema
    .createIndex('owner_questions_by_deadline')
    .on('owner_questions')
    .column('deadline_at')
    .execute();
  await tried(db.schema.createTable('notification_deliveries'))
    .addColumn('notification_id', 'text', (column) =>
      column.notNull().references('owner_notifications.id').onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('notification_deliveries_by_notification')
    .on('notification_deliveries')
    .column('notification_id')
    .execute();
  await tried(db.schema.createTable('owner_question_dispatches'))
    .addColumn('question_id', 'text', (column) =>
      column.notNull().references('owner_questions.id').onDelete('cascade'),
    )
    .addColumn('external_ref', 'text')
    .addColumn('poll_key', 'text')
    .execute();
  for (const column of ['question_id', 'poll_key'])
    await db.schema
      .createIndex(`owner_question_dispatches_by_${column}`)
      .on('owner_question_dispatches')
      .column(column)
      .execute();
};

function common<Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) {
  return table
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull());
}

function ofAgent<Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) {
  return common(table).addColumn('agent_id', 'text', (column) =>
    column.notNull().references('agents.id').onDelete('cascade'),
  );
}

/** What is brought to a channel; the channel may be removed since, and what became of it stays. */
function tried<Table extends string, Columns extends string>(table: CreateTableBuilder<Table, Columns>) {
  return common(table)
    .addColumn('channel_id', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('next_try_at', epochMsColumn)
    .addColumn('error', 'text');
}
