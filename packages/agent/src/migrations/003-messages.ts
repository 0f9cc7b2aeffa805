/** Messages between agents, the circuits of recipients, who watches an inbox, and the sessions of agents. */
import type { Migration } from '@parley/store';
import { epochMsColumn } from '@parley/store';

export const createMessages: Migration = async (db) => {
  await db.schema
    .createTable('agent_messages')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('from_agent', 'text', (column) => column.references('agents.id').onDelete('cascade'))
    .addColumn('to_agent', 'text', (column) => column.references('agents.id').onDelete('cascade'))
    .addColumn('thread', 'text', (column) => column.notNull())
    .addColumn('began_thread', 'integer', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addColumn('text_hash', 'text', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('code', 'text')
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('unattended', 'integer', (column) => column.notNull())
    .addColumn('reply_to', 'text')
    .addColumn('accepted_at', epochMsColumn)
    .addColumn('wait_until', epochMsColumn)
    .addColumn('charge_id', 'text')
    .addColumn('holder', 'text')
    .addColumn('lease_until', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    // Replies are accepted once.
    .addUniqueConstraint('agent_messages_reply', ['reply_to'])
    .execute();
  for (const [name, columns] of [
    ['sent', ['from_agent', 'accepted_at']],
    ['inbox', ['to_agent', 'status', 'accepted_at']],
    ['thread', ['thread', 'accepted_at']],
    ['age', ['updated_at']],
  ] as const) {
    await db.schema
      .createIndex(`agent_messages_${name}`)
      .on('agent_messages')
      .columns([...columns])
      .execute();
  }
  await db.schema
    .createTable('agent_breakers')
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('to_agent', 'text', (column) =>
      column.primaryKey().references('agents.id').onDelete('cascade'),
    )
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('failures', 'integer', (column) => column.notNull())
    .addColumn('successes', 'integer', (column) => column.notNull())
    .addColumn('opened_at', epochMsColumn)
    .addColumn('trial', 'text')
    .addColumn('trial_until', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('agent_watchers')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('until', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('agent_watchers_by_agent')
    .on('agent_watchers')
    .columns(['organization_id', 'agent_id'])
    .execute();
  await db.schema
    .createTable('agent_sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) =>
      column.notNull().references('organizations.id').onDelete('cascade'),
    )
    .addColumn('agent_id', 'text', (column) => column.notNull().references('agents.id').onDelete('cascade'))
    .addColumn('caller_id', 'text')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text')
    .addColumn('depth', 'integer', (column) => column.notNull())
    .addColumn('unattended', 'integer', (column) => column.notNull())
    .addColumn('started_at', epochMsColumn, (column) => column.notNull())
    .addColumn('deadline_at', epochMsColumn)
    .addColumn('latest_at', epochMsColumn)
    .addColumn('ended_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('agent_sessions_by_agent')
    .on('agent_sessions')
    .columns(['agent_id', 'started_at'])
    .execute();
  await db.schema.createIndex('agent_sessions_by_age').on('agent_sessions').column('updated_at').execute();
};
