import { typeId } from '@parley/kit';
import type { TestClient } from '@parley/kit/testing';
import { connect } from '@parley/kit/testing';
import { scratchStore } from '@parley/store/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { TestApi } from '../test/rest-api.ts';
import { openRest } from '../test/rest-api.ts';
import { remoteGrants } from './remote/index.ts';
import { EMOJIS } from './shapes/posts.ts';
import type { feedbackTools } from './tools/index.ts';
import { feedbackToolset, withBackend } from './toolset.ts';

type Json = Record<string, unknown>;
type Kind = 'post' | 'board' | 'status' | 'tag' | 'member' | 'comment' | 'roadmap' | 'changelog';

/** One organization, driven over one surface only, with its ids in the order in which they were made. */
interface Side {
  readonly api: TestApi;
  readonly client: TestClient<typeof feedbackTools>;
  readonly ids: Record<Kind, string[]>;
}

/** A call as both surfaces know it; places in lists stand for ids, so that both organizations can make it. */
interface Operation {
  readonly tool: string;
  readonly args: (side: Side) => Json;
  readonly rest: (args: Json) => { method: string; path: string; body?: Json };
  /** What a new id is an id of. */
  readonly makes?: Kind;
}

const START = Date.UTC(2026, 0, 1);

async function openSide(slug: string, now: () => number): Promise<Side> {
  const store = await scratchStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const api = await openRest(store, { slug, now });
  const as = { ...api.callers.admin, grants: remoteGrants(true) };
  const client = await connect(feedbackToolset, { services: withBackend(api.services), as });
  onTestFinished(() => client.close());
  const { services, admin } = api;
  const boards = [
    await services.boards.create(admin, { name: 'Ideas' }),
    await services.boards.create(admin, { name: 'Bugs' }),
  ];
  const tags = [
    await services.tags.create(admin, { name: 'One' }),
    await services.tags.create(admin, { name: 'Two' }),
  ];
  const roadmap = await services.roadmaps.create(admin, { name: '2026' });
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);
  const ids: Side['ids'] = {
    post: [],
    board: idsOf(boards),
    status: idsOf(await services.statuses.list(admin)),
    tag: idsOf(tags),
    member: idsOf(
      (await services.members.list(admin, { limit: 100 })).items.toSorted((a, b) =>
        a.name < b.name ? -1 : 1,
      ),
    ),
    comment: [],
    roadmap: [roadmap.id],
    changelog: [],
  };
  return { api, client, ids };
}

/** The answer with ids as places, so that two organizations can be compared, and without what MCP never shows. */
function comparable({ ids }: Side, value: unknown): unknown {
  const places = new Map(
    Object.entries(ids).flatMap(([kind, list]) => list.map((id, place) => [id, `${kind} ${place}`] as const)),
  );
  const named = (text: string) => places.get(text) ?? (text.startsWith('note_') ? 'note' : text);
  const turn = (each: unknown): unknown => {
    if (typeof each === 'string') return each.replaceAll(/\b[a-z_]+_[0-9a-z]{26}\b/g, named);
    if (Array.isArray(each)) return each.map(turn);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(
      Object.entries(each)
        .filter(([name]) => name !== 'authorEmail' && name !== 'email')
        .map(([name, inner]) => [name, turn(inner)]),
    );
  };
  return turn(value);
}

const at = (list: readonly string[], place: number, kind: Kind) =>
  list.length === 0 ? UNKNOWN[kind] : (list[place % list.length] ?? '');
const UNKNOWN: Record<Kind, string> = {
  post: typeId('post', START),
  board: typeId('board', START),
  status: typeId('status', START),
  tag: typeId('tag', START),
  member: typeId('member', START),
  comment: typeId('comment', START),
  roadmap: typeId('roadmap', START),
  changelog: typeId('changelog', START),
};

