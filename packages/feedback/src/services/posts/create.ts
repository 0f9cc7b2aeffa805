/** New posts. */
import { ToolError, typeId } from '@parley/kit';
import { toJson } from '@parley/store';
import type { Insertable } from 'kysely';
import type { Actor } from '../../actor.ts';
import { forbidden } from '../../faults.ts';
import type { FeedbackTables, PostRow } from '../../schema.ts';
import { plainWords } from '../../search/words.ts';
import type { CreatePost, PostDetail } from '../../shapes/posts.ts';
import { requirePost } from './access.ts';
import { defaultStatusId, requireBoard, requireStatus, requireTags } from '../references.ts';
import { subscribe } from '../people/follow.ts';
import type { Base, Change } from '../write.ts';
import { change } from '../write.ts';

/** Makes a post with its tags; its author is told of what follows. */
export function createPost(base: Base, actor: Actor, input: CreatePost): Promise<PostDetail> {
  if (input.createdAt !== undefined && actor.rank !== 'admin')
    throw forbidden('Only administrators may set createdAt.');
  return change(base, actor, (current) => insertPost(current, input));
}

/** The same inside a change that is open already; `moderation` is what the board asks for. */
export async function insertPost(
  current: Change,
  input: CreatePost,
  moderation: 'published' | 'pending' = 'published',
): Promise<PostDetail> {
  const { tx, now, actor } = current;
  const { organizationId } = actor;
  const boardId = await requireBoard(current, input.boardId);
  const statusId =
    input.statusId === undefined
      ? await defaultStatusId(current)
      : (await requireStatus(current, input.statusId)).id;
  const tagIds = await requireTags(current, input.tagIds ?? []);
  const createdAt = input.createdAt === undefined ? now : pastMoment(input.createdAt, now);
  const id = typeId('post', createdAt);
  await tx
    .db<FeedbackTables>()
    .insertInto('feedback_posts')
    .values(
      newRow({
        organization_id: organizationId,
        id,
        board_id: boardId,
        status_id: statusId,
        title: input.title,
        content: input.content ?? '',
        content_json: input.contentJson ? toJson(input.contentJson) : null,
        author_member_id: actor.memberId,
        author_user_id: actor.userId,
        agent_name: actor.agentName,
        moderation,
        created_at: createdAt,
      }),
    )
    .execute();
  await putTags(current, id, tagIds);
  await subscribe(current, id, actor.memberId, 'author');
  await current.activity(id, 'created');
  const post = await requirePost(current, id);
  // What waits for the team is announced when it is published.
  if (moderation === 'published')
    await current.event('post.created', { postId: id, boardId }, { post: withoutEmail(post) });
  await current.touch('posts');
  await current.touch('boards');
  return post;
}

type Given =
  | 'organization_id'
  | 'id'
  | 'board_id'
  | 'status_id'
  | 'title'
  | 'content'
  | 'author_member_id'
  | 'author_user_id'
  | 'created_at';

/** The row of a new post: what is given, and nothing that comes later. */
export function newRow(
  given: Pick<Insertable<PostRow>, Given> & Partial<Insertable<PostRow>>,
): Insertable<PostRow> {
  return {
    content_json: null,
    agent_name: null,
    owner_member_id: null,
    vote_count: 0,
    comment_count: 0,
    vote_threshold: 0,
    official_response: null,
    official_response_user_id: null,
    official_response_at: null,
    pinned_comment_id: null,
    merged_into_id: null,
    moderation: 'published',
    search_title: plainWords(given.title),
    search_content: plainWords(given.content),
    updated_at: given.created_at,
    deleted_at: null,
    ...given,
  };
}

/** A post as events carry it. */
export function withoutEmail({ authorEmail: _email, ...post }: PostDetail): PostDetail {
  return post;
}

/** Puts tags on a post. */
export async function putTags(
  { tx, actor }: Change,
  postId: string,
  tagIds: readonly string[],
): Promise<void> {
  if (tagIds.length === 0) return;
  const rows = tagIds.map((tagId) => ({
    organization_id: actor.organizationId,
    post_id: postId,
    tag_id: tagId,
  }));
  await tx.db<FeedbackTables>().insertInto('feedback_post_tags').values(rows).execute();
}

function pastMoment(text: string, now: number): number {
  const at = Date.parse(text);
  if (Number.isNaN(at) || at < 0 || at > now)
    throw new ToolError('invalid', 'createdAt: must be a time between 1970 and now');
  return at;
}
