/** The general rules of REST: answers, errors, paging limits, tags, methods, bodies, dates. */
import { request as httpRequest } from 'node:http';
import { typeId } from '@parley/kit';
import { StoreUnavailableError } from '@parley/store';
import { scratchStore } from '@parley/store/testing';
import { expect, test } from 'vitest';
import type { Loose, TestAnswer, TestApi } from '../../test/rest-api.ts';
import { openRest, serveRest } from '../../test/rest-api.ts';
import { onBothEngines } from '../testing/engines.ts';

const errorOf = ({ status, json }: TestAnswer) => [status, json?.error?.code, json?.error?.message];

/** Makes posts whose titles say their order. */
async function makePosts(api: TestApi, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) ids.push(await api.post({ title: `Post ${index}` }));
  return ids;
}

test.each([
  ['POST', '/keys', '{"name":"K","grants":{"__proto__":["*"]}}', 'grants.__proto__', 'is not a known field'],
  [
    'POST',
    '/keys',
    String.raw`{"name":"K","grants":{"\u005f_proto__":["*"]}}`,
    'grants.__proto__',
    'is not a known field',
  ],
  ['POST', '/keys', '{"name":"K","__proto__":{"role":"admin"}}', '__proto__', 'is not a known field'],
  [
    'POST',
    '/boards',
    '{"name":"B","settings":{"__proto__":{"moderation":true}}}',
    'settings.__proto__',
    'is not a known field',
  ],
  [
    'POST',
    '/boards',
    String.raw`{"name":"half \ud83d"}`,
    'name',
    'must not contain half of a surrogate pair',
  ],
  ['POST', '/tags', String.raw`{"name":"T","\udc00":1}`, '\ufffd', 'is not a known field'],
  [
    'POST',
    '/posts/bulk-triage',
    String.raw`{"ids":["a","\ud800"]}`,
    'ids.1',
    'must not contain half of a surrogate pair',
  ],
])('%s %s with the body %s is refused at its field', async (method, path, body, field, rule) => {
  const api = await openRest(await scratchStore());
  const authorization = `Bearer ${api.keys.admin}`;
  const answer = await fetch(api.url + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    body,
  });
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(JSON.stringify({ errors: { [field]: [rule] } }));
});

