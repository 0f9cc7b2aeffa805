/** What a collection promises on both engines: the rows that the contract names, in its order, and of one scope only. */
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { defineRows, epochMsColumn, jsonColumn } from '../index.ts';
import type { MigrationSet, Store } from '../index.ts';
import { onBothEngines } from '../testing/index.ts';
import { queries, things } from '../../test/collection-fuzz.ts';
import type { Thing } from '../../test/collection-fuzz.ts';
import { literally, modelList } from '../../test/collection-model.ts';
import type { Entity } from '../../test/collection-model.ts';
import { classOf } from './case-classes.ts';
import { filterDialect } from './dialect.ts';
import { whereSql } from './filter.ts';
import type { Where } from './query.ts';

interface Scope {
  readonly organizationId: string;
  readonly userId: string;
}

const migrations: MigrationSet = {
  name: 'things',
  migrations: {
    '001-things': async (db) => {
      await db.schema
        .createTable('things')
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('note', 'text')
        .addColumn('amount', 'double precision')
        .addColumn('is_flagged', 'integer')
        .addColumn('created_at', epochMsColumn, (column) => column.notNull())
        .addColumn('seen_at', epochMsColumn)
        .addColumn('metadata', jsonColumn)
        .addColumn('token', 'text')
        .addPrimaryKeyConstraint('things_pk', ['organization_id', 'id'])
        .execute();
    },
  },
};

const THINGS = defineRows<Thing & { token: string | null }, Scope>({
  table: 'things',
  scope: { organizationId: 'organization_id', userId: 'user_id' },
  order: [{ field: ['created_at'], direction: 'desc' }],
  fields: {
    id: { kind: 'text' },
    title: { kind: 'text' },
    note: { kind: 'text', nullable: true },
    amount: { kind: 'number', nullable: true },
    flag: { kind: 'boolean', column: 'is_flagged', nullable: true },
    created_at: { kind: 'time' },
    seen_at: { kind: 'time', nullable: true },
    metadata: { kind: 'json', nullable: true },
    token: { kind: 'text', nullable: true, secret: true },
  },
});

const MINE: Scope = { organizationId: 'org_a', userId: 'usr_a' };
const OTHERS: Scope[] = [
  { organizationId: 'org_b', userId: 'usr_a' },
  { organizationId: 'org_a', userId: 'usr_b' },
];
const BLANK = { title: 'T', created_at: new Date(0).toISOString() };

const fill = async (store: Store, seed: number): Promise<Entity[]> => {
  const rows = fc
    .sample(things, { seed, numRuns: 80 })
    .map((thing, index) => ({ ...thing, id: `t${index}` }));
  await store.transaction(async (tx) => {
    for (const row of rows) await THINGS.in(tx, MINE).insert({ ...row, token: 'hush' });
    for (const scope of OTHERS)
      for (const row of rows.slice(0, 5))
        await THINGS.in(tx, scope).insert({ ...row, id: `${scope.userId}${scope.organizationId}${row.id}` });
  });
  // As JSON has them: no negative zero.
  return rows.map((row) => JSON.parse(JSON.stringify({ ...row, token: 'hush' })) as Entity);
};

const folding = (text: string, operator: 'like' | 'contains' | 'eq', value: string, expected: boolean) => ({
  text,
  operator,
  value,
  expected,
});

const foldings = [
  folding('Straße', 'like', 'STRAẞE', true),
  folding('Straße', 'like', 'STRASSE', false),
  folding('İzmir', 'contains', 'i', true),
  folding('İ', 'contains', 'i', false),
  folding('ı', 'like', 'I', false),
  folding('ǅ', 'like', 'ǆ', true),
  folding('ǅ', 'contains', 'Ǆ', true),
  folding('\u{212A}elvin', 'like', 'k%', true),
  folding('ſ', 'contains', 'S', true),
  folding('ΟΔΟΣ', 'contains', 'οδος', true),
  folding('𐐀', 'like', '𐐨', true),
  folding('😀', 'like', '_', true),
  folding('😀', 'like', '__', false),
  folding('e\u{301}', 'like', 'é', false),
  folding('100%', 'like', '100\\%', true),
  folding('100 ', 'like', '100\\%', false),
  folding('a\\b', 'like', 'a\\b', true),
  folding('a\\', 'like', 'A\\', true),
  folding('a\nb', 'like', 'a_B', true),
  folding('xay', 'like', 'a', false),
  folding('[a-z]*', 'contains', '[A-Z]*', true),
  folding('b', 'contains', '[a-z]', false),
  folding('', 'like', '', true),
  folding('', 'contains', '', true),
  folding('a', 'eq', 'A', false),
];

