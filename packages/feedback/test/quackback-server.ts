/** A server with the routes, names and habits of Quackback's REST API of August 2026, as far as our tools reach. */
import { serveForTest } from '@parley/test-support/scripted-server';
import type { SeenRequest } from '@parley/test-support/scripted-server';

type Row = Record<string, unknown>;
type Answer = readonly [status: number, body?: unknown];

/** A running server and what it holds. */
export interface QuackbackServer {
  readonly origin: string;
  readonly seen: readonly SeenRequest[];
  readonly posts: Map<string, Row>;
  /** The voters of each post. */
  readonly votes: Map<string, Set<string>>;
  post(fields?: Row): string;
}

const suffixOf = (number: number) => `01h455vb4pex5vsknk${String(number).padStart(8, '0')}`;
const idOf = (prefix: string, number: number) => `${prefix}_${suffixOf(number)}`;

/** What is there from the beginning. */
export const THERE = {
  board: idOf('board', 1),
  otherBoard: idOf('board', 2),
  open: idOf('post_status', 1),
  planned: idOf('post_status', 2),
  tag: idOf('post_tag', 1),
  otherTag: idOf('post_tag', 2),
  person: idOf('principal', 1),
  otherPerson: idOf('principal', 2),
  roadmap: idOf('roadmap', 1),
} as const;

const TIME = '2026-08-01T10:00:00.000Z';
const PAGE: Answer = [404, '<!doctype html><title>Not found</title>'];
/** A route that knows other methods renders the page that stands at its address. */
const OTHER_METHOD: Answer = [200, '<!doctype html><title>Feedback</title>'];

const data = (value: unknown, status = 200): Answer => [status, { data: value }];
const refused = (status: number, code: string, message: string, details?: Row): Answer => [
  status,
  { error: { code, message, ...(details && { details }) } },
];
const bad = (errors: Row): Answer => refused(400, 'BAD_REQUEST', 'Invalid request body', { errors });
const missing = (what: string): Answer => refused(404, 'NOT_FOUND', `${what} not found`);

/** Keeps the named fields of a body; every other one is ignored without a word. */
function taken(body: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)));
}