onBothEngines('REST', (open) => {
  test('a post is made, read, changed, listed and deleted', async () => {
    const api = await openRest(await open());
    const as = api.keys.member;
    const boardId = await api.board();
    const made = await api.call('POST', '/posts', { as, body: { boardId, title: '  Dark mode  ' } });
    expect(made.status).toBe(201);
    expect(made.json.data.title).toBe('Dark mode');
    expect(made.headers.get('location')).toBe(`/api/v1/posts/${made.json.data.id}`);
    expect(made.headers.get('idempotency-supported')).toBe('true');
    const { id } = made.json.data;
    const read = await api.call('GET', `/posts/${id}`, { as });
    expect(read.status).toBe(200);
    expect(read.json).toEqual({ data: made.json.data });
    const changed = await api.call('PATCH', `/posts/${id}`, { as, body: { content: 'Please' } });
    expect(changed.json.data.content).toBe('Please');
    const list = await api.call('GET', '/posts', { as });
    expect(list.json.data).toHaveLength(1);
    expect(list.json.meta).toEqual({ pagination: { cursor: null, hasMore: false, total: 1 } });
    const gone = await api.call('DELETE', `/posts/${id}`, { as });
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect(api.faults).toEqual([]);
  });

  test('limit is moved into its bounds, and 400 when it is no whole number', async () => {
    const api = await openRest(await open());
    await makePosts(api, 23);
    const as = api.keys.member;
    const sizes: Record<string, number> = {
      '': 20,
      'limit=0': 1,
      'limit=1': 1,
      'limit=-1': 1,
      'limit=100': 23,
      'limit=101': 23,
      'limit=99999999999999999999': 23,
    };
    for (const [query, size] of Object.entries(sizes)) {
      const { json } = await api.call('GET', `/posts?${query}`, { as });
      expect([query, json.data.length, json.meta.pagination.total]).toEqual([query, size, 23]);
    }
    for (const limit of ['abc', '', '1.5', '1e2', 'NaN', '0x10', ' 5', '٣']) {
      const answer = await api.call('GET', `/posts?limit=${encodeURIComponent(limit)}`, { as });
      expect([limit, answer.status, answer.json.error.code]).toEqual([limit, 400, 'BAD_REQUEST']);
      expect(answer.json.error.details.errors.limit).toHaveLength(1);
    }
  });

  test('the changelog is read from either end', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    for (const title of ['One', 'Two', 'Three'])
      await api.call('POST', '/changelog', { as, body: { title, content: 'Text' } });
    const titles = ({ json }: { json: { data: { title: string }[] } }) => json.data.map(({ title }) => title);
    const newest = titles(await api.call('GET', '/changelog', { as }));
    const first = await api.call('GET', '/changelog?order=asc&limit=2', { as });
    const { cursor } = first.json.meta.pagination;
    const rest = await api.call('GET', `/changelog?order=asc&cursor=${cursor}`, { as });
    expect([...titles(first), ...titles(rest)]).toEqual(newest.toReversed());
    expect((await api.call('GET', `/changelog?cursor=${cursor}`, { as })).status).toBe(400);
  });

  test('a cursor continues its own query only', async () => {
    const api = await openRest(await open());
    await makePosts(api, 4);
    const as = api.keys.member;
    const first = await api.call('GET', '/posts?limit=2', { as });
    const { cursor } = first.json.meta.pagination;
    const next = await api.call('GET', `/posts?limit=3&cursor=${cursor}`, { as });
    expect(next.json.data).toHaveLength(2);
    expect(next.json.meta.pagination).toEqual({ cursor: null, hasMore: false, total: 4 });
    const bad = [
      `/posts?sort=votes&cursor=${cursor}`,
      `/posts?search=post&cursor=${cursor}`,
      `/users?cursor=${cursor}`,
      `/changelog?cursor=${cursor}`,
      `/posts?cursor=${cursor.slice(0, -3)}`,
      `/posts?cursor=${cursor}x`,
      '/posts?cursor=cmFuZG9t',
      '/posts?cursor=',
    ];
    for (const path of bad) {
      const answer = await api.call('GET', path, { as });
      expect([path, ...errorOf(answer)]).toEqual([
        path,
        400,
        'BAD_REQUEST',
        expect.stringContaining('Invalid cursor'),
      ]);
    }
  });

  test('a date alone as dateTo reaches to the end of that UTC day', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const boardId = await api.board();
    for (const createdAt of [
      '2024-05-06T00:00:00.000Z',
      '2024-05-06T23:59:59.999Z',
      '2024-05-07T00:00:00.000Z',
    ])
      await api.call('POST', '/posts', { as, body: { boardId, title: createdAt, createdAt } });
    const titles = async (query: string) =>
      (await api.call('GET', `/posts?sort=oldest&${query}`, { as })).json.data.map(
        (post: Loose) => post.title,
      );
    expect(await titles('dateFrom=2024-05-06&dateTo=2024-05-06')).toEqual([
      '2024-05-06T00:00:00.000Z',
      '2024-05-06T23:59:59.999Z',
    ]);
    expect(await titles('dateTo=2024-05-06T00:00:00Z')).toEqual(['2024-05-06T00:00:00.000Z']);
    expect(await titles('dateFrom=2024-05-07')).toEqual(['2024-05-07T00:00:00.000Z']);
    expect((await api.call('GET', '/posts?dateTo=yesterday', { as })).status).toBe(400);
    expect((await api.call('GET', '/users?dateTo=2024-13-01', { as })).status).toBe(400);
  });

  test('the error table: each row has its code and its words', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const [first, second] = await makePosts(api, 2);
    const { id: commentId } = await api.services.comments.create(api.admin, first ?? '', { content: 'Hi' });
    const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
      errorOf(await api.call(method, path, { as, body, ...(headers !== undefined && { headers }) }));
    expect(await call('GET', '/posts/board_01h455vb4pex5vsknk084sn02q')).toEqual([
      400,
      'BAD_REQUEST',
      'Invalid post ID format: expected post_ followed by 26 characters, got "board_01h455vb4pex5vsknk084sn02q" (that is a board ID)',
    ]);
    expect(await call('GET', `/posts/${typeId('post')}`)).toEqual([404, 'NOT_FOUND', 'Post not found']);
    expect(await call('GET', '/posts?sort=loudest')).toEqual([
      400,
      'BAD_REQUEST',
      'sort: must be one of "newest", "oldest", "votes" (got "loudest")',
    ]);
    expect(await call('POST', `/posts/${second}/comments`, { content: 'x', parentId: commentId })).toEqual([
      400,
      'VALIDATION_ERROR',
      'The parent comment belongs to another post',
    ]);
    const unknownParent = await call('POST', `/posts/${first}/comments`, {
      content: 'x',
      parentId: typeId('comment'),
    });
    expect(unknownParent).toEqual([400, 'VALIDATION_ERROR', expect.stringContaining('INVALID_PARENT')]);
    expect(await call('POST', '/tags', { name: 'Bug' })).toEqual([201, undefined, undefined]);
    expect((await call('POST', '/tags', { name: 'bUG' })).slice(0, 2)).toEqual([409, 'CONFLICT']);
    expect(
      (await call('PATCH', `/posts/${first}`, { title: 'x' }, { 'if-match': '"old"' })).slice(0, 2),
    ).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await call('GET', '/nowhere')).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
    expect((await call('GET', '/posts/')).slice(0, 2)).toEqual([404, 'NOT_FOUND']);
    expect((await call('GET', '/posts/%zz')).slice(0, 2)).toEqual([400, 'BAD_REQUEST']);
    expect(
      (await call('PUT', `/comments/${commentId}/reactions/${encodeURIComponent('💣')}`)).slice(0, 2),
    ).toEqual([400, 'BAD_REQUEST']);
    const long = await call('GET', `/posts/${'x'.repeat(4000)}`);
    expect(long[0]).toBe(400);
    expect(String(long[2]).length).toBeLessThan(200);
    expect(api.faults).toEqual([]);
  });

  test('a bad body names every field, and unknown fields are refused', async () => {
    const api = await openRest(await open());
    const answer = await api.call('POST', '/posts', {
      as: api.keys.member,
      body: { title: '   ', content: 5, colour: 'red', nested: { deep: true } },
    });
    expect(answer.status).toBe(400);
    expect(answer.json).toEqual({
      error: {
        code: 'BAD_REQUEST',
        message: 'Invalid request body',
        fields: {
          boardId: 'is required',
          title: 'must have at least 1 characters (got "   ")',
          content: 'must be a string (got 5)',
          colour: 'is not a known field',
          nested:
            'is not a known field (known: boardId, title, content, contentJson, statusId, tagIds, createdAt)',
        },
        details: {
          errors: {
            boardId: ['is required'],
            title: ['must have at least 1 characters (got "   ")'],
            content: ['must be a string (got 5)'],
            colour: ['is not a known field'],
            nested: [
              'is not a known field (known: boardId, title, content, contentJson, statusId, tagIds, createdAt)',
            ],
          },
        },
      },
      message: 'Invalid request body',
    });
    const extra = await api.call('POST', `/posts/${await api.post()}/vote`, {
      as: api.keys.member,
      body: { up: 1 },
    });
    expect([extra.status, extra.json.error.message]).toEqual([400, 'Invalid request body']);
    const unknown = await api.call('GET', '/posts?boardID=1', { as: api.keys.member });
    expect(unknown.json.error.details).toEqual({
      errors: { boardID: [expect.stringMatching(/^is not a known field \(known: .*\bboardId\b/)] },
    });
    const twice = await api.call('GET', '/posts?limit=1&limit=2', { as: api.keys.member });
    expect([twice.status, twice.json.error.message]).toEqual([400, 'limit: must appear once']);
  });

  test('a body must be JSON of at most 1 MiB', async () => {
    const api = await openRest(await open());
    const as = api.keys.member;
    const post = (body: string, headers: Record<string, string> = {}) =>
      api.call('POST', '/posts', { as, body, headers });
    const codes = [
      await post('{"title":'),
      await post('{}', { 'content-type': 'text/plain' }),
      await post('{}', { 'content-type': 'application/json; charset=latin1' }),
      await post('{}', { 'content-encoding': 'gzip' }),
      await post(JSON.stringify({ title: 'x'.repeat(1024 * 1024) })),
      await post('[]'),
      await post('null'),
      await post('['.repeat(500)),
      await post('{"__proto__": {"boardId": "x"}}'),
    ].map(({ status, json }) => `${status} ${json.error.code}`);
    expect(codes).toEqual([
      '400 BAD_REQUEST',
      '415 UNSUPPORTED_MEDIA_TYPE',
      '415 UNSUPPORTED_MEDIA_TYPE',
      '415 UNSUPPORTED_MEDIA_TYPE',
      '413 PAYLOAD_TOO_LARGE',
      '400 BAD_REQUEST',
      '400 BAD_REQUEST',
      '400 BAD_REQUEST',
      '400 BAD_REQUEST',
    ]);
  });

  test('a wrong method is 405 with Allow, and HEAD is GET without a body', async () => {
    const api = await openRest(await open());
    const as = api.keys.member;
    const wrong = await api.call('PUT', '/posts', { as });
    expect([wrong.status, wrong.json.error.code, wrong.headers.get('allow')]).toEqual([
      405,
      'METHOD_NOT_ALLOWED',
      'GET, HEAD, POST',
    ]);
    const full = await api.call('GET', '/boards', { as });
    const head = await api.call('HEAD', '/boards', { as });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(head.headers.get('content-length')).toBe(String(Buffer.byteLength(full.text)));
    expect(head.headers.get('etag')).toBe(full.headers.get('etag'));
    expect((await api.call('HEAD', `/posts/${typeId('post')}`, { as })).status).toBe(404);
  });

  test('an ETag saves the second reading and guards a change', async () => {
    const api = await openRest(await open());
    const id = await api.post();
    for (const as of [api.keys.admin, api.keys.member]) {
      const read = await api.call('GET', `/posts/${id}`, { as });
      const etag = read.headers.get('etag') ?? '';
      const again = await api.call('GET', `/posts/${id}`, {
        as,
        headers: { 'if-none-match': `"x", W/${etag}` },
      });
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
      const patch = (ifMatch: string, title: string) =>
        api.call('PATCH', `/posts/${id}`, { as, body: { title }, headers: { 'if-match': ifMatch } });
      const changed = await patch(etag, `By ${as.slice(-4)}`);
      expect(changed.status).toBe(200);
      expect((await patch(etag, 'Too late')).status).toBe(412);
      expect((await patch(`W/${changed.headers.get('etag')}`, 'Weak')).status).toBe(412);
      expect((await patch(`"a", ${changed.headers.get('etag')}`, 'In time')).status).toBe(200);
      expect((await patch('*', 'Whatever')).status).toBe(200);
      const fresh = await api.call('GET', `/posts/${id}`, { as, headers: { 'if-none-match': etag } });
      expect([fresh.status, fresh.json.data.title]).toEqual([200, 'Whatever']);
    }
  });

  test('every PATCH knows If-Match', async () => {
    const api = await openRest(await open());
    const { services, admin } = api;
    const post = await api.post();
    const comment = await services.comments.create(admin, post, { content: 'Hi' });
    const board = await services.boards.create(admin, { name: 'Board' });
    const status = await services.statuses.create(admin, { name: 'Soon', color: '#000000' });
    const tag = await services.tags.create(admin, { name: 'Tag' });
    const roadmap = await services.roadmaps.create(admin, { name: 'Next' });
    const entry = await services.changelog.create(admin, { title: 'New', content: 'Text' });
    const { webhook } = await services.webhooks.create(admin, {
      url: 'https://hooks.example.com/',
      events: ['post.created'],
    });
    const person = await api.join('member', 'Pat Person');
    const cases: [path: string, body: unknown][] = [
      [`/comments/${comment.id}`, { content: 'Ho' }],
      [`/boards/${board.id}`, { name: 'Bored' }],
      [`/statuses/${status.id}`, { name: 'Later' }],
      [`/tags/${tag.id}`, { name: 'Tug' }],
      [`/roadmaps/${roadmap.id}`, { name: 'After' }],
      [`/changelog/${entry.id}`, { title: 'Old' }],
      [`/webhooks/${webhook.id}`, { state: 'disabled' }],
      [`/members/${person.memberId}`, { role: 'user' }],
    ];
    const as = api.keys.admin;
    for (const [path, body] of cases) {
      const etag = (await api.call('GET', path, { as })).headers.get('etag') ?? '';
      const stale = await api.call('PATCH', path, { as, body, headers: { 'if-match': '"stale"' } });
      expect([path, stale.status]).toEqual([path, 412]);
      const fresh = await api.call('PATCH', path, { as, body, headers: { 'if-match': etag } });
      expect([path, fresh.status, fresh.text]).toEqual([path, 200, expect.anything()]);
      expect(fresh.json).toEqual((await api.call('GET', path, { as })).json);
    }
  });

  test('a change is all or nothing, and null or [] clears', async () => {
    const api = await openRest(await open());
    const as = api.keys.admin;
    const id = await api.post();
    const tag = (await api.call('POST', '/tags', { as, body: { name: 'Bug' } })).json.data.id;
    const patch = (body: unknown) => api.call('PATCH', `/posts/${id}`, { as, body });
    await patch({ tagIds: [tag], officialResponse: 'We will.' });
    const before = (await api.call('GET', `/posts/${id}`, { as })).text;
    for (const bad of [
      { statusId: typeId('status') },
      { tagIds: ['x'] },
      { ownerMemberId: typeId('member') },
      { boardId: 7 },
    ])
      expect((await patch({ title: 'Half', ...bad })).status).toBeGreaterThanOrEqual(400);
    expect((await api.call('GET', `/posts/${id}`, { as })).text).toBe(before);
    const cleared = (await patch({ tagIds: [], officialResponse: null })).json.data;
    expect(cleared).toMatchObject({
      tags: [],
      officialResponse: null,
      officialResponseAuthorName: null,
      officialResponseAt: null,
    });
  });

  test('authorEmail is for administrators, showDeleted and createdAt too', async () => {
    const api = await openRest(await open());
    const id = await api.post();
    const byAdmin = await api.call('GET', `/posts/${id}`, { as: api.keys.admin });
    const byMember = await api.call('GET', `/posts/${id}`, { as: api.keys.member });
    expect(byAdmin.json.data.authorEmail).toContain('@');
    expect(byMember.text).not.toContain('@');
    await api.services.posts.delete(api.admin, id);
    const list = async (as: string) => (await api.call('GET', '/posts?showDeleted=true', { as })).status;
    expect([await list(api.keys.admin), await list(api.keys.member)]).toEqual([200, 403]);
    const body = { boardId: await api.board(), title: 'Old', createdAt: '2020-01-01T00:00:00Z' };
    expect((await api.call('POST', '/posts', { as: api.keys.member, body })).status).toBe(403);
  });
});