const place = fc.nat({ max: 30 });
const words = fc.constantFrom(
  'Dark mode',
  'Export as CSV',
  'Sign in fails',
  '<b>bold</b> & "quotes"',
  'Grün 🎉',
);
const query = (args: Json, rename: Record<string, string> = {}) =>
  new URLSearchParams(
    Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [rename[name] ?? name, Array.isArray(value) ? value.join(',') : String(value)]),
  ).toString();
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const without = ({ postId: _post, commentId: _comment, changelogId: _entry, ...body }: Json) => body;

const operations: fc.Arbitrary<Operation> = fc.oneof(
  fc
    .record({
      board: place,
      title: words,
      content: optional(words),
      status: optional(place),
      tags: fc.array(place, { maxLength: 2 }),
    })
    .map((made): Operation => ({
      tool: 'create_post',
      makes: 'post',
      args: ({ ids }) => ({
        boardId: at(ids.board, made.board, 'board'),
        title: made.title,
        content: made.content,
        statusId: made.status === undefined ? undefined : at(ids.status, made.status, 'status'),
        tagIds: made.tags.map((tag) => at(ids.tag, tag, 'tag')),
      }),
      rest: (body) => ({ method: 'POST', path: '/posts', body }),
    })),
  fc.record({ post: place, content: words, parent: optional(place) }).map((made): Operation => ({
    tool: 'add_comment',
    makes: 'comment',
    args: ({ ids }) => ({
      postId: at(ids.post, made.post, 'post'),
      content: made.content,
      parentId: made.parent === undefined ? undefined : at(ids.comment, made.parent, 'comment'),
    }),
    rest: (args) => ({ method: 'POST', path: `/posts/${String(args.postId)}/comments`, body: without(args) }),
  })),
  fc
    .record({
      post: place,
      status: optional(place),
      tags: optional(fc.array(place, { maxLength: 2 })),
      owner: fc.option(optional(place)),
      response: fc.option(optional(words)),
    })
    .map((made): Operation => ({
      tool: 'triage_post',
      args: ({ ids }) => ({
        postId: at(ids.post, made.post, 'post'),
        statusId: at(ids.status, made.status ?? 0, 'status'),
        tagIds: made.tags?.map((tag) => at(ids.tag, tag, 'tag')),
        ownerMemberId: typeof made.owner === 'number' ? at(ids.member, made.owner, 'member') : made.owner,
        officialResponse: made.response,
      }),
      rest: (args) => ({ method: 'PATCH', path: `/posts/${String(args.postId)}`, body: without(args) }),
    })),
  fc
    .record({
      board: optional(place),
      search: optional(words),
      sort: fc.constantFrom('newest', 'oldest', 'votes'),
      limit: fc.integer({ min: 1, max: 100 }),
      status: optional(fc.constantFrom('open', 'planned', 'nope')),
      tags: optional(fc.array(place, { minLength: 1, maxLength: 2 })),
    })
    .map((made): Operation => ({
      tool: 'search_feedback',
      args: ({ ids }) => ({
        query: made.search,
        boardId: made.board === undefined ? undefined : at(ids.board, made.board, 'board'),
        status: made.status,
        tagIds: made.tags?.map((tag) => at(ids.tag, tag, 'tag')),
        sort: made.sort,
        limit: made.limit,
      }),
      rest: (args) => ({ method: 'GET', path: `/posts?${query(args, { query: 'search' })}` }),
    })),
  fc.record({ title: words, content: words, isPublished: fc.boolean() }).map((made): Operation => ({
    tool: 'create_changelog',
    makes: 'changelog',
    args: () => ({
      title: made.title,
      content: made.content,
      publishedAt: made.isPublished ? '2025-12-24T12:00:00Z' : undefined,
    }),
    rest: (body) => ({ method: 'POST', path: '/changelog', body }),
  })),
  fc.record({ post: place, voted: fc.boolean() }).map((made): Operation => ({
    tool: 'vote_post',
    args: ({ ids }) => ({ postId: at(ids.post, made.post, 'post'), voted: made.voted }),
    rest: ({ postId, voted }) => ({
      method: voted === true ? 'PUT' : 'DELETE',
      path: `/posts/${String(postId)}/vote`,
    }),
  })),
  fc.record({ post: place, title: optional(words), board: optional(place) }).map((made): Operation => ({
    tool: 'update_post',
    args: ({ ids }) => ({
      postId: at(ids.post, made.post, 'post'),
      title: made.title ?? 'Renamed',
      boardId: made.board === undefined ? undefined : at(ids.board, made.board, 'board'),
    }),
    rest: (args) => ({ method: 'PATCH', path: `/posts/${String(args.postId)}`, body: without(args) }),
  })),
  fc.record({ duplicate: place, canonical: place }).map((made): Operation => ({
    tool: 'merge_post',
    args: ({ ids }) => ({
      duplicatePostId: at(ids.post, made.duplicate, 'post'),
      canonicalPostId: at(ids.post, made.canonical, 'post'),
    }),
    rest: ({ duplicatePostId, canonicalPostId }) => ({
      method: 'POST',
      path: `/posts/${String(duplicatePostId)}/merge`,
      body: { canonicalPostId },
    }),
  })),
  fc.record({ post: place }).map((made): Operation => ({
    tool: 'unmerge_post',
    args: ({ ids }) => ({ postId: at(ids.post, made.post, 'post') }),
    rest: ({ postId }) => ({ method: 'POST', path: `/posts/${String(postId)}/unmerge`, body: {} }),
  })),
  fc.record({ comment: place, content: words }).map((made): Operation => ({
    tool: 'update_comment',
    args: ({ ids }) => ({ commentId: at(ids.comment, made.comment, 'comment'), content: made.content }),
    rest: (args) => ({ method: 'PATCH', path: `/comments/${String(args.commentId)}`, body: without(args) }),
  })),
  fc.record({ post: place, roadmap: place }).map((made): Operation => ({
    tool: 'get_post_activity',
    args: ({ ids }) => ({ postId: at(ids.post, made.post, 'post') }),
    rest: ({ postId }) => ({ method: 'GET', path: `/posts/${String(postId)}/activity` }),
  })),
  fc.record({ entry: place, title: words, isUnpublished: fc.boolean() }).map((made): Operation => ({
    tool: 'update_changelog',
    args: ({ ids }) => ({
      changelogId: at(ids.changelog, made.entry, 'changelog'),
      title: made.title,
      publishedAt: made.isUnpublished ? null : undefined,
    }),
    rest: (args) => ({
      method: 'PATCH',
      path: `/changelog/${String(args.changelogId)}`,
      body: without(args),
    }),
  })),
  fc
    .record({ comment: place, emoji: fc.constantFrom(...EMOJIS), isOn: fc.boolean() })
    .map((made): Operation => ({
      tool: 'react_to_comment',
      args: ({ ids }) => ({
        commentId: at(ids.comment, made.comment, 'comment'),
        emoji: made.emoji,
        action: made.isOn ? 'add' : 'remove',
      }),
      rest: ({ commentId, emoji, action }) => ({
        method: action === 'add' ? 'PUT' : 'DELETE',
        path: `/comments/${String(commentId)}/reactions/${encodeURIComponent(String(emoji))}`,
      }),
    })),
  fc.record({ post: place, comment: fc.option(place) }).map((made): Operation => ({
    tool: 'pin_comment',
    args: ({ ids }) => ({
      postId: at(ids.post, made.post, 'post'),
      commentId: made.comment === null ? null : at(ids.comment, made.comment, 'comment'),
    }),
    rest: ({ postId, commentId }) =>
      commentId === null
        ? { method: 'DELETE', path: `/posts/${String(postId)}/pin` }
        : { method: 'PUT', path: `/posts/${String(postId)}/pin`, body: { commentId } },
  })),
  fc.record({ post: place, member: place, isAdded: fc.boolean() }).map((made): Operation => ({
    tool: 'proxy_vote',
    args: ({ ids }) => ({
      postId: at(ids.post, made.post, 'post'),
      memberId: at(ids.member, made.member, 'member'),
      action: made.isAdded ? 'add' : 'remove',
    }),
    rest: ({ postId, memberId, action }) => {
      const path = `/posts/${String(postId)}/vote/proxy`;
      return action === 'add'
        ? { method: 'POST', path, body: { memberId } }
        : { method: 'DELETE', path: `${path}?memberId=${String(memberId)}` };
    },
  })),
  fc.record({ comment: place }).map((made): Operation => ({
    tool: 'delete_comment',
    args: ({ ids }) => ({ commentId: at(ids.comment, made.comment, 'comment') }),
    rest: ({ commentId }) => ({ method: 'DELETE', path: `/comments/${String(commentId)}` }),
  })),
  fc.record({ entry: place }).map((made): Operation => ({
    tool: 'delete_changelog',
    args: ({ ids }) => ({ changelogId: at(ids.changelog, made.entry, 'changelog') }),
    rest: ({ changelogId }) => ({ method: 'DELETE', path: `/changelog/${String(changelogId)}` }),
  })),
  fc.record({ post: place, isDeleted: fc.boolean() }).map(({ post, isDeleted }): Operation => ({
    tool: isDeleted ? 'delete_post' : 'restore_post',
    args: ({ ids }) => ({ postId: at(ids.post, post, 'post') }),
    rest: ({ postId }) =>
      isDeleted
        ? { method: 'DELETE', path: `/posts/${String(postId)}` }
        : { method: 'POST', path: `/posts/${String(postId)}/restore`, body: {} },
  })),
);