/** Serves until the test ends. */
export async function serveQuackback(): Promise<QuackbackServer> {
  const posts = new Map<string, Row>();
  const comments = new Map<string, Row>();
  const entries = new Map<string, Row>();
  const votes = new Map<string, Set<string>>();
  let count = 10;

  const post = (fields: Row = {}): string => {
    const id = idOf('post', (count += 1));
    const defaults = { title: 'Dark mode', content: '', boardId: THERE.board, statusId: THERE.open };
    const made = { ownerPrincipalId: null, tagIds: [], canonicalPostId: null, createdAt: TIME };
    posts.set(id, { id, ...defaults, ...made, updatedAt: TIME, deletedAt: null, ...fields });
    votes.set(id, new Set());
    return id;
  };
  const countOf = (id: unknown) => votes.get(String(id))?.size ?? 0;
  const tagsOf = ({ tagIds }: Row) =>
    (tagIds as string[]).map((id) => ({ id, name: id === THERE.tag ? 'ui' : 'api', color: '#6b7280' }));
  /** What a change of a post is answered with: no tags, no comment count. */
  const brief = ({ tagIds: _tags, canonicalPostId: _merged, deletedAt: _gone, ...row }: Row): Row => ({
    ...row,
    voteCount: countOf(row.id),
  });
  const detail = (row: Row): Row => ({
    ...brief(row),
    tags: tagsOf(row),
    commentCount: 0,
    boardSlug: 'ideas',
    boardName: 'Ideas',
    authorName: 'Ada',
    authorEmail: 'ada@acme.example',
    pinnedComment: null,
    canonicalPostId: row.canonicalPostId,
    deletedAt: row.deletedAt,
  });
  const item = (row: Row) => {
    const { ownerPrincipalId, pinnedComment: _pinned, authorEmail: _email, ...rest } = detail(row);
    return { ...rest, ownerId: ownerPrincipalId };
  };

  function listPosts(query: URLSearchParams): Answer {
    const boardId = query.get('boardId');
    const isBoard = boardId?.startsWith('board_') === true;
    const wanted =
      query
        .get('tagIds')
        ?.split(',')
        .filter((id) => id.startsWith('post_tag_')) ?? [];
    const from = Date.parse(query.get('dateFrom') ?? '');
    const rows = [...posts.values()].filter(
      (row) =>
        (!isBoard || row.boardId === boardId) &&
        (wanted.length === 0 || (row.tagIds as string[]).some((id) => wanted.includes(id))) &&
        (Number.isNaN(from) || Date.parse(String(row.createdAt)) >= from),
    );
    return [200, { data: rows.map(item), meta: { pagination: { cursor: null, hasMore: false } } }];
  }

  function createPost(body: Row): Answer {
    const { boardId, title, content = '', statusId = THERE.open, tagIds = [] } = body;
    if (typeof boardId !== 'string' || typeof title !== 'string') return bad({ title: ['Required'] });
    const row = posts.get(post({ boardId, title, content, statusId, tagIds })) ?? {};
    const { ownerPrincipalId: _owner, ...shown } = brief(row);
    return data({ ...shown, authorName: 'Ada' }, 201);
  }

  function patchPost(row: Row, body: Row): Answer {
    const fields = taken(body, ['title', 'content', 'statusId', 'tagIds', 'ownerPrincipalId']);
    const { statusId } = fields;
    if (typeof statusId === 'string' && !statusId.startsWith('post_status_'))
      return refused(400, 'VALIDATION_ERROR', 'Invalid status ID format');
    Object.assign(row, fields);
    return data(brief(row));
  }

  function mergePost(row: Row, body: Row): Answer {
    const into = posts.get(String(body.canonicalPostId));
    if (into === undefined) return missing('Post');
    if (row.canonicalPostId !== null) return refused(409, 'CONFLICT', 'This post is already merged');
    row.canonicalPostId = into.id;
    const canonicalPost = { id: into.id, voteCount: countOf(into.id) };
    return data({ canonicalPost, duplicatePost: { id: row.id } });
  }

  function proxyVote(method: string, row: Row, body: Row): Answer {
    const voter = body.voterPrincipalId;
    if (typeof voter !== 'string') return bad({ voterPrincipalId: ['Required'] });
    const of = votes.get(String(row.id)) ?? new Set();
    const isNew = !of.has(voter);
    if (method === 'DELETE') return of.delete(voter) ? [204] : [204];
    of.add(voter);
    return data({ voted: isNew, voteCount: of.size });
  }

  function ofPost(method: string, [id = '', part, more]: string[], body: Row): Answer {
    const row = posts.get(id);
    const route = [part, more].filter((name) => name !== undefined).join('/');
    const known = ['', 'comments', 'activity', 'merge', 'vote', 'vote/proxy', 'voters'];
    if (!known.includes(route)) return PAGE;
    if (row === undefined) return missing('Post');
    if (route === '' && method === 'GET') return data(detail(row));
    if (route === '' && method === 'PATCH') return patchPost(row, body);
    if (route === '' && method === 'DELETE') {
      row.deletedAt = TIME;
      return [204];
    }
    if (route === 'merge' && method === 'POST') return mergePost(row, body);
    if (route === 'vote/proxy' && method !== 'GET') return proxyVote(method, row, body);
    if (route === 'activity' && method === 'GET') {
      const change = { id: 'post_activity_1', postId: id, principalId: THERE.person, actorName: 'Ada' };
      return data([{ ...change, type: 'status.changed', metadata: {}, createdAt: TIME }]);
    }
    if (route === 'comments' && method === 'GET')
      return data([...comments.values()].filter(({ postId }) => postId === id));
    if (route === 'comments' && method === 'POST') {
      const fields = taken(body, ['content', 'parentId', 'isPrivate']);
      const author = { authorName: 'Ada', principalId: THERE.person, isTeamMember: true };
      const made = { id: idOf('post_comment', (count += 1)), postId: id, parentId: null, isPrivate: false };
      comments.set(made.id, { ...made, ...fields, ...author, createdAt: TIME });
      return data(comments.get(made.id), 201);
    }
    return OTHER_METHOD;
  }

  function ofEntry(method: string, id: string | undefined, body: Row): Answer {
    const linked = (ids: unknown) =>
      (Array.isArray(ids) ? ids : []).map((postId) => ({ id: postId, title: 'Dark mode', voteCount: 0 }));
    const write = (row: Row) => {
      const { linkedPostIds, ...fields } = taken(body, ['title', 'content', 'publishedAt', 'linkedPostIds']);
      const { publishedAt } = fields;
      if (typeof publishedAt === 'string' && !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(publishedAt))
        return bad({ publishedAt: ['Invalid ISO datetime'] });
      Object.assign(row, fields, linkedPostIds !== undefined && { linkedPosts: linked(linkedPostIds) });
      entries.set(String(row.id), row);
      return data(row, id === undefined ? 201 : 200);
    };
    const none = { publishedAt: null, displayDate: null, createdAt: TIME, updatedAt: TIME, linkedPosts: [] };
    if (id === undefined && method === 'POST') return write({ id: idOf('changelog', (count += 1)), ...none });
    if (id === undefined && method === 'GET') return data([...entries.values()]);
    const row = entries.get(id ?? '');
    if (row === undefined) return missing('Changelog entry');
    if (method === 'GET') return data(row);
    return method === 'PATCH' ? write(row) : OTHER_METHOD;
  }

  function ofComment(method: string, id: string, body: Row): Answer {
    const row = comments.get(id);
    if (row === undefined) return missing('Comment');
    if (method === 'PATCH') Object.assign(row, taken(body, ['content']));
    if (method === 'DELETE') comments.delete(id);
    return method === 'DELETE' ? [204] : data(row);
  }

  const lists: Record<string, Row[]> = {
    boards: [
      {
        id: THERE.board,
        name: 'Ideas',
        slug: 'ideas',
        description: null,
        audience: { kind: 'public' },
        postCount: 1,
      },
      {
        id: THERE.otherBoard,
        name: 'Team',
        slug: 'team',
        description: null,
        audience: { kind: 'team' },
        postCount: 0,
      },
    ],
    statuses: [
      {
        id: THERE.open,
        name: 'Open',
        slug: 'open',
        color: '#3b82f6',
        category: 'active',
        isDefault: true,
        showOnRoadmap: false,
      },
    ],
    tags: [{ id: THERE.tag, name: 'ui', color: '#6b7280', description: null }],
    roadmaps: [{ id: THERE.roadmap, name: 'Plan', slug: 'plan', visibility: 'public', columns: [] }],
    principals: [
      { id: THERE.person, userId: 'user_1', name: 'Ada', email: 'ada@acme.example', role: 'admin' },
    ],
  };

  function answerTo({ method, url, body: text }: SeenRequest): Answer {
    const { pathname, searchParams } = new URL(url, 'http://x');
    const [noun = '', id, ...rest] = pathname.replace('/api/v1/', '').split('/');
    const body = text === '' ? {} : (JSON.parse(text) as Row);
    if (noun === 'posts' && id === undefined)
      return method === 'POST' ? createPost(body) : listPosts(searchParams);
    if (noun === 'posts' && id !== undefined) return ofPost(method, [id, ...rest], body);
    if (noun === 'changelog') return ofEntry(method, id, body);
    if (noun === 'comments' && id !== undefined && rest.length === 0) return ofComment(method, id, body);
    const list = id === undefined ? lists[noun] : undefined;
    return list === undefined ? PAGE : data(list);
  }

  const { origin, seen } = await serveForTest((request, res) => {
    const [status, answer] = answerTo(request);
    const isPage = typeof answer === 'string';
    res.writeHead(status, { 'content-type': isPage ? 'text/html' : 'application/json' });
    res.end(answer === undefined || isPage ? answer : JSON.stringify(answer));
  });
  return { origin, seen, posts, votes, post };
}
