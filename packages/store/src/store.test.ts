/** What the store promises on both engines: migrations, transactions, signals, errors. */
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Generated } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { expect, test } from 'vitest';
import {
  addSerialId,
  epochMsColumn,
  fromJson,
  isForeignKeyViolation,
  isUniqueViolation,
  toJson,
} from './index.ts';
import { MigrationError } from './index.ts';
import type { MigrationSet, SignalEvent, Store } from './index.ts';
import { onBothEngines } from './testing/index.ts';
import { startProgram } from '../test/child-program.ts';

interface Tables {
  notes: { id: Generated<number>; text: string; at: number; meta: string };
  replies: { note_id: number };
}

const notes: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db, engine) => {
      await addSerialId(db.schema.createTable('notes'), engine)
        .addColumn('text', 'text', (column) => column.notNull().unique())
        .addColumn('at', epochMsColumn, (column) => column.notNull())
        .addColumn('meta', 'text', (column) => column.notNull())
        .execute();
    },
    '002-replies': async (db) => {
      await db.schema
        .createTable('replies')
        .addColumn('note_id', 'bigint', (column) => column.notNull().references('notes.id'))
        .execute();
    },
  },
};

const note = (text: string) => ({ text, at: 1_793_000_000_123, meta: toJson({ tags: [text] }) });
const texts = async (store: Store): Promise<string[]> =>
  (await store.db<Tables>().selectFrom('notes').select('text').orderBy('id').execute()).map(
    (row) => row.text,
  );

