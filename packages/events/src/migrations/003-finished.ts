/** The index by which old deliveries are found has finished ones alone, so that those under way do not pay for it. */
import type { Migration } from '@parley/store';

export const indexFinished: Migration = async (db) => {
  await db.schema.dropIndex('event_deliveries_by_age').execute();
  await db.schema
    .createIndex('event_deliveries_by_age')
    .on('event_deliveries')
    .columns(['status', 'finished_at'])
    .where('finished_at', 'is not', null)
    .execute();
};
