/** The end of a transaction: statements that run with its commit, and what is told after it. */
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { MigrationSet, SignalEvent } from './index.ts';
import { StatementError } from './index.ts';
import { onBothEngines } from './testing/index.ts';

interface Tables {
  notes: { id: string; place: number };
}

const notes: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await sql`create table notes (id text primary key, place integer not null)`.execute(db);
    },
  },
};

const add = (id: string) => sql<{ id: string; place: number }>`
  insert into notes (id, place) select ${id}, (select count(*) from notes) where true returning id, place`;

onBothEngines('the end of a transaction', (open) => {
  const opened = async () => {
    const store = await open();
    await store.migrate([notes]);
    const all = async () =>
      (await store.db<Tables>().selectFrom('notes').select('id').orderBy('place').execute()).map(
        ({ id }) => id,
      );
    return { store, all };
  };

  test('its last statements run after its work, in their order, and tell their rows', async () => {
    const { store, all } = await opened();
    const places: [string, number][] = [];
    const note = (rows: readonly { id: string; place: number }[]) => {
      places.push(...rows.map(({ id, place }) => [id, place] as [string, number]));
      return undefined;
    };
    const result = await store.transaction(async (tx) => {
      tx.last(add('second'), note);
      tx.last(add('third'), note);
      await add('first').execute(tx.db());
      return 'done';
    });
    expect(result).toBe('done');
    expect(places).toEqual([
      ['second', 1],
      ['third', 2],
    ]);
    expect(await all()).toEqual(['first', 'second', 'third']);
  });

  test('one that has no other statements is a transaction all the same', async () => {
    const { store, all } = await opened();
    await store.transaction(async () => undefined);
    await store.transaction(async (tx) => tx.last(add('only')));
    const refused = store.transaction(async (tx) => {
      tx.last(add('never'));
      tx.last(add('only'));
      tx.last(add('nor this'));
    });
    await expect(refused).rejects.toBeInstanceOf(StatementError);
    expect(await all()).toEqual(['only']);
    await store.transaction(async (tx) => tx.last(add('next')));
    expect(await all()).toEqual(['only', 'next']);
  });

  test('what it announces by its rows is heard everywhere, and what is committed is told here, unless it failed', async () => {
    const { store } = await opened();
    const other = await open();
    const heard: SignalEvent[] = [];
    other.signal.subscribe('notes', (event) => heard.push(event));
    const told: string[] = [];
    const write = (id: string, fails: boolean) =>
      store.transaction(async (tx) => {
        tx.last(add(id), (rows) =>
          rows.map((row) => ({ topic: 'notes', payload: `${row.id} ${row.place}` })),
        );
        tx.committed(() => told.push(id));
        if (fails) throw new Error('It failed.');
      });
    await expect(write('first', true)).rejects.toThrow('It failed.');
    await write('second', false);
    expect(told).toEqual(['second']);
    await eventually(() => expect(heard).toEqual([{ topic: 'notes', payload: 'second 0' }]));
  });

  test('a table that changed under a statement with a name spoils no transaction of last statements alone', async () => {
    const { store, all } = await opened();
    const other = await open();
    const starred = (id: string) => sql`insert into notes (id, place) values (${id}, ${1}) returning *`;
    const write = (id: string) => store.transaction(async (tx) => tx.last(starred(id)));
    for (const id of ['1', '2', '3', '4']) await write(id);
    await sql`alter table notes add column more text`.execute(other.db());
    await write('5');
    expect(await all()).toHaveLength(5);
  });
});
