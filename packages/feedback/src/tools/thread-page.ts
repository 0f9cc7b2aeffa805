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
  const left = start === undefined ? all : all.filter((placed) => compare(placeOf(placed), start) > 0);
  const shown = firstOf(left, limit);
  const last = shown.at(-1);
  const hasMore = last !== undefined && shown.length < left.length;
  return {
    comments: nested(shown),
    nextCursor: hasMore ? encodeCursor(scope, placeOf(last)) : null,
    hasMore,
  };
}

/** A comment without its replies, and the one that it answers. */
interface Placed {
  readonly comment: ShownThread;
  readonly parent: Placed | undefined;
}

function flat(roots: readonly ShownThread[]): Placed[] {
  const found: Placed[] = [];
  const open: [node: unknown, parent: Placed | undefined][] = roots.map((root) => [root, undefined]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    // A tree holds nothing but comments.
    const { replies, ...comment } = next[0] as ShownThread;
    const placed: Placed = { comment: { ...comment, replies: [] }, parent: next[1] };
    found.push(placed);
    for (const reply of replies ?? []) open.push([reply, placed]);
  }
  return found;
}

function placeOf({ comment: { createdAt, id } }: Placed): CursorPosition {
  const at = Date.parse(createdAt ?? '');
  return { key: Number.isNaN(at) ? 0 : at, id: id ?? '' };
}

function compare(a: CursorPosition, b: CursorPosition): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

function firstOf(placed: readonly Placed[], limit: number): Placed[] {
  let characters = 0;
  const end = placed.slice(0, limit).findIndex(({ comment }, index) => {
    characters += JSON.stringify(comment).length;
    return index > 0 && characters > MAX_CHARACTERS;
  });
  return placed.slice(0, end === -1 ? limit : end);
}

function nested(placed: readonly Placed[]): ShownThread[] {
  const here = new Set(placed);
  const roots: ShownThread[] = [];
  for (const { comment, parent } of placed) {
    const isBelow = parent !== undefined && here.has(parent);
    (isBelow ? parent.comment.replies : roots)?.push(comment);
  }
  return roots;
}
