/** Cheaper ends: the index of old deliveries has finished ones alone, and an event that ends stays on its page. */
import type { Migration } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';

export const cheapenEnds: Migration = async (db, engine) => {
  await db.schema.dropIndex('event_deliveries_by_age').execute();
  await db.schema
    .createIndex('event_deliveries_by_age')
    .on('event_deliveries')
    .columns(['status', 'finished_at'])
    .where('finished_at', 'is not', null)
    .execute();
  // The status of an event is in no index, so with room on its page none is written when it changes.
  const roomier = byEngine(engine, { sqlite: [], postgres: [sql`alter table events set (fillfactor = 70)`] });
  for (const statement of roomier) await statement.execute(db);
};