onBothEngines('the door of REST', (open) => {
  /** A request with a Host header that fetch would not let us choose. */
  const withHost = (url: string, headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      httpRequest(`${url}/posts`, { headers }, (res) => resolve(res.resume().statusCode ?? 0))
        .on('error', reject)
        .end();
    });

  test('refuses foreign hosts and origins, and answers listed pages with CORS', async () => {
    const api = await openRest(await open(), {
      names: { hosts: ['api.example'], origins: ['https://app.example'] },
    });
    const authorization = `Bearer ${api.keys.member}`;
    expect(await withHost(api.url, { host: 'evil.example', authorization })).toBe(403);
    expect(await withHost(api.url, { host: 'api.example', authorization })).toBe(200);
    const from = (origin: string, method = 'GET') =>
      api.call(method, '/posts', { as: api.keys.member, headers: { origin } });
    const evil = await from('https://evil.example');
    expect([evil.status, evil.headers.get('access-control-allow-origin')]).toEqual([403, null]);
    const listed = await from('https://app.example');
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://app.example',
    ]);
    expect(listed.headers.get('vary')).toBe('origin, authorization, cookie');
    const preflight = await from('https://app.example', 'OPTIONS');
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-headers')).toContain('idempotency-key');
    expect(
      (await api.call('GET', '/posts', { as: api.keys.member })).headers.get('access-control-allow-origin'),
    ).toBeNull();
  });

  test('does not take a cookie for a key', async () => {
    const api = await openRest(await open());
    const { organizationId, userId } = api.admin;
    const { token } = await api.identity.sessions.open({ organizationId, userId });
    const answer = await api.call('GET', '/posts', {
      headers: { cookie: `parley_session=${token}; __Host-parley_session=${token}` },
    });
    expect(answer.status).toBe(401);
  });
});

