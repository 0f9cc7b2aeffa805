/** Keyset pages: one row more than asked tells whether there is a next page. */
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { CursorPosition, CursorScope } from '../cursor.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { Page, PageQuery } from '../shapes/posts.ts';

/** Where a page begins; undefined for the first one. */
export function startOf(scope: CursorScope, { cursor }: PageQuery): CursorPosition | undefined {
  return cursor === undefined ? undefined : decodeCursor(scope, cursor);
}

/** Cuts rows, of which one more than the limit was read, into a page. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  options: {
    readonly scope: CursorScope;
    readonly limit: number;
    readonly total: number;
    readonly items: readonly Item[];
    readonly position: (row: Row) => CursorPosition;
  },
): Page<Item> {
  const { scope, limit, total, items, position } = options;
  const last = rows[limit - 1];
  const hasMore = rows.length > limit && last !== undefined;
  const cursor = hasMore ? encodeCursor(scope, position(last)) : null;
  return { items: items.slice(0, limit), cursor, hasMore, total };
}

/** Rows that come after a position when the newest come first and ties are broken by id. */
export function olderThan(
  timeColumn: string,
  idColumn: string,
  start: CursorPosition | undefined,
): RawBuilder<boolean> {
  if (start === undefined) return sql<boolean>`1 = 1`;
  return sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${start.key}, ${start.id})`;
}