const seed = Date.now() % 2 ** 31;

onBothEngines('a collection', (open) => {
  const opened = async (): Promise<Store> => {
    const store = await open();
    await store.migrate([migrations]);
    return store;
  };

  test(`finds what the contract names, in its order (seed ${seed})`, { timeout: 120_000 }, async () => {
    const store = await opened();
    const entities = await fill(store, seed);
    await fc.assert(
      fc.asyncProperty(queries, async (query) => {
        expect(await THINGS.in(store, MINE).list(query)).toEqual(modelList(entities, query));
      }),
      { seed, numRuns: 600 },
    );
  });

  test('finds numbers in JSON by their value, however long they are', async () => {
    const store = await opened();
    const mine = THINGS.in(store, MINE);
    const numbers = [2 ** 53, 2 ** 62, 2 ** 63, 1e21, 0.1, -0.5, 5e-324];
    for (const [index, amount] of numbers.entries())
      await mine.insert({ ...BLANK, id: `t${index}`, amount, metadata: { amount } });
    for (const [index, value] of numbers.entries())
      for (const field of [['amount'], ['metadata', 'amount']])
        for (const operator of ['eq', 'lte'] as const) {
          const { items } = await mine.list({ where: { field, operator, value }, limit: 10, offset: 0 });
          const expected = numbers.filter((number) =>
            operator === 'eq' ? number === value : number <= value,
          );
          expect(new Set(items.map((item) => item.amount)), `${numbers[index]}`).toEqual(new Set(expected));
        }
  });

  test('reads, writes and deletes within its scope alone', async () => {
    const store = await opened();
    const mine = THINGS.in(store, MINE);
    expect(await mine.insert({ ...BLANK, id: 't1', flag: true, metadata: { a: 1 } })).toBe(true);
    expect(await mine.insert({ ...BLANK, id: 't1' })).toBe(false);
    for (const scope of OTHERS) {
      const theirs = THINGS.in(store, scope);
      expect(await theirs.get('t1')).toBeUndefined();
      expect(await theirs.update('t1', { title: 'stolen' })).toBe(false);
      expect(await theirs.delete('t1')).toBe(false);
      expect(await theirs.list({ limit: 10, offset: 0 })).toEqual({ items: [], totalCount: 0 });
      expect(await theirs.all()).toEqual([]);
    }
    expect(await mine.update('t1', { note: 'kept', flag: undefined })).toBe(true);
    expect(await mine.update('t1', { metadata: null }, { token: 'hush' })).toBe(true);
    expect(await mine.get('t1')).toEqual({
      ...BLANK,
      id: 't1',
      note: 'kept',
      amount: null,
      flag: true,
      seen_at: null,
      metadata: null,
      token: 'hush',
    });
    expect([await mine.delete('t1'), await mine.delete('t1'), await mine.update('t1', {})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is not asked without a scope, nor for a secret, unknown or unwritable field', async () => {
    const store = await opened();
    for (const scope of [{ organizationId: 'org_a', userId: '' }, { organizationId: 'org_a' }, {}])
      expect(() => THINGS.in(store, scope as Scope)).toThrow(TypeError);
    const mine = THINGS.in(store, MINE);
    for (const field of [['token'], ['nothing'], ['title', 'x'], ['constructor'], []]) {
      const where = { field, operator: 'eq' as const, value: null };
      await expect(mine.list({ where, limit: 1, offset: 0 })).rejects.toThrow(TypeError);
      await expect(mine.list({ orderBy: [{ field }], limit: 1, offset: 0 })).rejects.toThrow(TypeError);
    }
    await expect(mine.insert({ ...BLANK, id: 't1', nothing: 1 } as never)).rejects.toThrow(TypeError);
  });

  test('matches texts without case as Unicode folds them, in columns and in JSON', async () => {
    const store = await opened();
    const mine = THINGS.in(store, MINE);
    for (const [index, { text }] of foldings.entries())
      await mine.insert({ ...BLANK, id: `t${index}`, title: text, metadata: { deep: { text } } });
    for (const [index, { text, operator, value, expected }] of foldings.entries()) {
      for (const field of [['title'], ['metadata', 'deep', 'text']]) {
        const { items } = await mine.list({ where: { field, operator, value }, limit: 100, offset: 0 });
        const isFound = items.some(({ id }) => id === `t${index}`);
        expect(isFound, `${text} ${operator} ${value} in ${field.join('.')}`).toBe(expected);
      }
    }
  });

  test('finds by an index what a filter asks for, also among other conditions', async () => {
    const store = await opened();
    await store
      .db()
      .schema.createIndex('things_by_note')
      .on('things')
      .columns(['organization_id', 'note'])
      .execute();
    const note = { field: ['note'], operator: 'eq' as const, value: 'x' };
    const title = { field: ['title'], operator: 'contains' as const, value: 'y' };
    const planOf = (where: Where) =>
      store.transaction(async (tx) => {
        const fields = THINGS.fields;
        const target = { dialect: filterDialect(store.engine), fields, many: {} };
        const isPostgres = store.engine === 'postgres';
        // A handful of rows is read whole whatever there is.
        if (isPostgres) await sql`set local enable_seqscan = off`.execute(tx.db());
        const { rows } = await sql`${sql.raw(isPostgres ? 'explain' : 'explain query plan')}
          select count(*) from things as item where organization_id = 'org_a' and ${whereSql(target, where)}`.execute(
          tx.db(),
        );
        return JSON.stringify(rows);
      });
    const byNote =
      store.engine === 'postgres'
        ? /Index Cond: [^"]*note = /
        : /things_by_note \(organization_id=\? AND note=\?\)/;
    const not = { operator: 'not' as const, conditions: [title] };
    expect(await planOf(note)).toMatch(byNote);
    expect(await planOf({ operator: 'and', conditions: [note, title, not] })).toMatch(byNote);
    expect(await planOf({ operator: 'not', conditions: [note] })).not.toMatch(byNote);
  });

  test('tells how many there are from the page itself when it is the last', async () => {
    const store = await opened();
    const mine = THINGS.in(store, MINE);
    for (const id of ['t1', 't2', 't3']) await mine.insert({ ...BLANK, id });
    const counts = [];
    for (const [limit, offset] of [
      [2, 0],
      [2, 2],
      [3, 0],
      [4, 0],
      [2, 3],
      [2, 9],
    ] as const) {
      const { items, totalCount } = await mine.list({ limit, offset });
      counts.push([items.length, totalCount]);
    }
    expect(counts).toEqual([
      [2, 3],
      [1, 3],
      [3, 3],
      [3, 3],
      [0, 3],
      [0, 3],
    ]);
  });

  test('takes JSON that an engine could not read back, and still filters', async () => {
    const store = await opened();
    const mine = THINGS.in(store, MINE);
    await mine.insert({ ...BLANK, id: 't1', metadata: { a: 'x\0', '\uD800': '\uDC00', '\\u0000': 'fine' } });
    const where = { field: ['metadata', '\\u0000'], operator: 'eq' as const, value: 'fine' };
    const { items } = await mine.list({ where, limit: 1, offset: 0 });
    expect(items[0]?.metadata).toEqual({ a: 'x\u{FFFD}', '\u{FFFD}': '\u{FFFD}', '\\u0000': 'fine' });
  });
});

test('characters are the same without case exactly where Unicode says so', () => {
  const characters = Array.from({ length: 0x1_1000 }, (_, code) => code)
    .concat(Array.from({ length: 0xf000 }, (_, index) => 0x1_0000 + index))
    .filter((code) => code < 0xd800 || code > 0xdfff)
    .map((code) => String.fromCodePoint(code))
    .filter((character) => /\p{Cased}|\p{M}/u.test(character));
  const all = characters.join('');
  for (const character of characters.filter(
    (each) => each !== each.toLowerCase() || each !== each.toUpperCase(),
  )) {
    const same = new Set(all.match(new RegExp(literally(character), 'giu')));
    expect(new Set(classOf(character)), character).toEqual(same);
  }
});
