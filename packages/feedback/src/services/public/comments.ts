/** Comments that everybody may see, in the order of their threads. */
import type { Queryable } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { fromIdentityId } from '../../ids.ts';
import type { CommentNode } from '../../shapes/posts.ts';
import { commentTree } from '../comments/tree.ts';
import type { PublicComment, Viewer } from './shapes.ts';

/** Whose comments are asked for, and who reads them. */
export interface AskedComments {
  readonly organizationId: string;
  readonly postId: string;
  readonly viewer?: Viewer | undefined;
}

/** The threads of a post, each comment followed by its replies. Whoever reads, it is what visitors see. */
export async function publicComments(from: Queryable, asked: AskedComments): Promise<PublicComment[]> {
  const memberId = asked.viewer?.memberId ?? '';
  const reader: Actor = {
    organizationId: asked.organizationId,
    memberId,
    userId: '',
    rank: 'user',
    agentName: null,
    mayList: [],
  };
  const own = memberId === '' ? null : fromIdentityId('member', memberId);
  const ordered: PublicComment[] = [];
  const stack = below(await commentTree(from, reader, asked.postId), 0);
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    ordered.push(toPublic(next, own));
    // One by one: a long list of replies is more than a call takes as arguments.
    for (const reply of below(next.node.replies, next.depth + 1)) stack.push(reply);
  }
  return ordered;
}

interface Placed {
  readonly node: CommentNode;
  readonly depth: number;
}

/** The first of them is taken first. */
function below(nodes: readonly CommentNode[], depth: number): Placed[] {
  return nodes.toReversed().map((node) => ({ node, depth }));
}

function toPublic({ node, depth }: Placed, own: string | null): PublicComment {
  const { id, parentId, authorName, isTeamMember, createdAt, editedAt, reactions } = node;
  const isDeleted = node.deletedAt !== null;
  const isOwn = own !== null && node.memberId === own;
  const content = isDeleted ? '' : node.content;
  return {
    id,
    parentId,
    depth,
    content,
    authorName,
    isTeamMember,
    isDeleted,
    isOwn,
    createdAt,
    editedAt,
    reactions,
  };
}
