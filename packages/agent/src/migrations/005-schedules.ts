/** Schedules with their executions, workflows with their runs. */
import type { AnyTables, Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import type { CreateTableBuilder, Kysely } from 'kysely';

export const createSchedules: Migration = async (db) => {
  await ownTable(db, 'agent_schedules')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('config', jsonColumn, (column) => column.notNull())
    .addColumn('policy', 'text', (column) => column.notNull())
    .addColumn('by_web', 'integer', (column) => column.notNull())
    .addColumn('unattended', 'integer', (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('runs', 'integer', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('next_run_at', epochMsColumn)
    .addColumn('deleted_at', epochMsColumn)
    .execute();
  await index(db, 'agent_schedules', ['agent_id']);
  await index(db, 'agent_schedules', ['next_run_at']);
  await ownTable(db, 'schedule_executions')
    .addColumn('schedule_id', 'text', (column) => column.notNull())
    .addColumn('due_at', epochMsColumn, (column) => column.notNull())
    .addColumn('cause', 'text', (column) => column.notNull())
    .addColumn('snapshot', jsonColumn, (column) => column.notNull())
    .addColumn('approval', 'text', (column) => column.notNull())
    .addColumn('approvals', jsonColumn, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('task_id', 'text')
    .addColumn('result', 'text')
    .addColumn('started_at', epochMsColumn)
    .addColumn('finished_at', epochMsColumn)
    .addUniqueConstraint('schedule_executions_due', ['schedule_id', 'due_at', 'cause'])
    .execute();
  await index(db, 'schedule_executions', ['organization_id', 'status']);
  await index(db, 'schedule_executions', ['status', 'created_at']);
  await index(db, 'schedule_executions', ['agent_id']);
  await index(db, 'schedule_executions', ['finished_at']);
  await createWorkflows(db);
};

async function createWorkflows(db: Kysely<AnyTables>): Promise<void> {
  await ownTable(db, 'workflows')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('description', 'text', (column) => column.notNull())
    .addColumn('graph', jsonColumn, (column) => column.notNull())
    .addColumn('default_project_id', 'text')
    .addColumn('max_concurrency', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .execute();
  await index(db, 'workflows', ['agent_id']);
  await ownTable(db, 'workflow_runs')
    .addColumn('workflow_id', 'text', (column) =>
      column.notNull().references('workflows.id').onDelete('cascade'),
    )
    .addColumn('snapshot', jsonColumn, (column) => column.notNull())
    .addColumn('input', jsonColumn, (column) => column.notNull())
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('unattended', 'integer', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('output', jsonColumn)
    .addColumn('error', 'text')
    .addColumn('task_id', 'text')
    .addColumn('finished_at', epochMsColumn)
    .execute();
  await index(db, 'workflow_runs', ['workflow_id', 'created_at']);
  await index(db, 'workflow_runs', ['status', 'created_at']);
  await index(db, 'workflow_runs', ['agent_id']);
  await index(db, 'workflow_runs', ['finished_at']);
  await db.schema
    .createTable('workflow_node_runs')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('run_id', 'text', (column) =>
      column.notNull().references('workflow_runs.id').onDelete('cascade'),
    )
    .addColumn('node_id', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('position', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('output', jsonColumn)
    .addColumn('error', 'text')
    .addColumn('session_id', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addColumn('finished_at', epochMsColumn)
    .addPrimaryKeyConstraint('workflow_node_runs_pk', ['run_id', 'node_id', 'attempt'])
    .execute();
}

type OwnColumns = 'id' | 'organization_id' | 'agent_id' | 'created_at' | 'updated_at';

/** A table of things that one agent has; they go with it. */
function ownTable<Name extends string>(
  db: Kysely<AnyTables>,
  name: Name,
): CreateTableBuilder<Name, OwnColumns> {
  return db.schema
    .createTable(name)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull());
}

async function index(db: Kysely<AnyTables>, table: string, columns: string[]): Promise<void> {
  await db.schema
    .createIndex(`${table}_by_${columns.join('_')}`)
    .on(table)
    .columns(columns)
    .execute();
}
