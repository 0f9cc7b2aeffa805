/** Comments of a post one page at a time, so that a long thread fits into answers. */
import type { CursorPosition, CursorScope } from '../cursor.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { ShownThread } from './shapes.ts';

/** A page of comments, and where the next one begins. */
export interface ThreadPage {
  readonly comments: ShownThread[];
  readonly nextCursor: string | null;
  readonly hasMore: boolean;
}

/** The most characters of JSON that the comments of one answer have, unless a single one has more. */
const MAX_CHARACTERS = 60_000;

/** The oldest comments after the cursor, replies below their parents where those are on the same page. */
export function pageOfThread(
  roots: readonly ShownThread[],
  asked: { readonly postId: string; readonly limit: number; readonly cursor?: string | undefined },
): ThreadPage {
  const { postId, limit, cursor } = asked;
  const scope: CursorScope = { entity: 'comments', sort: 'oldest', filter: { postId } };
  const start = cursor === undefined ? undefined : decodeCursor(scope, cursor);
  const all = flat(roots).toSorted((a, b) => compare(placeOf(a), placeOf(b)));
  const left = start === undefined ? all : all.filter((comment) => compare(placeOf(comment), start) > 0);
  const shown = firstOf(left, limit);
  const last = shown.at(-1);
  const hasMore = last !== undefined && shown.length < left.length;
  return {
    comments: nested(shown),
    nextCursor: hasMore ? encodeCursor(scope, placeOf(last)) : null,
    hasMore,
  };
}

function flat(roots: readonly ShownThread[]): ShownThread[] {
  const found: ShownThread[] = [];
  const open: unknown[] = [...roots];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    // A tree holds nothing but comments.
    const comment = node as ShownThread;
    found.push({ ...comment, replies: [] });
    for (const reply of comment.replies ?? []) open.push(reply);
  }
  return found;
}

function placeOf({ createdAt, id }: ShownThread): CursorPosition {
  const at = Date.parse(createdAt ?? '');
  return { key: Number.isNaN(at) ? 0 : at, id: id ?? '' };
}

function compare(a: CursorPosition, b: CursorPosition): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function firstOf(comments: readonly ShownThread[], limit: number): ShownThread[] {
  let characters = 0;
  const end = comments.slice(0, limit).findIndex((comment, index) => {
    characters += JSON.stringify(comment).length;
    return index > 0 && characters > MAX_CHARACTERS;
  });
  return comments.slice(0, end === -1 ? limit : end);
}

function nested(comments: readonly ShownThread[]): ShownThread[] {
  const byId = new Map(comments.map((comment) => [comment.id, comment]));
  const isHere = ({ id, parentId }: ShownThread) => parentId !== null && parentId !== id && byId.has(parentId);
  for (const comment of comments)
    if (isHere(comment)) byId.get(comment.parentId)?.replies?.push(comment);
  return comments.filter((comment) => !isHere(comment));
}
