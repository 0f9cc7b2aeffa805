/** Three servers behind a plain balancer: any of them serves any task, and one that stands still holds up nobody. */
import type { Store } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ensureBuilt } from '../product/build.ts';
import { follow, startChore, THROUGH_ANY } from './any-replica.ts';
import { startThree } from './frozen-replica.ts';
import { startLoad, wrongAnswers } from './mixed-load.ts';

beforeAll(ensureBuilt);

const VICTIM = 2;
const FREEZES = 8;
const CREATORS = 8;
const LOOKS = 50;

/** Transactions that wait for their process, and hold what all tasks of an organization need. */
async function heldUp(store: Store): Promise<Set<string>> {
  const { rows } = await sql<{ held: string }>`
    select concat_ws(' ', pid, state_change, relation::regclass, query) as held
    from pg_locks join pg_stat_activity using (pid) where state = 'idle in transaction' and (
      (mode = 'RowExclusiveLock' and locktype = 'relation' and relation::regclass::text = 'event_sequences')
      or (mode = 'ExclusiveLock' and locktype = 'advisory' and classid::bigint << 32 | objid::bigint in (
        select distinct hashtextextended('tasks ' || pool || ' ' || organization_id, 0) from tasks
      ))
    )`.execute(store.db());
  return new Set(rows.map(({ held }) => held));
}

test('tasks go through any of three servers, and through the others while one stands still', async () => {
  const database = await scratchDatabase('postgres');
  onTestFinished(() => database.remove());
  const { databaseUrl = '', dataDir } = database.options;
  const bed = await startThree({ databaseUrl, dataDir, leaseMs: 2_000 });
  onTestFinished(() => bed[Symbol.asyncDispose]());
  const doings = Object.values(THROUGH_ANY).map((doing) => doing(bed));
  await expect(Promise.all(doings)).resolves.toHaveLength(doings.length);

  const store = await openStore(database.options);
  onTestFinished(() => store.close());
  const standing = async () => {
    let seen = await heldUp(store);
    // What the frozen one had sent before, the database does alone; it only needs its turn on the machine.
    for (let look = 0; look < LOOKS && seen.size > 0; look += 1) {
      const again = await heldUp(store);
      seen = new Set([...seen].filter((held) => again.has(held)));
    }
    return [...seen];
  };
  const { fleet, door } = bed;
  const at = (index: number) => ({ url: fleet.servers[index]?.url ?? '', key: door.key });
  const load = startLoad(bed, { lanes: { task: CREATORS }, door: () => at(VICTIM), steps: 1, workMs: 0 });
  for (let freeze = 0; freeze < FREEZES; freeze += 1) {
    const made = load.creations.length;
    await eventually(() => expect(load.creations.length).toBeGreaterThan(made + CREATORS));
    fleet.freeze(VICTIM);
    expect(await standing()).toEqual([]);
    await Promise.all([0, 1].map((index) => startChore(bed, {}, at(index))));
    fleet.thaw(VICTIM);
  }
  fleet.freeze(VICTIM);
  // What the frozen one has begun is taken over, and then the places of its tasks are free again.
  const { id } = await startChore(bed, {}, at(0));
  await follow(at(1), id, 'completed');
  fleet.thaw(VICTIM);
  await load.stop();
  expect(wrongAnswers(load, ['done'])).toEqual([]);
  expect(await bed.settled(60_000)).toEqual({ missing: [], repeated: [], failed: [], stuck: [] });
});
