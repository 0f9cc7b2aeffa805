/** Of rows that are only kept, indexes of PostgreSQL that serve the living ones know nothing; what changes has room on its page. */
import { openStore } from '@parley/store';
import type { Store } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { eventMigrations } from './index.ts';

const OPEN = "'pending'::text, 'processing'::text";
const PARTIAL: Readonly<Record<string, string>> = {
  event_deliveries_next: OPEN,
  event_deliveries_order: OPEN,
  event_deliveries_due: `${OPEN}, 'dead'::text`,
  event_deliveries_by_age: 'finished_at IS NOT NULL',
  tasks_turns: 'turn IS NOT NULL',
  tasks_turns_of_owner: 'turn IS NOT NULL',
  tasks_timed: "'ready'::text, 'asking'::text",
  tasks_waiting: "state = 'ready'::text",
  tasks_running: "state = 'running'::text",
  tasks_by_expiry: 'expires_at IS NOT NULL',
  tasks_by_parent: 'parent_id IS NOT NULL',
};

async function open(): Promise<Store> {
  const database = await scratchDatabase('postgres', [taskMigrations, eventMigrations]);
  onTestFinished(database.remove);
  const store = await openStore(database.options);
  onTestFinished(() => store.close());
  return store;
}

test.each(Object.entries(PARTIAL))('%s has only rows whose %s', async (name, condition) => {
  const store = await open();
  const { rows } = await sql<{ indexdef: string }>`
    select indexdef from pg_indexes where indexname = ${name}`.execute(store.db());
  expect(rows).toEqual([{ indexdef: expect.stringMatching(/ WHERE /) }]);
  expect(rows[0]?.indexdef.split(' WHERE ')[1]).toContain(condition);
});

test('rows that change have room on their pages', async () => {
  const store = await open();
  const { rows } = await sql<{ relname: string; reloptions: string[] }>`
    select relname, reloptions from pg_class where relkind = 'r' and reloptions is not null
    and relname in ('tasks', 'events', 'event_deliveries') order by relname`.execute(store.db());
  expect(rows).toEqual([
    { relname: 'event_deliveries', reloptions: ['fillfactor=85'] },
    { relname: 'events', reloptions: ['fillfactor=70'] },
    { relname: 'tasks', reloptions: ['fillfactor=85'] },
  ]);
});

test('what a pump takes next is found by the index of the living', async () => {
  const store = await open();
  const plan = await store.transaction(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx.db());
    return sql<{ 'QUERY PLAN': string }>`
      explain select id from event_deliveries where target_id = 't' and status = 'pending' and next_at <= 1
      order by next_at, seq limit 1`.execute(tx.db());
  });
  expect(JSON.stringify(plan.rows)).toContain('event_deliveries_next');
});
