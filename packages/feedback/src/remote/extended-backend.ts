/** The second tier over HTTP; a server may be of a version that lacks some of it. */
import type { FeedbackBackend } from '../backend.ts';
import { excerptOf } from '../tools/excerpt.ts';
import {
  ShownActivity,
  ShownComment,
  ShownEntry,
  ShownPost,
  ShownReactions,
  ShownVote,
} from '../tools/shapes.ts';
import { fieldOf } from './faults.ts';
import { maybeRemoteId, remoteId, remoteIds } from './ids.ts';
import { dataIn, pageIn, thingIn } from './reading.ts';
import type { Send } from './remote-backend.ts';

type Extended = Omit<
  FeedbackBackend,
  | 'search'
  | 'post'
  | 'triage'
  | 'addComment'
  | 'createPost'
  | 'createEntry'
  | 'findPosts'
  | 'boards'
  | 'statuses'
  | 'tags'
  | 'roadmaps'
  | 'members'
>;

/** Creates that part of the backend. */
export function createExtendedBackend(send: Send): Extended {
  return { ...postWork(send), ...commentWork(send), ...planWork(send) };
}

type Part<Method extends keyof Extended> = Pick<Extended, Method>;

function postWork(
  send: Send,
): Part<
  'activity' | 'vote' | 'proxyVote' | 'updatePost' | 'merge' | 'unmerge' | 'deletePost' | 'restorePost'
> {
  return {
    async activity(postId, { limit, cursor }) {
      const path = ['posts', remoteId('post', postId), 'activity'];
      const query = { limit: String(limit), cursor };
      return pageIn(ShownActivity, await send({ method: 'GET', path, query, what: 'post activity' }));
    },
    async vote(postId, isVoted) {
      const path = ['posts', remoteId('post', postId), 'vote'];
      return dataIn(
        ShownVote,
        await send({ method: isVoted ? 'PUT' : 'DELETE', path, what: 'setting votes' }),
      );
    },
    async proxyVote({ postId, memberId, isVoted, source }) {
      const path = ['posts', remoteId('post', postId), 'vote', 'proxy'];
      const member = remoteId('member', memberId);
      const what = 'votes on behalf of somebody';
      if (isVoted)
        return dataIn(
          ShownVote,
          await send({ method: 'POST', path, body: { memberId: member, source }, what }),
        );
      return dataIn(ShownVote, await send({ method: 'DELETE', path, query: { memberId: member }, what }));
    },
    async updatePost(postId, change) {
      const id = remoteId('post', postId);
      maybeRemoteId('board', change.boardId);
      return thingIn(ShownPost, await send({ method: 'PATCH', path: ['posts', id], body: { ...change } }), {
        id,
      });
    },
    async merge(duplicatePostId, canonicalPostId) {
      const path = ['posts', remoteId('post', duplicatePostId), 'merge'];
      const body = { canonicalPostId: remoteId('post', canonicalPostId) };
      const answer = await send({ method: 'POST', path, body, what: 'merging posts' });
      return thingIn(ShownPost, answer, { id: canonicalPostId });
    },
    async unmerge(postId) {
      const id = remoteId('post', postId);
      const answer = await send({ method: 'POST', path: ['posts', id, 'unmerge'], what: 'unmerging posts' });
      return thingIn(ShownPost, answer, { id });
    },
    async deletePost(postId) {
      const id = remoteId('post', postId);
      await send({ method: 'DELETE', path: ['posts', id], what: 'deleting posts' });
      return { id, isDeleted: true };
    },
    async restorePost(postId) {
      const id = remoteId('post', postId);
      const answer = await send({ method: 'POST', path: ['posts', id, 'restore'], what: 'restoring posts' });
      return thingIn(ShownPost, answer, { id });
    },
  };
}

function commentWork(send: Send): Part<'updateComment' | 'deleteComment' | 'react' | 'pin'> {
  return {
    async updateComment(commentId, content) {
      const id = remoteId('comment', commentId);
      const what = 'editing comments';
      return thingIn(
        ShownComment,
        await send({ method: 'PATCH', path: ['comments', id], body: { content }, what }),
        { id },
      );
    },
    async deleteComment(commentId) {
      const id = remoteId('comment', commentId);
      await send({ method: 'DELETE', path: ['comments', id], what: 'deleting comments' });
      return { id, isDeleted: true };
    },
    async react(commentId, emoji, isOn) {
      const path = ['comments', remoteId('comment', commentId), 'reactions', emoji];
      const answer = await send({ method: isOn ? 'PUT' : 'DELETE', path, what: 'reactions' });
      return dataIn(ShownReactions, answer && { ...answer, data: { reactions: answer.data } });
    },
    async pin(postId, commentId) {
      const id = remoteId('post', postId);
      const path = ['posts', id, 'pin'];
      const what = 'pinned comments';
      const comment = maybeRemoteId('comment', commentId);
      const answer =
        comment === null
          ? await send({ method: 'DELETE', path, what })
          : await send({ method: 'PUT', path, body: { commentId: comment }, what });
      return thingIn(ShownPost, answer, { id });
    },
  };
}

function planWork(send: Send): Part<'findEntries' | 'placeOnRoadmap' | 'updateEntry' | 'deleteEntry'> {
  return {
    async findEntries({ limit, cursor }) {
      const query = { limit: String(limit), cursor };
      const page = pageIn(
        ShownEntry,
        await send({ method: 'GET', path: ['changelog'], query, what: 'the changelog' }),
      );
      return { ...page, items: page.items.map(excerptOf) };
    },
    async placeOnRoadmap(input) {
      const roadmapId = remoteId('roadmap', input.roadmapId);
      const postId = remoteId('post', input.postId);
      const what = 'posts on roadmaps';
      const path = ['roadmaps', roadmapId, 'posts'];
      if (input.action === 'remove') {
        await send({ method: 'DELETE', path: [...path, postId], what });
        return { roadmapId, postId, isOnRoadmap: false, position: null };
      }
      const answer =
        input.action === 'move'
          ? await send({ method: 'PATCH', path: [...path, postId], body: { position: input.position }, what })
          : await send({ method: 'POST', path, body: { postId }, what });
      const position = fieldOf(answer?.data, 'position');
      return {
        roadmapId,
        postId,
        isOnRoadmap: true,
        position: Number.isSafeInteger(position) ? Number(position) : null,
      };
    },
    async updateEntry(changelogId, change) {
      const id = remoteId('changelog', changelogId);
      remoteIds('post', change.linkedPostIds);
      const what = 'changing changelog entries';
      const answer = await send({ method: 'PATCH', path: ['changelog', id], body: { ...change }, what });
      return thingIn(ShownEntry, answer, { id });
    },
    async deleteEntry(changelogId) {
      const id = remoteId('changelog', changelogId);
      await send({ method: 'DELETE', path: ['changelog', id], what: 'deleting changelog entries' });
      return { id, isDeleted: true };
    },
  };
}
