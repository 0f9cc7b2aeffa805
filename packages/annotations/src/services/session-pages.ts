/** The notes of one session in pages: open ones first, the newest first among them, then the closed ones. */
import { ToolError } from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { AnnotationRow } from '../schema.ts';
import type { ListLimits, NoteList, NoteScope } from './reading.ts';
import { countOf, loadFitting, scopedQuery } from './reading.ts';

/** One page; `nextCursor` leads to the next. */
export interface NotePage extends NoteList {
  readonly nextCursor?: string;
}

const CLOSED = ['resolved', 'dismissed'] as const;
const CURSOR = /^([oc])(\d{1,9})$/;

/** Where a page begins: below this number, among the open or the closed. */
interface Place {
  readonly isClosed: boolean;
  readonly below: number;
}

/** Reads one page, cut to what one answer can hold. */
export async function pageOfSession(
  from: Queryable,
  scope: NoteScope,
  limits: ListLimits,
  cursor?: string,
): Promise<NotePage> {
  const place = cursor === undefined ? undefined : placeOf(cursor);
  const rows = await rowsAfter(from, scope, place, limits.listItems + 1);
  const annotations = await loadFitting(from, rows, limits);
  const last = rows[annotations.length - 1];
  const isTruncated = annotations.length < rows.length;
  // A number names one note of a session only.
  const hasNext = isTruncated && last !== undefined && scope.sessionId !== undefined;
  const isWhole = !isTruncated && place === undefined;
  const total = isWhole ? annotations.length : await countOf(scopedQuery(from, scope));
  return { annotations, total, isTruncated, ...(hasNext && { nextCursor: cursorAfter(last) }) };
}

async function rowsAfter(
  from: Queryable,
  scope: NoteScope,
  place: Place | undefined,
  count: number,
): Promise<AnnotationRow[]> {
  const query = scopedQuery(from, scope).selectAll().orderBy('number', 'desc');
  const below = (part: typeof query) => (place === undefined ? part : part.where('number', '<', place.below));
  const closed = query.where('status', 'in', CLOSED);
  if (place?.isClosed === true) return below(closed).limit(count).execute();
  const open = await below(query.where('status', 'not in', CLOSED))
    .limit(count)
    .execute();
  if (open.length === count) return open;
  return [...open, ...(await closed.limit(count - open.length).execute())];
}

function cursorAfter({ status, number }: AnnotationRow): string {
  return `${CLOSED.some((closed) => closed === status) ? 'c' : 'o'}${number}`;
}

function placeOf(cursor: string): Place {
  const [, kind, number] = CURSOR.exec(cursor) ?? [];
  if (kind === undefined) {
    throw new ToolError('invalid', 'cursor: use the nextCursor of the page before');
  }
  return { isClosed: kind === 'c', below: Number(number) };
}
