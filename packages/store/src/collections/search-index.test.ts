/** What a search index promises on both engines: it leaves out no row that fits, and lists are the same without it. */
import fc from 'fast-check';
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import { expect, test } from 'vitest';
import { createSearchIndex, defineRows, epochMsColumn, jsonColumn } from '../index.ts';
import type { MigrationSet, Store } from '../index.ts';
import { onBothEngines } from '../testing/index.ts';
import { filtersFor, notes } from '../../test/search-fuzz.ts';
import type { Note } from '../../test/search-fuzz.ts';
import { classOf } from './case-classes.ts';
import { clueOf } from './clues.ts';
import { filterDialect } from './dialect.ts';
import type { FieldSpecs } from './fields.ts';
import { whereSql } from './filter.ts';
import type { Where } from './query.ts';
import { namedRows, searchCondition } from './search-index.ts';

interface Scope {
  readonly organizationId: string;
}

const withoutIndex: MigrationSet = {
  name: 'notes',
  migrations: {
    '001-notes': async (db) => {
      await db.schema
        .createTable('notes')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('organization_id', 'text', (column) => column.notNull())
        .addColumn('title', 'text', (column) => column.notNull())
        .addColumn('content', 'text')
        .addColumn('created_at', epochMsColumn, (column) => column.notNull())
        .addColumn('metadata', jsonColumn)
        .execute();
      await db.schema
        .createIndex('notes_by_time')
        .on('notes')
        .columns(['organization_id', 'created_at', 'id'])
        .execute();
    },
  },
};
const withIndex: MigrationSet = {
  name: 'notes',
  migrations: {
    ...withoutIndex.migrations,
    '002-search': (db, engine) =>
      createSearchIndex(db, engine, { table: 'notes', columns: ['title', 'content', 'metadata'] }),
  },
};

const PLAIN_FIELDS: FieldSpecs<Note> = {
  id: { kind: 'text' },
  title: { kind: 'text' },
  body: { kind: 'text', column: 'content', nullable: true },
  created_at: { kind: 'time' },
  metadata: { kind: 'json', nullable: true },
};
const SEARCHED_FIELDS: FieldSpecs<Note> = {
  ...PLAIN_FIELDS,
  title: { kind: 'text', searched: 'patterns' },
  body: { kind: 'text', column: 'content', nullable: true, searched: 'all' },
  metadata: { kind: 'json', nullable: true, searched: 'all' },
};
const rowsWith = (fields: FieldSpecs<Note>) =>
  defineRows<Note, Scope>({
    table: 'notes',
    scope: { organizationId: 'organization_id' },
    order: [{ field: ['created_at'], direction: 'desc' }],
    fields,
  });
const NOTES = rowsWith(SEARCHED_FIELDS);
const PLAIN = rowsWith(PLAIN_FIELDS);
const MINE: Scope = { organizationId: 'org_a' };
const THEIRS: Scope = { organizationId: 'org_b' };

const contains = (value: string, field = ['title']): Where => ({ field, operator: 'contains', value });

/** The ids of the rows that the index names for a filter, whatever else is true of them. */
async function named(store: Store, where: Where): Promise<string[]> {
  return namedBy(store, conditionOf(store, where));
}

function conditionOf({ engine }: Store, where: Where): RawBuilder<boolean> {
  const clue = clueOf(SEARCHED_FIELDS, where);
  if (clue === undefined) throw new Error('There is no clue in the filter.');
  return namedRows(engine, { table: 'notes', clue });
}

function namedBy(store: Store, condition: RawBuilder<boolean>): Promise<string[]> {
  return store.transaction(async (tx) => {
    // A handful of rows is read whole whatever there is.
    if (store.engine === 'postgres') await sql`set local enable_seqscan = off`.execute(tx.db());
    const { rows } = await sql<{ id: string }>`select id from notes as item where ${condition}`.execute(
      tx.db(),
    );
    return rows.map(({ id }) => id).toSorted();
  });
}

const rowOf = (id: string, title: string, others: object = {}) => ({
  id,
  organization_id: MINE.organizationId,
  title,
  created_at: 0,
  ...others,
});

