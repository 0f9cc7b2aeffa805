/** Changes of a post: all of what is asked, or nothing. */
import type { Selectable, Updateable } from 'kysely';
import { toJson } from '@parley/store';
import type { Actor } from '../../actor.ts';
import { conflict } from '../../faults.ts';
import { fromIdentityId } from '../../ids.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import { plainWords } from '../../search/words.ts';
import type { PatchPost, PostDetail } from '../../shapes/posts.ts';
import { holdPost, requirePost } from './access.ts';
import { putTags, withoutEmail } from './create.ts';
import { tagsOf } from './rows.ts';
import type { CheckCurrent } from './posts.ts';
import { requireBoard, requireStatus, requireTags, requireTeamMember } from '../references.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** One change of one post. */
export interface PostUpdate {
  readonly id: string;
  readonly input: PatchPost;
  readonly check: CheckCurrent<PostDetail> | undefined;
}

/** Changes what is given; what is absent stays. */
export function updatePost(base: Base, actor: Actor, { id, input, check }: PostUpdate): Promise<PostDetail> {
  return change(base, actor, async (current) => {
    const row = await holdPost(current, id);
    if (row.deleted_at !== null) throw conflict('This post is deleted. Restore it first.');
    check?.(await requirePost(current, id));
    const set = {
      ...textsOf(input),
      ...(await placeOf(current, row, input)),
      ...(await ownerOf(base, current, row, input)),
      ...(await responseOf(current, row, input)),
    };
    const isRetagged = await changeTags(current, id, input.tagIds);
    if (Object.keys(set).length === 0 && !isRetagged) return requirePost(current, id);
    await current.tx
      .db<FeedbackTables>()
      .updateTable('feedback_posts')
      .set({ ...set, updated_at: Math.max(current.now, row.updated_at + 1) })
      .where('organization_id', '=', actor.organizationId)
      .where('id', '=', id)
      .execute();
    return announce(current, row, id);
  });
}

type Set = Updateable<PostRow>;

/** The columns of the texts that are given. */
export function textsOf({ title, content, contentJson }: PatchPost): Set {
  return {
    ...(title !== undefined && { title, search_title: plainWords(title) }),
    ...(content !== undefined && { content, search_content: plainWords(content) }),
    ...(contentJson !== undefined && { content_json: contentJson === null ? null : toJson(contentJson) }),
  };
}

async function placeOf(current: Change, row: Selectable<PostRow>, input: PatchPost): Promise<Set> {
  const set: Set = {};
  if (input.boardId !== undefined) {
    set.board_id = await requireBoard(current, input.boardId);
    if (set.board_id !== row.board_id)
      await current.activity(row.id, 'board_changed', row.board_id, set.board_id);
  }
  if (input.statusId !== undefined) {
    set.status_id = (await requireStatus(current, input.statusId)).id;
    if (set.status_id !== row.status_id)
      await current.activity(row.id, 'status_changed', row.status_id, set.status_id);
  }
  return set;
}

async function ownerOf(
  base: Base,
  current: Change,
  row: Selectable<PostRow>,
  { ownerMemberId }: PatchPost,
): Promise<Set> {
  if (ownerMemberId === undefined) return {};
  const owner =
    ownerMemberId === null ? null : await requireTeamMember(base.identity, current, ownerMemberId);
  if (owner !== row.owner_member_id)
    await current.activity(row.id, 'owner_changed', shown(row.owner_member_id), shown(owner));
  return { owner_member_id: owner };
}

function shown(memberId: string | null): string | null {
  return memberId === null ? null : fromIdentityId('member', memberId);
}

async function responseOf(
  current: Change,
  row: Selectable<PostRow>,
  { officialResponse }: PatchPost,
): Promise<Set> {
  if (officialResponse === undefined) return {};
  if (officialResponse === null || officialResponse === '') {
    if (row.official_response !== null) await current.activity(row.id, 'response_removed');
    return { official_response: null, official_response_user_id: null, official_response_at: null };
  }
  if (officialResponse === row.official_response) return {};
  await current.activity(row.id, row.official_response === null ? 'response_added' : 'response_changed');
  return {
    official_response: officialResponse,
    official_response_user_id: current.actor.userId,
    official_response_at: current.now,
  };
}

async function changeTags(
  current: Change,
  id: string,
  wanted: readonly string[] | undefined,
): Promise<boolean> {
  if (wanted === undefined) return false;
  const { tx, actor } = current;
  const tagIds = await requireTags(current, wanted);
  const before = (await tagsOf(tx, actor.organizationId, [id])).get(id) ?? [];
  const isSame = before.length === tagIds.length && before.every((tag) => tagIds.includes(tag.id));
  if (isSame) return false;
  await tx
    .db<FeedbackTables>()
    .deleteFrom('feedback_post_tags')
    .where('organization_id', '=', actor.organizationId)
    .where('post_id', '=', id)
    .execute();
  await putTags(current, id, tagIds);
  const names = (ids: readonly string[]) => (ids.length === 0 ? null : ids.toSorted().join(','));
  await current.activity(id, 'tags_changed', names(before.map((tag) => tag.id)), names(tagIds));
  return true;
}

/** Tells of a change that is written; `row` is the post before it. */
export async function announce(current: Change, row: Selectable<PostRow>, id: string): Promise<PostDetail> {
  const post = await requirePost(current, id);
  const about = { postId: id, boardId: post.boardId };
  const data = { post: withoutEmail(post) };
  const isKnown = row.moderation === 'published';
  if (isKnown) await current.event('post.updated', about, data);
  if (isKnown && post.statusId !== row.status_id) {
    await current.event('post.status_changed', about, {
      ...data,
      previousStatusId: row.status_id,
      statusId: post.statusId,
    });
  }
  if (post.boardId !== row.board_id) await current.touch('boards');
  await current.touch('posts');
  return post;
}