interface Outcome {
  readonly ok: boolean;
  readonly value: unknown;
}

/** A search over MCP shows the beginning of each text. */
function excerpted({ content, ...item }: { content: string }) {
  return { ...item, excerpt: content.slice(0, 200) };
}

async function overRest(side: Side, operation: Operation): Promise<Outcome> {
  const { method, path, body } = operation.rest(operation.args(side));
  const { status, json } = await side.api.call(method, path, {
    as: side.api.keys.admin,
    ...(body !== undefined && { body }),
  });
  expect(status).toBeLessThan(500);
  if (status >= 400) return { ok: false, value: errorText(json.error) };
  const data = json?.data;
  const pagination = json?.meta?.pagination;
  if (pagination === undefined) return { ok: true, value: data };
  expect(json.pagination).toEqual(pagination);
  const items = operation.tool === 'search_feedback' ? data.map(excerpted) : data;
  return { ok: true, value: { items, hasMore: pagination.hasMore, total: pagination.total } };
}

/** Faults of fields stand in the details over REST, and in the sentence over MCP. */
function errorText({
  message,
  details,
}: {
  message: string;
  details?: { errors?: Record<string, string[]> };
}): string {
  if (details?.errors === undefined) return message;
  return Object.entries(details.errors)
    .flatMap(([field, rules]) => rules.map((rule) => `${field}: ${rule}`))
    .join('; ');
}

