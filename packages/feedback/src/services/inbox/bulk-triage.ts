/** One change for many posts: each is changed or not, by itself, and says which. */
import { ToolError } from '@parley/kit';
import type { Actor } from '../../actor.ts';
import { checkId, fromIdentityId } from '../../ids.ts';
import type { TriageChange } from '../../shapes/inbox.ts';
import { MAX_TRIAGED } from '../../shapes/inbox.ts';
import { idOf } from '../names.ts';
import { memberIdOf } from '../people/people-names.ts';
import { updatePost } from '../posts/update.ts';
import type { Base } from '../write.ts';

/** What became of one post. */
export interface TriageResult {
  readonly id: string;
  readonly ok: boolean;
  /** Why it was not changed. */
  readonly error?: ToolError;
}

/** Changes the posts one after the other, each in its own transaction. */
export async function bulkTriage(
  base: Base,
  actor: Actor,
  ids: readonly string[],
  { statusId, tagIds, ownerMemberId, boardId }: TriageChange,
): Promise<TriageResult[]> {
  checkPosts(ids);
  const change = await resolveChange(base, actor, { statusId, tagIds, ownerMemberId, boardId });
  const results: TriageResult[] = [];
  for (const id of ids) {
    const update = updatePost(base, actor, { id, input: change, check: undefined });
    results.push(
      await update.then(
        () => ({ id, ok: true }),
        (error: unknown) => failure(id, error),
      ),
    );
  }
  return results;
}

/** A refusal belongs to its post; anything else is a fault of ours and ends the work. */
function failure(id: string, error: unknown): TriageResult {
  if (error instanceof ToolError) return { id, ok: false, error };
  throw error;
}

function checkPosts(ids: readonly string[]): void {
  if (ids.length === 0 || ids.length > MAX_TRIAGED)
    throw new ToolError('invalid', `ids: must have 1 to ${MAX_TRIAGED} entries`);
  for (const id of ids) checkId('post', id);
  if (new Set(ids).size !== ids.length) throw new ToolError('invalid', 'ids: must name each post once');
}

/** Names are looked up once, so that a wrong one is told once and not for each post. */
async function resolveChange(
  { store }: Base,
  actor: Actor,
  { statusId, tagIds, ownerMemberId, boardId }: TriageChange,
): Promise<TriageChange> {
  if ([statusId, tagIds, ownerMemberId, boardId].every((value) => value === undefined))
    throw new ToolError('invalid', 'Name at least one of statusId, tagIds, ownerMemberId and boardId.');
  const tags: string[] = [];
  for (const tag of tagIds ?? []) tags.push(await idOf(store, actor, 'tag', tag));
  return {
    statusId: statusId === undefined ? undefined : await idOf(store, actor, 'status', statusId),
    boardId: boardId === undefined ? undefined : await idOf(store, actor, 'board', boardId),
    ownerMemberId:
      typeof ownerMemberId === 'string'
        ? fromIdentityId('member', await memberIdOf(store, actor, ownerMemberId))
        : ownerMemberId,
    tagIds: tagIds === undefined ? undefined : tags,
  };
}
