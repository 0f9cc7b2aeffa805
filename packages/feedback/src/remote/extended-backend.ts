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
import { isPrincipal } from './dialect.ts';
import { fieldOf, NotOffered } from './faults.ts';
import { maybeRemoteId, remoteId, remoteIds } from './ids.ts';
import { dataIn, pageIn } from './reading.ts';
import type { Remote } from './remote-call.ts';
import { momentOf } from './remote-call.ts';
import { settled } from './written.ts';

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

export function createExtendedBackend(remote: Remote): Extended {
  return { ...postWork(remote), ...mergeWork(remote), ...commentWork(remote), ...planWork(remote) };
}

type Part<Method extends keyof Extended> = Pick<Extended, Method>;

function postWork({
  send,
  names,
  rereading,
}: Remote): Part<'activity' | 'vote' | 'proxyVote' | 'updatePost' | 'deletePost' | 'restorePost'> {
  return {
    async activity(postId, { limit, cursor }) {
      const path = ['posts', remoteId('post', postId), 'activity'];
      const query = { limit: String(limit), cursor };
      return pageIn(ShownActivity, await send({ method: 'GET', path, query, what: 'post activity' }));
    },
    async vote(postId, isVoted) {
      const path = ['posts', remoteId('post', postId), 'vote'];
      const answer = await send({ method: isVoted ? 'PUT' : 'DELETE', path, what: 'setting votes' });
      const shown = dataIn(ShownVote, answer);
      if (shown.voted === !isVoted) throw answer.unreadable('the vote is not as asked');
      return { ...shown, voted: isVoted };
    },
    async proxyVote({ postId, memberId, isVoted, source }) {
      const path = ['posts', remoteId('post', postId), 'vote', 'proxy'];
      const member = await names.idOf('member', memberId);
      const what = 'votes on behalf of somebody';
      if (isPrincipal(member)) {
        if (source !== undefined)
          throw new NotOffered(
            'sources of votes',
            'This feedback server does not keep the source of a vote. Nothing was changed: leave source out.',
          );
        const body = { voterPrincipalId: member };
        const answer = await send({ method: isVoted ? 'POST' : 'DELETE', path, body, what });
        // It says whether the vote is a new one; the route never takes one away.
        return { ...dataIn(ShownVote, answer), voted: isVoted };
      }
      const call = isVoted
        ? ({ method: 'POST', path, body: { memberId: member, source }, what } as const)
        : ({ method: 'DELETE', path, query: { memberId: member }, what } as const);
      const answer = await send(call);
      const shown = dataIn(ShownVote, answer);
      if (shown.voted === !isVoted) throw answer.unreadable('the vote is not as asked');
      return { ...shown, voted: isVoted };
    },
    async updatePost(postId, change) {
      const id = remoteId('post', postId);
      const asked = { ...change, boardId: await names.idOf('board', change.boardId) };
      const answer = await send({ method: 'PATCH', path: ['posts', id], body: asked });
      return settled(ShownPost, { asked, answer, id, ...rereading('posts') });
    },
    async deletePost(postId) {
      const id = remoteId('post', postId);
      await send({ method: 'DELETE', path: ['posts', id], what: 'deleting posts' });
      return { id, isDeleted: true };
    },
    async restorePost(postId) {
      const id = remoteId('post', postId);
      const answer = await send({ method: 'POST', path: ['posts', id, 'restore'], what: 'restoring posts' });
      return settled(ShownPost, { asked: { deletedAt: null }, answer, id, ...rereading('posts') });
    },
  };
}

function mergeWork({ send, rereading }: Remote): Part<'merge' | 'unmerge'> {
  return {
    async merge(duplicatePostId, canonicalPostId) {
      const duplicate = remoteId('post', duplicatePostId);
      const id = remoteId('post', canonicalPostId);
      const path = ['posts', duplicate, 'merge'];
      const answer = await send({
        method: 'POST',
        path,
        body: { canonicalPostId: id },
        what: 'merging posts',
      });
      const stays = fieldOf(fieldOf(answer.data, 'canonicalPost'), 'id') ?? fieldOf(answer.data, 'id');
      // An answer about neither post says nothing: the duplicate itself has to.
      if (stays !== id)
        await settled(ShownPost, {
          asked: { mergedIntoId: id },
          answer: { ...answer, data: undefined },
          id: duplicate,
          ...rereading('posts'),
        });
      return settled(ShownPost, { asked: {}, answer, id, ...rereading('posts') });
    },
    async unmerge(postId) {
      const id = remoteId('post', postId);
      const answer = await send({ method: 'POST', path: ['posts', id, 'unmerge'], what: 'unmerging posts' });
      return settled(ShownPost, { asked: { mergedIntoId: null }, answer, id, ...rereading('posts') });
    },
  };
}

function commentWork({ send, rereading }: Remote): Part<'updateComment' | 'deleteComment' | 'react' | 'pin'> {
  return {
    async updateComment(commentId, content) {
      const id = remoteId('comment', commentId);
      const what = 'editing comments';
      const answer = await send({ method: 'PATCH', path: ['comments', id], body: { content }, what });
      return settled(ShownComment, { asked: { content }, answer, id, ...rereading('comments') });
    },
    async deleteComment(commentId) {
      const id = remoteId('comment', commentId);
      await send({ method: 'DELETE', path: ['comments', id], what: 'deleting comments' });
      return { id, isDeleted: true };
    },
    async react(commentId, emoji, isOn) {
      const path = ['comments', remoteId('comment', commentId), 'reactions', emoji];
      const answer = await send({ method: isOn ? 'PUT' : 'DELETE', path, what: 'reactions' });
      // The list does not always tell whose reactions it counts.
      const { reactions } = dataIn(ShownReactions, { ...answer, data: { reactions: answer.data } });
      const mine = reactions.find((reaction) => reaction.emoji === emoji);
      const isThere = mine !== undefined && mine.hasReacted !== false;
      if (isOn ? !isThere : mine?.hasReacted === true)
        throw answer.unreadable('the reaction is not as asked');
      return { reactions };
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
      return settled(ShownPost, { asked: { commentId: comment }, answer, id, ...rereading('posts') });
    },
  };
}

function planWork({
  send,
  names,
  rereading,
}: Remote): Part<'findEntries' | 'placeOnRoadmap' | 'updateEntry' | 'deleteEntry'> {
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
      const postId = remoteId('post', input.postId);
      const roadmapId = await names.idOf('roadmap', input.roadmapId);
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
      const position = fieldOf(answer.data, 'position');
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
      const asked = { ...change, publishedAt: momentOf(change.publishedAt) };
      const answer = await send({ method: 'PATCH', path: ['changelog', id], body: asked, what });
      return settled(ShownEntry, { asked, answer, id, ...rereading('changelog') });
    },
    async deleteEntry(changelogId) {
      const id = remoteId('changelog', changelogId);
      await send({ method: 'DELETE', path: ['changelog', id], what: 'deleting changelog entries' });
      return { id, isDeleted: true };
    },
  };
}