async function overMcp(side: Side, operation: Operation): Promise<Outcome> {
  // Names and inputs are checked at run time here; the typed client cannot know which of the tools it is.
  const attempt = side.client.attempt as (name: string, args: Json) => ReturnType<typeof side.client.attempt>;
  const outcome = await attempt(operation.tool, operation.args(side));
  if (!outcome.ok) return { ok: false, value: outcome.message };
  // Pages have other names over MCP; what is deleted has no body over REST.
  const { posts, items = posts, nextCursor: _cursor, ...rest } = outcome.value as Json;
  if (items !== undefined) return { ok: true, value: { items, ...rest } };
  if (operation.tool.startsWith('delete_')) return { ok: true, value: undefined };
  return { ok: true, value: operation.tool === 'react_to_comment' ? rest.reactions : rest };
}

function remember(side: Side, operation: Operation, { ok, value }: Outcome): void {
  // What was made has an id on both surfaces.
  if (ok && operation.makes !== undefined) side.ids[operation.makes].push((value as { id: string }).id);
}

async function run(operationsToMake: readonly Operation[]): Promise<{ good: number; bad: number }> {
  let now = START;
  const clock = () => now;
  const rest = await openSide('acme', clock);
  const mcp = await openSide('globex', clock);
  const count = { good: 0, bad: 0 };
  for (const operation of operationsToMake) {
    now += 1000;
    const [one, other] = [await overRest(rest, operation), await overMcp(mcp, operation)];
    remember(rest, operation, one);
    remember(mcp, operation, other);
    expect({ tool: operation.tool, outcome: comparable(mcp, other) }).toEqual({
      tool: operation.tool,
      outcome: comparable(rest, one),
    });
    count[one.ok ? 'good' : 'bad'] += 1;
  }
  const posts = rest.ids.post;
  for (const [index, id] of posts.entries()) {
    const twin = mcp.ids.post[index] ?? '';
    const detail = await rest.api.call('GET', `/posts/${id}`, { as: rest.api.keys.admin });
    const comments = await rest.api.call('GET', `/posts/${id}/comments`, { as: rest.api.keys.admin });
    const whole = { ...detail.json.data, comments: comments.json.data };
    const read = await mcp.client.call('get_post', { postId: twin, limit: 100 });
    expect(comparable(mcp, read)).toEqual(comparable(rest, { ...whole, nextCursor: null, hasMore: false }));
  }
  return count;
}

