/** What locks promise: changes of the same thing take turns, whatever the engine. */
import { expect, test } from 'vitest';
import { addSerialId } from './index.ts';
import type { MigrationSet, Queryable, Store } from './index.ts';
import { onBothEngines } from './testing/index.ts';

interface Tables {
  counters: { id: number; hits: number };
}

const counters: MigrationSet = {
  name: 'counters',
  migrations: {
    '001-counters': async (db, engine) => {
      await addSerialId(db.schema.createTable('counters'), engine)
        .addColumn('hits', 'integer', (column) => column.notNull())
        .execute();
      await db.insertInto('counters').values({ hits: 0 }).execute();
    },
  },
};

const rowsOf = (from: Queryable) => from.db<Tables>().selectFrom('counters').select(['id', 'hits']);
const hitsOf = async (from: Queryable) => (await rowsOf(from).executeTakeFirstOrThrow()).hits;
const write = (from: Queryable, hits: number) => from.db<Tables>().updateTable('counters').set({ hits });

/** Reads, lets the other store come between, and writes one more than it read. */
const increment = (store: Store, read: 'locked' | 'held' | 'exclusive') =>
  store.transaction(async (tx) => {
    if (read === 'exclusive') await tx.exclusive('counter');
    if (read === 'held') await tx.hold(rowsOf(tx));
    const { hits } = await (read === 'locked' ? tx.locked(rowsOf(tx)) : rowsOf(tx)).executeTakeFirstOrThrow();
    await new Promise(setImmediate);
    await write(tx, hits + 1).execute();
  });

onBothEngines('locks', (open, engine) => {
  const openTwo = async (): Promise<[Store, Store]> => {
    const one = await open();
    await one.migrate([counters]);
    return [one, await open()];
  };

  test.each(['locked', 'held', 'exclusive'] as const)('%s: no change of two stores is lost', async (how) => {
    const stores = await openTwo();
    await Promise.all(Array.from({ length: 12 }, (_, turn) => increment(stores[turn % 2 ? 1 : 0], how)));
    expect(await hitsOf(stores[0])).toBe(12);
  });

  test('a key that nobody holds is free, and free again when its transaction has ended', async () => {
    const [one, two] = await openTwo();
    expect(await one.transaction((tx) => tx.tryExclusive('sweep'))).toBe(true);
    expect(await two.transaction((tx) => tx.tryExclusive('sweep'))).toBe(true);
  });

  test('a snapshot reads one state, and what was written before it', async () => {
    const [one, two] = await openTwo();
    await write(two, 7).execute();
    const seen = await one.snapshot(async (from) => {
      const first = await hitsOf(from);
      // On SQLite the write waits for the end of the snapshot, on PostgreSQL it happens beside it.
      const later = write(two, 8).execute();
      if (engine === 'postgres') await later;
      return { values: [first, await hitsOf(from)], later };
    });
    await seen.later;
    expect(seen.values).toEqual([7, 7]);
    expect(await hitsOf(one)).toBe(8);
  });

  test('a long write lets others through between its batches', async () => {
    const [one, two] = await openTwo();
    await one.transaction((tx) => write(tx, 1).execute());
    const other = write(two, 2).execute();
    await one.letWritersThrough();
    await other;
    expect(await hitsOf(one)).toBe(2);
  });
});