async function insertRows(store: Store, rows: readonly object[]): Promise<void> {
  for (let from = 0; from < rows.length; from += 200)
    await store
      .db<{ notes: object }>()
      .insertInto('notes')
      .values(rows.slice(from, from + 200))
      .execute();
}

const seed = Date.now() % 2 ** 31;

onBothEngines('a search index', (open) => {
  const opened = async (): Promise<Store> => {
    const store = await open();
    await store.migrate([withIndex]);
    return store;
  };

  test(`leaves out no row that fits, and changes no list (seed ${seed})`, { timeout: 60_000 }, async () => {
    const store = await opened();
    // So many that the index is used.
    const found = fc.sample(notes, { seed, numRuns: 250 });
    await store.transaction(async (tx) => {
      for (const scope of [MINE, THEIRS])
        for (const [index, note] of found.entries())
          await NOTES.in(tx, scope).insert({
            ...note,
            id: `${scope.organizationId}${index}`,
            created_at: new Date(index % 20).toISOString(),
          });
    });
    let clues = 0;
    const fitsWithout = async (where: Where): Promise<unknown> => {
      if (clueOf(SEARCHED_FIELDS, where) === undefined) return [];
      clues += 1;
      const fits = whereSql({ dialect: filterDialect(store.engine), fields: PLAIN_FIELDS, many: {} }, where);
      return namedBy(store, sql`${fits} and not coalesce(${conditionOf(store, where)}, (1 = 0))`);
    };
    await fc.assert(
      fc.asyncProperty(filtersFor(found), async (where) => {
        expect(await fitsWithout(where)).toEqual([]);
        const query = { where, limit: 7, offset: 0 };
        expect(await NOTES.in(store, MINE).list(query)).toEqual(await PLAIN.in(store, MINE).list(query));
      }),
      { seed, numRuns: 250 },
    );
    expect(clues).toBeGreaterThan(40);
  });

  test('finds each character in the texts of all its cases', async () => {
    const store = await opened();
    const all = Array.from({ length: 0x1_e944 }, (_, code) => classOf(String.fromCodePoint(code)));
    const classes = [...new Set(all.filter((members) => members.length > 1))];
    const idsOf = (members: readonly string[]) => members.map((member) => `id-${member.codePointAt(0)}`);
    const rows = classes.flatMap((members) => {
      const ids = idsOf(members);
      return members.map((member, index) => rowOf(ids[index] ?? '', `x${member}y`));
    });
    expect(rows.length).toBeGreaterThan(2800);
    await insertRows(store, rows);
    const asked = classes.flatMap((members) => members.map((member) => ({ member, ids: idsOf(members) })));
    for (let from = 0; from < asked.length; from += 100) {
      const some = asked.slice(from, from + 100);
      const queries = some.map(
        ({ member }, index) =>
          sql`select ${sql.lit(index)} as number, id from notes as item where ${conditionOf(store, contains(`x${member}y`))}`,
      );
      const { rows: found } = await sql<{
        number: number;
        id: string;
      }>`${sql.join(queries, sql` union all `)}`.execute(store.db());
      for (const [index, { member, ids }] of some.entries()) {
        const own = found.filter(({ number }) => number === index).map(({ id }) => id);
        expect(own.toSorted(), member).toEqual(ids.toSorted());
      }
    }
  });

  test('has the rows that were there before it, and follows every change', async () => {
    const store = await open();
    await store.migrate([withoutIndex]);
    const mine = NOTES.in(store, MINE);
    const created_at = new Date(0).toISOString();
    await insertRows(store, [rowOf('old', 'Before'), rowOf('gone', 'Before too')]);
    await store.migrate([withIndex]);
    expect(await named(store, contains('EFO'))).toEqual(['gone', 'old']);
    await mine.insert({ id: 'new', title: 'After', body: 'Long', created_at, metadata: { team: 'Maps' } });
    expect(await mine.insert({ id: 'new', title: 'Refused', created_at })).toBe(false);
    await mine.update('old', { title: 'Changed', metadata: { team: 'Maps', rank: 12 } });
    await mine.delete('gone');
    const team: Where = { field: ['metadata', 'team'], operator: 'eq', value: 'Maps' };
    const rank: Where = { field: ['metadata', 'rank'], operator: 'eq', value: 12 };
    const asked = [contains('before'), contains('refused'), contains('change'), contains('long', ['body'])];
    const found = [];
    for (const where of [...asked, team, rank]) found.push(await named(store, where));
    expect(found).toEqual([[], [], ['old'], ['new'], ['new', 'old'], ['old']]);
    await mine.update('new', { body: null, metadata: null });
    expect([await named(store, contains('long', ['body'])), await named(store, team)]).toEqual([[], ['old']]);
    await sql`delete from notes`.execute(store.db());
    expect(await named(store, team)).toEqual([]);
  });

  test('finds inside JSON what is written there in another way', async () => {
    const store = await opened();
    const text = 'one "two" \\three\\\nfour';
    await NOTES.in(store, MINE).insert({
      id: 'n1',
      title: 'T',
      created_at: new Date(0).toISOString(),
      metadata: { 'k"ey': text },
    });
    const field = ['metadata', 'k"ey'];
    const parts = ['ONE "', '"TWO" ', 'two" \\th', '\\THREE\\', 'three\\\nfour', text];
    const wheres: Where[] = [
      ...parts.map((part) => contains(part, field)),
      { field, operator: 'like', value: 'ONE "two" \\\\three\\\\_four' },
      { field, operator: 'eq', value: text },
    ];
    for (const where of wheres) expect(await named(store, where), JSON.stringify(where)).toEqual(['n1']);
  });

  test('is used where it names few rows of many, and not below a not or beside another side of an or', async () => {
    const store = await opened();
    const many = Array.from({ length: 600 }, (_, index) => rowOf(`id-${index}`, `Common ${index} text`));
    const few = [rowOf('b1', 'Common 7 text'), rowOf('b2', 'Other')];
    await insertRows(store, [
      ...many,
      ...few.map((row) => ({ ...row, organization_id: THEIRS.organizationId })),
    ]);
    const isUsed = async (where: Where, { organizationId } = MINE): Promise<boolean> => {
      const clue = clueOf(SEARCHED_FIELDS, where);
      if (clue === undefined) return false;
      const scope = store
        .db<{ notes: { organization_id: string } }>()
        .selectFrom('notes as item')
        .where('item.organization_id', '=', organizationId);
      const condition = await searchCondition(store, { table: 'notes', clue, scope });
      if (condition === undefined || store.engine === 'sqlite') return condition !== undefined;
      return JSON.stringify(await scope.where(condition).selectAll().explain()).includes('notes_search');
    };
    if (store.engine === 'postgres') await sql`analyze notes`.execute(store.db());
    const rare = contains('common 577 TEXT');
    const exact: Where = { field: ['title'], operator: 'eq', value: 'Common 577 text' };
    const short = contains('57');
    expect(await isUsed(rare)).toBe(true);
    expect(await isUsed({ operator: 'and', conditions: [rare, exact, short] })).toBe(true);
    expect(await isUsed({ operator: 'or', conditions: [rare, contains('578 te')] })).toBe(true);
    expect(await isUsed({ field: ['title'], operator: 'like', value: '_omm%n 577 t%' })).toBe(true);
    const beside: Where[] = [
      { operator: 'or', conditions: [rare, exact] },
      { operator: 'not', conditions: [rare] },
      { field: ['metadata', 'x'], operator: 'eq', value: null },
      { field: ['title'], operator: 'gt', value: 'Common 577 text' },
      { field: ['title'], operator: 'like', value: 'co%mm%on' },
    ];
    for (const where of [...beside, exact, short, contains('')])
      expect(await isUsed(where), JSON.stringify(where)).toBe(false);
    expect(await isUsed(contains('common 7'), THEIRS)).toBe(false);
    expect(await isUsed(contains('common'))).toBe(false);
  });
});