test('REST and MCP do the same: the data agree, and so do the messages', async () => {
  const sample = fc.sample(operations, { numRuns: 1100, seed: 20_260_728 });
  const { good, bad } = await run(sample);
  expect(good).toBeGreaterThanOrEqual(500);
  expect(bad).toBeGreaterThanOrEqual(200);
});

test('bad fields get the same words over both', async () => {
  const side = await openSide('acme', () => START);
  const bad = fc.record(
    {
      boardId: fc.constantFrom(side.ids.board[0], UNKNOWN.board, 'nonsense', side.ids.tag[0], 7, null),
      title: fc.constantFrom('', '   ', 'x'.repeat(201), 5, null, ['list']),
      content: fc.constantFrom('x'.repeat(10_001), 3, {}),
      statusId: fc.constantFrom('status_1', UNKNOWN.status, false),
      tagIds: fc.constantFrom('tag', ['tag_1'], [UNKNOWN.tag], [3]),
      surprise: fc.constantFrom('field', 1),
    },
    { requiredKeys: [] },
  );
  for (const body of fc.sample(bad, { numRuns: 250, seed: 7 })) {
    const operation: Operation = {
      tool: 'create_post',
      args: () => body,
      rest: () => ({ method: 'POST', path: '/posts', body }),
    };
    const [one, other] = [await overRest(side, operation), await overMcp(side, operation)];
    expect(one.ok).toBe(false);
    expect({ body, outcome: withoutKnown(other) }).toEqual({ body, outcome: withoutKnown(one) });
  }
});

/** A tool takes fewer fields than its route, and each names its own. */
function withoutKnown<T>(outcome: T): T {
  return JSON.parse(JSON.stringify(outcome).replaceAll(/ \(known: [^)]*\)/g, '')) as T;
}

test('resources show what REST lists, field by field', async () => {
  const { api, client } = await openSide('acme', () => START);
  for (const noun of ['boards', 'statuses', 'tags', 'roadmaps', 'members']) {
    const { contents } = await client.raw.readResource({ uri: `quackback://${noun}` });
    const [content] = contents;
    const items: Json[] = JSON.parse(content !== undefined && 'text' in content ? content.text : '');
    const { json } = await api.call('GET', `/${noun}`, { as: api.keys.admin });
    const team: Json[] = json.data.filter(({ role }: Json) => role !== 'user');
    expect(items).toHaveLength(team.length);
    for (const [index, item] of items.entries()) expect(team[index]).toMatchObject(item);
    expect(JSON.stringify(items)).not.toContain('@');
  }
});
