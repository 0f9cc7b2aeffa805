/** Rows as a table: what goes in comes out, on both engines, for no row, one and hundreds. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { isAmong, rowTable } from './row-table.ts';
import { onBothEngines } from './testing/index.ts';

interface Given {
  id: string;
  note: string | null;
  count: number;
  at: number | null;
  share: number;
}

const columns = {
  id: 'text',
  note: 'text',
  count: 'integer',
  at: 'bigint',
  share: 'double precision',
} as const;

const given = (id: string, changes: Partial<Given> = {}): Given => ({
  id,
  note: null,
  count: 1,
  at: null,
  share: 0.5,
  ...changes,
});

onBothEngines('rows as a table', (open) => {
  test.each([
    ['no row', []],
    ['one row', [given('a')]],
    [
      'texts that look like something else',
      [
        given('a', { note: '{"a": "\\"quoted\\""}' }),
        given('b', { note: '17' }),
        given('c', { note: 'null' }),
        given('d', { note: '' }),
        given('e', { note: '{1,2} \\ \' "ü" 🙂\n' }),
      ],
    ],
    ['large numbers', [given('a', { at: 1_900_000_000_000, count: -3, share: 1e-7 })]],
    ['hundreds', Array.from({ length: 300 }, (_, index) => given(`row ${index}`, { count: index }))],
  ])('%s', async (_name, rows) => {
    const store = await open();
    const table = rowTable<Given>(store.engine, 'given', { rows, columns });
    const { rows: read } = await sql<Given>`select * from ${table}`.execute(store.db());
    expect(read.toSorted((left, right) => left.count - right.count || (left.id < right.id ? -1 : 1))).toEqual(
      rows.toSorted((left, right) => left.count - right.count || (left.id < right.id ? -1 : 1)),
    );
  });

  test('an expression is among values or not', async () => {
    const store = await open();
    const is = async (text: string, values: string[]) => {
      const found = isAmong(store.engine, sql`cast(${text} as text)`, values);
      const { rows } = await sql`select 1 as one where ${found}`.execute(store.db());
      return rows.length === 1;
    };
    expect(await is('b', ['a', 'b'])).toBe(true);
    expect(await is('c', ['a', 'b'])).toBe(false);
    expect(await is('c', [])).toBe(false);
  });
});
