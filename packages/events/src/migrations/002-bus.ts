/** The bus: schedules, subscribers that are paused, deferred deliveries, and filters that fail. */
import type { Migration } from '@parley/store';
import { epochMsColumn, jsonColumn } from '@parley/store';
import { sql } from 'kysely';

export const createBus: Migration = async (db) => {
  await db.schema.alterTable('events').addColumn('schedule_id', 'text').execute();
  // One firing per instant, whatever the number of replicas.
  await db.schema
    .createIndex('events_once_per_instant')
    .unique()
    .on('events')
    .columns(['schedule_id', 'time'])
    .where('schedule_id', 'is not', null)
    .execute();
  await db.schema.alterTable('event_targets').addColumn('pump_at', epochMsColumn).execute();
  await db.schema.alterTable('event_targets').addColumn('paused_reason', 'text').execute();
  await db.schema.alterTable('event_subscriptions').addColumn('created_by', 'text').execute();
  await db.schema
    .alterTable('event_subscriptions')
    .addColumn('filter_failures', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('event_deliveries')
    .addColumn('deferrals', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createIndex('event_deliveries_of_organization')
    .on('event_deliveries')
    .columns(['organization_id', 'status', 'seq'])
    .execute();
  await db.schema
    .createTable('event_schedules')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('data', jsonColumn)
    .addColumn('cron', 'text', (column) => column.notNull())
    .addColumn('timezone', 'text', (column) => column.notNull())
    .addColumn('next_at', epochMsColumn)
    .addColumn('last_at', epochMsColumn)
    .addColumn('cancelled_at', epochMsColumn)
    .addColumn('created_at', epochMsColumn, (column) => column.notNull())
    .addColumn('updated_at', epochMsColumn, (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('event_schedules_active')
    .unique()
    .on('event_schedules')
    .columns(['organization_id', 'source', 'type', 'subject', 'cron', 'timezone'])
    .where(sql<boolean>`cancelled_at is null and cron <> ''`)
    .execute();
  await db.schema.createIndex('event_schedules_next').on('event_schedules').column('next_at').execute();
};
