/** The outbox, targets with their subscriptions and deliveries, and webhooks. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';

export const createEventTables: Migration = async (db, engine) => {
  await createOutbox(db, engine);
  await createTargets(db, engine);
  await createDeliveries(db, engine);
  await createWebhooks(db, engine);
};

const createOutbox: Migration = async (db) => {
  await db.schema
    .createTable('event_sequences')
    .addColumn('organization_id', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('events')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('subject', 'text')
    .addColumn('data', jsonColumn)
    .addColumn('time', epochMsColumn, (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('events_in_order', ['organization_id', 'seq'])
    .execute();
  await db.schema.createIndex('events_by_age').on('events').column('created_at').execute();
};

const createTargets: Migration = async (db) => {
  await db.schema
    .createTable('event_targets')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('pump', 'integer', (column) => column.notNull())
    .addColumn('fence', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('event_subscriptions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) =>
      column.notNull().references('event_targets.id').onDelete('cascade'),
    )
    .addColumn('event_type', 'text', (column) => column.notNull())
    .addColumn('publisher', 'text', (column) => column.notNull())
    .addColumn('event_group', 'text', (column) => column.notNull())
    .addColumn('filter', 'text', (column) => column.notNull())
    .addColumn('enabled', 'integer', (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .addUniqueConstraint('event_subscriptions_once', [
      'target_id',
      'event_type',
      'publisher',
      'event_group',
      'filter',
    ])
    .execute();
  await db.schema
    .createIndex('event_subscriptions_match')
    .on('event_subscriptions')
    .columns(['organization_id', 'event_type'])
    .execute();
};

const createDeliveries: Migration = async (db) => {
  await db.schema
    .createTable('event_deliveries')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('event_id', 'text', (column) => column.notNull().references('events.id').onDelete('cascade'))
    .addColumn('subscription_id', 'text', (column) => column.notNull())
    .addColumn('target_id', 'text', (column) =>
      column.notNull().references('event_targets.id').onDelete('cascade'),
    )
    .addColumn('order_key', 'text', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('status_code', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('next_at', epochMsColumn, (column) => column.notNull())
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('finished_at', epochMsColumn)
    .addColumn('delivered_at', epochMsColumn)
    .addUniqueConstraint('event_deliveries_once', ['event_id', 'subscription_id'])
    .execute();
  const indexes = {
    // What a pump takes next, and what it must not overtake.
    event_deliveries_next: ['target_id', 'status', 'next_at', 'seq'],
    event_deliveries_order: ['target_id', 'order_key', 'status', 'seq'],
    event_deliveries_newest: ['target_id', 'seq'],
    event_deliveries_due: ['status', 'next_at'],
    event_deliveries_by_age: ['status', 'finished_at'],
  };
  for (const [name, columns] of Object.entries(indexes))
    await db.schema.createIndex(name).on('event_deliveries').columns(columns).execute();
};

const createWebhooks: Migration = async (db) => {
  await db.schema
    .createTable('webhooks')
    .addColumn('id', 'text', (column) =>
      column.primaryKey().references('event_targets.id').onDelete('cascade'),
    )
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('events', jsonColumn, (column) => column.notNull())
    .addColumn('event_groups', jsonColumn, (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('disabled_reason', 'text')
    .addColumn('failure_count', 'integer', (column) => column.notNull())
    .addColumn('failing_since', epochMsColumn)
    .addColumn('failed_at', epochMsColumn)
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('previous_secret', 'text')
    .addColumn('previous_until', epochMsColumn)
    .addColumn('created_by', 'text')
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('webhooks_by_organization')
    .on('webhooks')
    .columns(['organization_id', 'id'])
    .execute();
};