onBothEngines('a store', (open) => {
  test('migrations run once, in order, and are remembered by the next start', async () => {
    const store = await open();
    expect(await store.migrate([notes])).toEqual([
      'store/001-first',
      'store/002-probe',
      'store/003-databases',
      'store/004-call-kinds',
      'notes/001-notes',
      'notes/002-replies',
    ]);
    expect(await store.migrate([notes])).toEqual([]);
    const next = await open();
    expect(await next.migrate([notes])).toEqual([]);
  });

  test('time is told alike by every process on a database, in whole milliseconds', async () => {
    const [store, other] = [await open(), await open()];
    const before = Date.now();
    const told = [store.now(), other.now(), store.now()];
    expect(told.every(Number.isSafeInteger)).toBe(true);
    expect(Math.max(...told) - Math.min(...told)).toBeLessThan(1_000);
    expect(Math.abs(store.now() - before)).toBeLessThan(10_000);
    const set = await open({ clock: () => 42 });
    expect(set.now()).toBe(42);
  });

  test('a transaction on the connections of what ends work commits, rolls back and signals like any other', async () => {
    const store = await open();
    await store.migrate([notes]);
    const seen: SignalEvent[] = [];
    store.signal.subscribe('notes/', (event) => seen.push(event));
    const write = (text: string, isRefused = false) =>
      store.transaction(
        async (tx) => {
          await tx.db<Tables>().insertInto('notes').values(note(text)).execute();
          await tx.signal(`notes/${text}`);
          if (isRefused) throw new Error('refused');
          return text;
        },
        { lane: 'ending' },
      );
    expect(await write('kept')).toBe('kept');
    await expect(write('refused', true)).rejects.toThrow('refused');
    expect(await texts(store)).toEqual(['kept']);
    await eventually(() => expect(seen).toEqual([{ topic: 'notes/kept', payload: null }]));
  });

  test('only what is pending runs, and other sets are left alone', async () => {
    const store = await open();
    const first = { '001-notes': notes.migrations['001-notes'] ?? expect.fail() };
    await store.migrate([{ name: 'notes', migrations: first }]);
    expect(await store.migrate([])).toEqual([]);
    expect(await store.migrate([notes])).toEqual(['notes/002-replies']);
  });

  test('a migration that fails leaves nothing behind', async () => {
    const store = await open();
    const broken: MigrationSet = {
      name: 'notes',
      migrations: {
        ...notes.migrations,
        '003-broken': () => Promise.reject(new Error('broken step')),
      },
    };
    await expect(store.migrate([broken])).rejects.toThrow('broken step');
    expect(await store.migrate([notes])).toHaveLength(6);
  });

  test('a database of a newer program is refused by the older one', async () => {
    const store = await open();
    const newer: MigrationSet = {
      name: 'notes',
      migrations: { ...notes.migrations, '003-new': async () => {} },
    };
    await store.migrate([newer]);
    await expect(store.migrate([notes])).rejects.toThrow(MigrationError);
    await expect(store.migrate([notes])).rejects.toThrow(/newer version.*notes\/003-new/s);
    expect(await store.migrate([newer])).toEqual([]);
  });

  test('two sets of one name are refused', async () => {
    const store = await open();
    await expect(store.migrate([notes, notes])).rejects.toThrow('Two migration sets are named "notes"');
  });

  test('two stores that migrate at once both end with the schema, and each step ran once', async () => {
    const [one, two] = await Promise.all([open(), open()]);
    const applied = (await Promise.all([one.migrate([notes]), two.migrate([notes])])).flat();
    expect(applied.toSorted()).toEqual([
      'notes/001-notes',
      'notes/002-replies',
      'store/001-first',
      'store/002-probe',
      'store/003-databases',
      'store/004-call-kinds',
    ]);
    await one.db<Tables>().insertInto('notes').values(note('a')).execute();
    expect(await texts(two)).toEqual(['a']);
  });

  test('numbers and JSON come back as they were written', async () => {
    const store = await open();
    await store.migrate([notes]);
    const { id } = await store
      .db<Tables>()
      .insertInto('notes')
      .values(note('a'))
      .returning('id')
      .executeTakeFirstOrThrow();
    const row = await store
      .db<Tables>()
      .selectFrom('notes')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ id, ...note('a') });
    expect(fromJson<{ tags: string[] }>(row.meta)).toEqual({ tags: ['a'] });
    const { total } = await store
      .db<Tables>()
      .selectFrom('notes')
      .select((rows) => rows.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    expect(total).toBe(1);
    const changed = await store
      .db<Tables>()
      .updateTable('notes')
      .set({ text: 'b' })
      .executeTakeFirstOrThrow();
    expect(changed.numUpdatedRows).toBe(1n);
  });

  test('a transaction that throws leaves no row', async () => {
    const store = await open();
    await store.migrate([notes]);
    const failing = store.transaction(async (tx) => {
      await tx.db<Tables>().insertInto('notes').values(note('gone')).execute();
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await texts(store)).toEqual([]);
  });

  test('nobody reads a row before its transaction is committed', async () => {
    const store = await open();
    await store.migrate([notes]);
    const other = await open();
    await store.transaction(async (tx) => {
      await tx.db<Tables>().insertInto('notes').values(note('a')).execute();
      expect(await texts(store)).toEqual([]);
      expect(await texts(other)).toEqual([]);
    });
    expect(await texts(store)).toEqual(['a']);
    expect(await texts(other)).toEqual(['a']);
  });

  test('updates of one row from two stores at once are all kept', async () => {
    const store = await open();
    await store.migrate([notes]);
    const other = await open();
    await store.db<Tables>().insertInto('notes').values(note('a')).execute();
    const addOne = (target: Store) =>
      target.transaction((tx) =>
        tx
          .db<Tables>()
          .updateTable('notes')
          .set({ at: sql`at + 1` })
          .execute(),
      );
    await Promise.all(Array.from({ length: 40 }, (_, index) => addOne(index % 2 ? store : other)));
    const { at } = await store.db<Tables>().selectFrom('notes').select('at').executeTakeFirstOrThrow();
    expect(at).toBe(note('a').at + 40);
  });

  test('broken unique and foreign keys are told apart', async () => {
    const store = await open();
    await store.migrate([notes]);
    const db = store.db<Tables>();
    await db.insertInto('notes').values(note('a')).execute();
    const twice = await db
      .insertInto('notes')
      .values(note('a'))
      .execute()
      .catch((error: unknown) => error);
    expect([isUniqueViolation(twice), isForeignKeyViolation(twice)]).toEqual([true, false]);
    const orphan = await db
      .insertInto('replies')
      .values({ note_id: 99 })
      .execute()
      .catch((error: unknown) => error);
    expect([isUniqueViolation(orphan), isForeignKeyViolation(orphan)]).toEqual([false, true]);
  });

  test('a signal reaches its subscribers in both stores, once, after the commit', async () => {
    const store = await open();
    await store.migrate([notes]);
    const other = await open();
    const seen: string[] = [];
    store.signal.subscribe('notes/', ({ topic, payload }) => seen.push(`here ${topic} ${payload}`));
    other.signal.subscribe('notes/', ({ topic, payload }) => seen.push(`there ${topic} ${payload}`));
    other.signal.subscribe('boards/', ({ topic }) => seen.push(`wrong ${topic}`));
    await store.transaction(async (tx) => {
      await tx.signal('notes/1', 'made');
      await tx.signal('notes/2');
      expect(seen).toEqual([]);
    });
    await eventually(() => expect(seen).toHaveLength(4));
    await other.signal.publish('notes/3');
    await eventually(() => expect(seen).toHaveLength(6));
    expect(seen.toSorted()).toEqual([
      'here notes/1 made',
      'here notes/2 null',
      'here notes/3 null',
      'there notes/1 made',
      'there notes/2 null',
      'there notes/3 null',
    ]);
  });

  test('a signal of a transaction that was rolled back is never delivered', async () => {
    const store = await open();
    await store.migrate([notes]);
    const other = await open();
    const seen: SignalEvent[] = [];
    store.signal.subscribe('', (event) => seen.push(event));
    other.signal.subscribe('', (event) => seen.push(event));
    const failing = store.transaction(async (tx) => {
      await tx.signal('notes/lost');
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    await store.signal.publish('notes/last');
    await eventually(() => expect(seen).toHaveLength(2));
    expect(seen.map(({ topic }) => topic)).toEqual(['notes/last', 'notes/last']);
  });

  test('a subscriber that throws is reported and does not stop the others', async () => {
    const errors: unknown[] = [];
    const store = await open({ onError: (error) => errors.push(error) });
    await store.migrate([]);
    const woken = Promise.withResolvers<SignalEvent>();
    store.signal.subscribe('a', () => {
      throw new Error('bad subscriber');
    });
    store.signal.subscribe('a', woken.resolve);
    await store.signal.publish('a');
    expect(await woken.promise).toEqual({ topic: 'a', payload: null });
    expect(errors).toEqual([new Error('bad subscriber')]);
  });

  test('a subscriber that left hears nothing more', async () => {
    const store = await open();
    await store.migrate([]);
    const seen: SignalEvent[] = [];
    const leave = store.signal.subscribe('a', (event) => seen.push(event));
    await store.signal.publish('a/1');
    leave();
    const next = store.signal.wait('a');
    await store.signal.publish('a/2');
    expect(await next).toEqual({ topic: 'a/2', payload: null });
    expect(seen).toEqual([{ topic: 'a/1', payload: null }]);
  });

  test('a wait ends with null at its timeout or abort', async () => {
    const store = await open();
    await store.migrate([]);
    expect(await store.signal.wait('a', { timeoutMs: 1 })).toBeNull();
    expect(await store.signal.wait('a', { signal: AbortSignal.abort() })).toBeNull();
    const controller = new AbortController();
    const waiting = store.signal.wait('a', { signal: controller.signal });
    controller.abort();
    expect(await waiting).toBeNull();
  });

  test('a signal that would not fit is refused on every engine', async () => {
    const store = await open();
    await store.migrate([]);
    await expect(store.signal.publish('a', 'x'.repeat(4_000))).rejects.toThrow('A signal is too long');
    await expect(store.signal.publish('*')).rejects.toThrow('A signal needs a topic');
  });

  test('a store answers a ping until it is closed, and closing twice is fine', async () => {
    const store = await open();
    await store.ping();
    await store.close();
    await store.close();
    await expect(store.db<Tables>().selectFrom('notes').selectAll().execute()).rejects.toThrow(Error);
  });
});

onBothEngines('several processes', (open, _engine, where) => {
  test('that start at once on an empty database all come up, and each migration ran once', async () => {
    const program = join(import.meta.dirname, '../test/migrate-program.ts');
    const options = await where();
    const programs = Array.from({ length: 3 }, () => startProgram(program, options));
    const applied: string[] = [];
    for (const { lines } of programs) for await (const line of lines) applied.push(line);
    expect(await Promise.all(programs.map(({ exit }) => exit))).toEqual([0, 0, 0]);
    expect(applied.toSorted()).toEqual([
      'counters/001-first',
      'store/001-first',
      'store/002-probe',
      'store/003-databases',
      'store/004-call-kinds',
    ]);
    const store = await open();
    expect(await store.migrate([])).toEqual([]);
  });

  test('wake each other: a change in one is heard in the other', async () => {
    const store = await open();
    await store.migrate([]);
    const second = startProgram(join(import.meta.dirname, '../test/publish-program.ts'), await where());
    await second.lines.next();
    for (const topic of ['tasks/1', 'tasks/2', 'tasks/3']) {
      const woken = store.signal.wait('tasks/', { timeoutMs: 10_000 });
      second.process.stdin?.write(`${topic}\n`);
      expect(await woken).toEqual({ topic, payload: 'from the second process' });
    }
    second.process.stdin?.end();
    expect(await second.exit).toBe(0);
  });
});