onBothEngines('a fault of ours', (open) => {
  test('is told of inside and not outside', async () => {
    const api = await openRest(await open());
    const secret = 'select * from /etc/passwd';
    const broken = {
      ...api.services,
      boards: { ...api.services.boards, list: () => Promise.reject(new Error(secret)) },
    };
    const server = await serveRest({ ...api, services: broken });
    const answer = await server.call('GET', '/boards', { as: api.keys.member });
    expect([answer.status, answer.json]).toEqual([
      500,
      { error: { code: 'INTERNAL_ERROR', message: 'Internal error' }, message: 'Internal error' },
    ]);
    expect(server.faults).toHaveLength(1);
  });

  test('a database that is gone is 503 with Retry-After', async () => {
    const api = await openRest(await open());
    const lost = () => Promise.reject(new StoreUnavailableError('lost'));
    const server = await serveRest({
      ...api,
      services: { ...api.services, tags: { ...api.services.tags, list: lost } },
    });
    const answer = await server.call('GET', '/tags', { as: api.keys.member });
    expect([answer.status, answer.json.error.code, answer.headers.get('retry-after')]).toEqual([
      503,
      'UNAVAILABLE',
      '5',
    ]);
  });
});

onBothEngines('records of REST', (open) => {
  test('say who called which route and how it ended, and nothing that the client wrote', async () => {
    const api = await openRest(await open());
    await api.call('GET', '/posts', { as: api.keys.member });
    await api.call('GET', `/posts/${typeId('post')}`, { as: api.keys.member });
    await api.call('POST', '/boards', { as: api.keys.member, body: { name: 'No' } });
    await api.call('GET', '/secret-word', { as: api.keys.member });
    await api.call('GET', '/posts', { as: api.keys.visitor });
    await api.call('GET', '/posts');
    const seen = api.records.map(({ name, outcome, code, method, toolset, caller }) => [
      name,
      outcome,
      code,
      method,
      toolset,
      caller.source,
    ]);
    expect(seen).toEqual([
      ['GET /api/v1/posts', 'ok', null, 'rest', 'feedback', 'key'],
      ['GET /api/v1/posts/:id', 'error', 'not_found', 'rest', 'feedback', 'key'],
      ['POST /api/v1/boards', 'denied', 'forbidden', 'rest', 'feedback', 'key'],
      ['unknown route', 'error', 'not_found', 'rest', 'feedback', 'key'],
      ['unknown route', 'denied', 'forbidden', 'rest', 'feedback', 'key'],
    ]);
    expect(api.records.every(({ durationMs }) => durationMs >= 0)).toBe(true);
    expect(JSON.stringify(api.records)).not.toContain('secret-word');
  });
});
