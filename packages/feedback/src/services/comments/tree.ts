/** The thread of a post: root comments oldest first, replies below them. */
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { isTeam } from '../../actor.ts';
import type { FeedbackTables } from '../../schema.ts';
import type { CommentNode } from '../../shapes/posts.ts';
import { MAX_LEVELS } from './depth.ts';
import { selectComments, toComment } from './rows.ts';
import { findPost } from '../posts/access.ts';
import { duplicatesOf } from '../posts/family.ts';
import { reactionsOf } from './reaction-counts.ts';

/** Everything that the reader may see of what was said about a post and its duplicates. */
export async function commentTree(from: Queryable, reader: Actor, postId: string): Promise<CommentNode[]> {
  await findPost(from, reader, postId);
  const postIds = [postId, ...(await shownDuplicates(from, reader, postId))];
  const rows = await selectComments(from)
    .where('comment.organization_id', '=', reader.organizationId)
    .where('comment.post_id', 'in', postIds)
    .$if(!isTeam(reader), (query) => query.where('comment.is_private', '=', 0))
    .orderBy('comment.created_at')
    .orderBy('comment.id')
    .execute();
  if (rows.length === 0) return [];
  const reactions = await reactionsOf(from, reader, { postIds });
  const nodes = rows.map((row): CommentNode => ({ ...toComment(row, reactions.get(row.id)), replies: [] }));
  return isTeam(reader) ? treeOf(nodes) : treeOf(withoutBareStubs(nodes));
}

/** Duplicates whose comments are shown; what came from a board that is not public stays with the team. */
async function shownDuplicates(from: Queryable, reader: Actor, postId: string): Promise<string[]> {
  const ids = await duplicatesOf(from, reader, postId);
  if (isTeam(reader) || ids.length === 0) return ids;
  const rows = await from
    .db<FeedbackTables>()
    .selectFrom('feedback_posts as post')
    .innerJoin('feedback_boards as board', (join) =>
      join
        .onRef('board.organization_id', '=', 'post.organization_id')
        .onRef('board.id', '=', 'post.board_id'),
    )
    .select('post.id')
    .where('post.organization_id', '=', reader.organizationId)
    .where('post.id', 'in', ids)
    .where('post.moderation', '=', 'published')
    .where('post.deleted_at', 'is', null)
    .where('board.is_public', '=', 1)
    .where('board.deleted_at', 'is', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Links nodes that are in order; what stands deeper than the last level is shown on it. No recursion: data may be deep. */
function treeOf(nodes: readonly CommentNode[]): CommentNode[] {
  const places = placesOf(nodes);
  const roots: CommentNode[] = [];
  for (const node of nodes) {
    const parent = node.parentId === null ? undefined : places.get(node.parentId);
    (parent?.host.replies ?? roots).push(node);
  }
  return roots;
}

interface Placed {
  readonly level: number;
  /** The comment that replies are shown under. */
  readonly host: CommentNode;
}

/** Where each comment stands; a parent may come after its reply when both were made in the same moment. */
function placesOf(nodes: readonly CommentNode[]): ReadonlyMap<string, Placed> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const places = new Map<string, Placed>();
  const seen = new Set<string>();
  for (const node of nodes) {
    const path: CommentNode[] = [];
    for (let at: CommentNode | undefined = node; at !== undefined && !seen.has(at.id);) {
      seen.add(at.id);
      path.push(at);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
    for (const each of path.toReversed()) {
      const above = each.parentId === null ? undefined : places.get(each.parentId);
      places.set(each.id, placeBelow(above, each));
    }
  }
  return places;
}

function placeBelow(above: Placed | undefined, node: CommentNode): Placed {
  if (above === undefined) return { level: 0, host: node };
  const level = above.level + 1;
  return level < MAX_LEVELS - 1 ? { level, host: node } : { level: MAX_LEVELS - 2, host: above.host };
}

/** Leaves out stubs under which nothing is left to see, since all replies are private. */
function withoutBareStubs(nodes: readonly CommentNode[]): CommentNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const kept = new Set<string>();
  for (const node of nodes) {
    if (node.deletedAt !== null) continue;
    for (let at: CommentNode | undefined = node; at !== undefined && !kept.has(at.id);) {
      kept.add(at.id);
      at = at.parentId === null ? undefined : byId.get(at.parentId);
    }
  }
  return nodes.filter(({ id }) => kept.has(id));
}
