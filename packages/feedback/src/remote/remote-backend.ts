/** The backend over HTTP: one request for each call, two at once for a post with its comments. */
import type { FeedbackBackend, WideSearch } from '../backend.ts';
import { RESOURCE_ITEMS } from '../resources.ts';
import { excerptOf } from '../tools/excerpt.ts';
import { only, ShownEntry, ShownItem, ShownPost } from '../tools/shapes.ts';
import type { Envelope, RemoteCall, RemoteClient } from './client.ts';
import { createExtendedBackend } from './extended-backend.ts';
import { maybeRemoteId, remoteId, remoteIds } from './ids.ts';
import { itemsIn, pageIn, thingIn, threadIn, threadsIn } from './reading.ts';

/** Sends one call; the signal of the tool call is bound already. */
export type Send = (call: RemoteCall, signal?: AbortSignal) => Promise<Envelope>;

/** Creates the backend for one tool call. */
export function createRemoteBackend(client: RemoteClient, signal: AbortSignal): FeedbackBackend {
  const send: Send = (call, own = signal) => client.request(call, own);
  return {
    async search(input) {
      return pageIn(ShownItem, await send({ method: 'GET', path: ['posts'], query: postQuery(input) }));
    },
    post: (postId) => postWithComments(send, signal, remoteId('post', postId)),
    async triage(postId, change) {
      const id = remoteId('post', postId);
      maybeRemoteId('status', change.statusId);
      maybeRemoteId('member', change.ownerMemberId);
      remoteIds('tag', change.tagIds);
      const answer = await send({ method: 'PATCH', path: ['posts', id], body: { ...change } });
      return thingIn(ShownPost, answer, { id });
    },
    async addComment({ postId, content, parentId, isPrivate }) {
      const id = remoteId('post', postId);
      const body = { content, parentId: maybeRemoteId('comment', parentId), isPrivate };
      return threadIn(await send({ method: 'POST', path: ['posts', id, 'comments'], body }));
    },
    async createPost(input) {
      remoteId('board', input.boardId);
      maybeRemoteId('status', input.statusId);
      remoteIds('tag', input.tagIds);
      return thingIn(ShownPost, await send({ method: 'POST', path: ['posts'], body: { ...input } }));
    },
    async createEntry(input) {
      return thingIn(ShownEntry, await send({ method: 'POST', path: ['changelog'], body: { ...input } }));
    },
    ...lists(send),
    ...createExtendedBackend(send),
    async findPosts(input) {
      const answer = await send({ method: 'GET', path: ['posts'], query: postQuery(input) });
      const page = pageIn(ShownItem, answer);
      return { ...page, items: page.items.map(excerptOf) };
    },
  };
}

function lists(send: Send): Pick<FeedbackBackend, 'boards' | 'statuses' | 'tags' | 'roadmaps' | 'members'> {
  const read = async (noun: keyof typeof RESOURCE_ITEMS) => {
    const items = itemsIn(RESOURCE_ITEMS[noun], await send({ method: 'GET', path: [noun] }));
    return items.map((item) => only(RESOURCE_ITEMS[noun], item));
  };
  return {
    boards: () => read('boards'),
    statuses: () => read('statuses'),
    tags: () => read('tags'),
    roadmaps: () => read('roadmaps'),
    async members() {
      const all = await read('members');
      return all.filter((member) => !('role' in member) || member.role !== 'user');
    },
  };
}

/** Both are read at once; when one fails, the other is not waited for. */
async function postWithComments(send: Send, signal: AbortSignal, id: string) {
  const other = new AbortController();
  const both = AbortSignal.any([signal, other.signal]);
  const part = async (path: string[]) => {
    try {
      return await send({ method: 'GET', path }, both);
    } catch (error) {
      other.abort(error);
      throw error;
    }
  };
  const [post, comments] = await Promise.all([part(['posts', id]), part(['posts', id, 'comments'])]);
  return { ...thingIn(ShownPost, post, { id }), comments: threadsIn(comments) };
}

function postQuery(input: WideSearch): Record<string, string | undefined> {
  const { query, boardId, status, tagIds, sort, limit, cursor, dateFrom, dateTo } = input;
  return {
    search: query,
    boardId: maybeRemoteId('board', boardId),
    status,
    tagIds: remoteIds('tag', tagIds)?.join(','),
    ownerMemberId: maybeRemoteId('member', input.ownerMemberId),
    dateFrom,
    dateTo,
    showDeleted: input.showDeleted === true ? 'true' : undefined,
    sort,
    limit: String(limit),
    cursor,
  };
}
