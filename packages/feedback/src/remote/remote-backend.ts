/** The backend over HTTP: what is written is compared with what the server shows, and read again where it does not. */
import type { FeedbackBackend, WideSearch } from '../backend.ts';
import { RESOURCE_ITEMS } from '../resources.ts';
import { excerptOf } from '../tools/excerpt.ts';
import { only, ShownComment, ShownEntry, ShownItem, ShownPost } from '../tools/shapes.ts';
import type { Envelope, RemoteClient, Send } from './client.ts';
import type { Dialect } from './dialect.ts';
import { worded } from './dialect.ts';
import { createExtendedBackend } from './extended-backend.ts';
import { NotOffered } from './faults.ts';
import { checkFilters } from './filters.ts';
import { maybeRemoteId, remoteId } from './ids.ts';
import type { Names } from './named.ts';
import { createNames } from './named.ts';
import { itemsIn, pageIn, thingIn, threadsIn } from './reading.ts';
import type { Remote } from './remote-call.ts';
import { momentOf } from './remote-call.ts';
import { settled } from './written.ts';

/** Creates the backend for one tool call. */
export function createRemoteBackend(
  client: RemoteClient,
  dialect: Dialect,
  signal: AbortSignal,
): FeedbackBackend {
  const sendOut = client.senderFor(signal);
  const send: Send = async (call, own) => {
    const answer = await sendOut(call, own);
    if (call.path[0] === 'posts' && call.path.length < 3) dialect.learn(answer.data);
    return answer;
  };
  const rereading: Remote['rereading'] = (noun) => ({
    signal,
    reread: (id) => send({ method: 'GET', path: [noun, id] }),
  });
  const ownLists = lists(send);
  const names = createNames(ownLists);
  const remote: Remote = { send, dialect, names, signal, rereading };
  const findPosts = async (input: WideSearch) => {
    const search = await withIds(input, names);
    const answer = await send({ method: 'GET', path: ['posts'], query: postQuery(search) });
    const page = pageIn(ShownItem, answer);
    checkFilters(search, answer.data);
    const isNone = page.items.length === 0 && search.cursor === undefined;
    if (isNone && search.status !== undefined) await names.requireSlug(search.status);
    return page;
  };
  return {
    search: findPosts,
    post: (postId) => postWithComments(remote, remoteId('post', postId)),
    async triage(postId, change) {
      const id = remoteId('post', postId);
      const asked = {
        ...change,
        statusId: await names.idOf('status', change.statusId),
        tagIds: await names.idsOf('tag', change.tagIds),
        ownerMemberId: await names.idOf('member', change.ownerMemberId),
      };
      const body = await worded(id, asked, remote);
      const answer = await send({ method: 'PATCH', path: ['posts', id], body });
      return settled(ShownPost, { asked, answer, id, ...rereading('posts') });
    },
    ...creation(remote),
    ...ownLists,
    ...createExtendedBackend(remote),
    async findPosts(input) {
      const page = await findPosts(input);
      return { ...page, items: page.items.map(excerptOf) };
    },
  };
}

function creation({
  send,
  names,
  rereading,
}: Remote): Pick<FeedbackBackend, 'addComment' | 'createPost' | 'createEntry'> {
  const make = (path: string[], asked: Record<string, unknown>) =>
    send({ method: 'POST', path, body: asked, isNew: true });
  return {
    async addComment({ postId, ...asked }) {
      const id = remoteId('post', postId);
      maybeRemoteId('comment', asked.parentId);
      const answer = await make(['posts', id, 'comments'], asked);
      return { ...(await settled(ShownComment, { asked, answer, ...rereading('comments') })), replies: [] };
    },
    async createPost(input) {
      const asked = {
        ...input,
        boardId: await names.idOf('board', input.boardId),
        statusId: await names.idOf('status', input.statusId),
        tagIds: await names.idsOf('tag', input.tagIds),
      };
      const answer = await make(['posts'], asked);
      return settled(ShownPost, { asked, answer, ...rereading('posts') });
    },
    async createEntry(input) {
      const asked = { ...input, publishedAt: momentOf(input.publishedAt) };
      const answer = await make(['changelog'], asked);
      return settled(ShownEntry, { asked, answer, ...rereading('changelog') });
    },
  };
}

function lists(send: Send): Pick<FeedbackBackend, 'boards' | 'statuses' | 'tags' | 'roadmaps' | 'members'> {
  const shown = (noun: keyof typeof RESOURCE_ITEMS, answer: Envelope) =>
    itemsIn(RESOURCE_ITEMS[noun], answer).map((item) => only(RESOURCE_ITEMS[noun], item));
  const read = async (noun: keyof typeof RESOURCE_ITEMS) =>
    shown(noun, await send({ method: 'GET', path: [noun] }));
  return {
    boards: () => read('boards'),
    statuses: () => read('statuses'),
    tags: () => read('tags'),
    roadmaps: () => read('roadmaps'),
    async members() {
      const all = shown('members', await teamOf(send));
      return all.filter((member) => !('role' in member) || member.role !== 'user');
    },
  };
}

/** Newer servers keep their people under another name. */
async function teamOf(send: Send): Promise<Envelope> {
  try {
    return await send({ method: 'GET', path: ['members'], what: 'the list of members' });
  } catch (error) {
    if (!(error instanceof NotOffered)) throw error;
    return send({ method: 'GET', path: ['principals'], what: 'a list of its team' });
  }
}

/** Both are read at once; when one fails, the other is not waited for. */
async function postWithComments({ send, signal }: Remote, id: string) {
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
  return { ...thingIn(ShownPost, post), comments: threadsIn(comments) };
}

async function withIds(search: WideSearch, names: Names): Promise<WideSearch> {
  return {
    ...search,
    boardId: await names.idOf('board', search.boardId),
    status: await names.slugOf(search.status),
    tagIds: await names.idsOf('tag', search.tagIds),
    ownerMemberId: await names.idOf('member', search.ownerMemberId),
  };
}

function postQuery({ query, tagIds, showDeleted, limit, ...same }: WideSearch) {
  const { boardId, status, ownerMemberId, dateFrom, dateTo, sort, cursor } = same;
  return {
    search: query,
    boardId,
    status,
    tagIds: tagIds?.join(','),
    ownerMemberId,
    dateFrom,
    dateTo,
    showDeleted: showDeleted === true ? 'true' : undefined,
    sort,
    limit: String(limit),
    cursor,
  };
}
