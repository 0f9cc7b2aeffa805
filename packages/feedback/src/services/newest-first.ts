/** The condition of a page in a list that begins with the newest. */
import { sql } from 'kysely';
import type { RawBuilder } from 'kysely';
import type { CursorPosition } from '../cursor.ts';

/** Rows that come after a position when the newest come first and ties are broken by id. */
export function olderThan(
  timeColumn: string,
  idColumn: string,
  start: CursorPosition | undefined,
): RawBuilder<boolean> {
  if (start === undefined) return sql<boolean>`1 = 1`;
  return sql<boolean>`(${sql.ref(timeColumn)}, ${sql.ref(idColumn)}) < (${start.key}, ${start.id})`;
}
