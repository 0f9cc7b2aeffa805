/** Indexes for deliveries that have not arrived have no others, and a row has room to change on its page. */
import type { Migration } from '@parley/store';
import { byEngine } from '@parley/store';
import { sql } from 'kysely';

// Most rows have arrived and are only kept. SQLite does not see that an index of two statuses has each of them.
const STATEMENTS = [
  `drop index event_deliveries_next`,
  `drop index event_deliveries_order`,
  `drop index event_deliveries_due`,
  `create index event_deliveries_next on event_deliveries (target_id, status, next_at, seq)
    where status in ('pending', 'processing')`,
  `create index event_deliveries_order on event_deliveries (target_id, order_key, status, seq)
    where status in ('pending', 'processing')`,
  `create index event_deliveries_due on event_deliveries (status, next_at)
    where status in ('pending', 'processing', 'dead')`,
  `alter table event_deliveries set (fillfactor = 85)`,
];

export const indexLiving: Migration = async (db, engine) => {
  for (const statement of byEngine(engine, { sqlite: [], postgres: STATEMENTS }))
    await sql.raw(statement).execute(db);
};
