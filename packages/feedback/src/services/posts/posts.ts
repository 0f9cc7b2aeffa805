/** Posts: listed, read, made, changed, deleted and restored. */
import type { Actor } from '../../actor.ts';
import type {
  CreatePost,
  Page,
  PageQuery,
  PatchPost,
  PostDetail,
  PostFilter,
  PostItem,
  PostSort,
} from '../../shapes/posts.ts';
import { createPost } from './create.ts';
import { deletePost, restorePost } from './delete.ts';
import { listPosts } from './list.ts';
import { loadDetail } from './rows.ts';
import { updatePost } from './update.ts';
import { checkId } from '../../ids.ts';
import { notFound } from '../../faults.ts';
import type { Base } from '../write.ts';

/** Looks at what is stored before it is changed, inside the transaction; throws to refuse. */
export type CheckCurrent<T> = (current: T) => void;

export interface PostService {
  /** For the team: every board. Merged, deleted and unpublished posts are left out. */
  list(
    actor: Actor,
    query: PostFilter & PageQuery & { readonly sort?: PostSort | undefined },
  ): Promise<Page<PostItem>>;
  get(actor: Actor, id: string): Promise<PostDetail>;
  create(actor: Actor, input: CreatePost): Promise<PostDetail>;
  update(actor: Actor, id: string, input: PatchPost, check?: CheckCurrent<PostDetail>): Promise<PostDetail>;
  delete(actor: Actor, id: string, check?: CheckCurrent<PostDetail>): Promise<void>;
  restore(actor: Actor, id: string): Promise<PostDetail>;
}

export function createPosts(base: Base): PostService {
  return {
    list: (actor, query) => listPosts(base, actor, query),
    async get(actor, id) {
      const post = await loadDetail(base.store, actor, checkId('post', id));
      if (post === undefined) throw notFound('Post');
      return post;
    },
    create: async (actor, input) => createPost(base, actor, input),
    update: async (actor, id, input, check) =>
      updatePost(base, actor, { id: checkId('post', id), input, check }),
    delete: async (actor, id, check) => deletePost(base, actor, checkId('post', id), check),
    restore: async (actor, id) => restorePost(base, actor, checkId('post', id)),
  };
}
