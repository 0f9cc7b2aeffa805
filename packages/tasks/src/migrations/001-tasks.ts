/** Tasks, their steps and their questions. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createTasks: Migration = async (db) => {
  await db.schema
    .createTable('tasks')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('owner_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('kind_version', 'integer', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('outcome', 'text')
    .addColumn('input', jsonColumn, (column) => column.notNull())
    .addColumn('capabilities', jsonColumn, (column) => column.notNull())
    .addColumn('priority', 'integer', (column) => column.notNull())
    .addColumn('due_at', epochMsColumn, (column) => column.notNull())
    .addColumn('worker_id', 'text')
    .addColumn('lease_until', epochMsColumn)
    .addColumn('fence', 'integer', (column) => column.notNull())
    .addColumn('crashes', 'integer', (column) => column.notNull())
    .addColumn('cancel_reason', 'text')
    .addColumn('parent_id', 'text')
    .addColumn('idempotency_key', 'text')
    .addColumn('status_message', 'text')
    .addColumn('progress_done', 'double precision')
    .addColumn('progress_total', 'double precision')
    .addColumn('result', jsonColumn)
    .addColumn('error', jsonColumn)
    .addColumn('ttl_ms', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('finished_at', epochMsColumn)
    .addColumn('expires_at', epochMsColumn)
    .execute();
  // What a worker looks for: who has something due.
  await db.schema
    .createIndex('tasks_due')
    .on('tasks')
    .columns(['state', 'organization_id', 'owner_id', 'priority desc', 'due_at', 'created_at'])
    .execute();
  await db.schema.createIndex('tasks_next').on('tasks').columns(['state', 'due_at']).execute();
  await db.schema.createIndex('tasks_by_worker').on('tasks').columns(['worker_id', 'state']).execute();
  await db.schema
    .createIndex('tasks_by_owner')
    .on('tasks')
    .columns(['organization_id', 'owner_id', 'created_at', 'id'])
    .execute();
  await db.schema.createIndex('tasks_by_expiry').on('tasks').column('expires_at').execute();
  await db.schema.createIndex('tasks_by_parent').on('tasks').column('parent_id').execute();
  await db.schema
    .createIndex('tasks_once')
    .unique()
    .on('tasks')
    .columns(['organization_id', 'owner_id', 'idempotency_key'])
    .where('idempotency_key', 'is not', null)
    .execute();
  await db.schema
    .createTable('task_steps')
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('step_key', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('outcome', jsonColumn)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('due_at', epochMsColumn)
    .addPrimaryKeyConstraint('task_steps_pk', ['task_id', 'step_key'])
    .execute();
  await db.schema
    .createTable('task_inputs')
    .addColumn('task_id', 'text', (column) => column.notNull().references('tasks.id').onDelete('cascade'))
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('input_key', 'text', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('request', jsonColumn, (column) => column.notNull())
    .addColumn('response', jsonColumn)
    .addColumn('expires_at', epochMsColumn, (column) => column.notNull())
    .addPrimaryKeyConstraint('task_inputs_pk', ['task_id', 'input_key'])
    .execute();
};
