import { detach } from '@parley/kit';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { cut, KEY, NEW_POST, openRemote, PAGE, POST } from '../../test/remote-bed.ts';
import type { Step } from '../../test/scripted-server.ts';
import { serveScript } from '../../test/scripted-server.ts';

afterEach(() => vi.restoreAllMocks());

const unexpected = (cause: string) => ({
  ok: false,
  code: 'unavailable',
  message: expect.stringMatching(`^Unexpected response from the feedback server: ${cause}`),
});
const MADE = 'may have been made';

describe('a server that refuses', () => {
  test.each([401, 403])('%i is a fault of the connection, after one request', async (status) => {
    const { client, seen } = await openRemote([[status, { error: { message: 'no' } }]]);
    const fault = {
      code: -32603,
      message: expect.stringContaining(`Authentication failed: ${status}`),
      data: { status },
    };
    await expect(client.raw.callTool({ name: 'search_feedback', arguments: {} })).rejects.toMatchObject(
      fault,
    );
    await expect(client.raw.readResource({ uri: 'quackback://boards' })).rejects.toMatchObject(fault);
    expect(seen).toHaveLength(2);
  });

  test.each([
    [400, { error: { message: 'sort: no' } }, 'invalid', 'sort: no'],
    [404, { error: { message: 'Board not found' } }, 'not_found', 'Board not found'],
    [404, { error: 'gone' }, 'not_found', 'gone'],
    [409, { error: { message: 'Taken' } }, 'conflict', 'Taken'],
    [418, '<html>', 'invalid', 'HTTP 418'],
    [422, { error: { message: 'y'.repeat(900) } }, 'invalid', 'y'.repeat(500)],
    [400, { error: { message: 7 } }, 'invalid', 'HTTP 400'],
  ])('%i %o', async (status, body, code, message) => {
    const { client, seen, times } = await openRemote([[status, body]]);
    const outcome = await client.attempt('search_feedback', {});
    expect(outcome).toMatchObject({ ok: false, code, message });
    expect([seen.length, times.waits]).toEqual([1, []]);
  });

  test('a bad id costs no request, a newer prefix passes', async () => {
    const suffix = '01h455vb4pex5vsknk084sn02q';
    const triage = {
      statusId: `post_status_${suffix}`,
      tagIds: [`post_tag_${suffix}`],
      ownerMemberId: `principal_${suffix}`,
    };
    const tags = [{ id: triage.tagIds[0] }];
    const parentId = `post_comment_${suffix}`;
    const { client, seen } = await openRemote([
      [200, { data: { ...POST, statusId: triage.statusId, tags, ownerPrincipalId: triage.ownerMemberId } }],
      [201, { data: { id: `post_comment_${suffix}`, content: 'Hi', parentId } }],
    ]);
    const bad = await client.attempt('get_post', { postId: 'board_01h455vb4pex5vsknk084sn02q' });
    expect(bad).toMatchObject({ code: 'invalid', message: expect.stringContaining('(that is a board ID)') });
    expect(seen).toHaveLength(0);
    await client.call('triage_post', { postId: POST.id, ...triage });
    await client.call('add_comment', { postId: POST.id, content: 'Hi', parentId });
    expect(seen).toHaveLength(2);
    expect(
      await client.attempt('add_comment', { postId: POST.id, content: 'Hi', parentId: `vote_${suffix}` }),
    ).toMatchObject({ code: 'invalid' });
    expect(seen).toHaveLength(2);
  });

  test.each<[string, unknown, string]>([
    ['names them', { voterPrincipalId: ['Required'] }, 'Invalid request body: voterPrincipalId (Required)'],
    ['has none', {}, 'Invalid request body'],
    ['is odd', 7, 'Invalid request body'],
  ])('the fields of a bad body: the server %s', async (_name, errors, message) => {
    const { client } = await openRemote([
      [400, { error: { message: 'Invalid request body', details: { errors } } }],
    ]);
    expect(await client.attempt('search_feedback', {})).toMatchObject({ code: 'invalid', message });
  });
});

describe('the address', () => {
  test.each([
    ['', '/api/v1/posts'],
    ['/', '/api/v1/posts'],
    ['//', '/api/v1/posts'],
    ['/desk', '/desk/api/v1/posts'],
    ['/desk//', '/desk/api/v1/posts'],
    ['/api/v1', '/api/v1/posts'],
    ['/desk/api/v1/', '/desk/api/v1/posts'],
    ['/?token=1#x', '/api/v1/posts'],
  ])('%s', async (path, expected) => {
    const { client, seen } = await openRemote([PAGE], { path });
    await client.call('search_feedback', { query: 'a&b=c d', limit: 5, status: 'open' });
    const url = new URL(seen[0]?.url ?? '', 'http://x');
    expect(url.pathname).toBe(expected);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      search: 'a&b=c d',
      status: 'open',
      sort: 'newest',
      limit: '5',
    });
    expect(seen[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });

  test('a redirect within the origin is followed with the key', async () => {
    const { client, seen } = await openRemote([[307, '', { location: '/api/v1/moved' }], PAGE]);
    expect((await client.call('search_feedback', {})).posts).toHaveLength(1);
    expect(seen.map(({ url, headers }) => [url.split('?')[0], headers.authorization])).toEqual([
      ['/api/v1/posts', `Bearer ${KEY}`],
      ['/api/v1/moved', `Bearer ${KEY}`],
    ]);
  });

  test('a redirect to another origin gets neither the key nor a request', async () => {
    const other = await serveScript([PAGE]);
    const { client, seen } = await openRemote([[302, '', { location: `${other.origin}/api/v1/posts` }]]);
    expect(await client.attempt('search_feedback', {})).toMatchObject(
      unexpected(`a redirect to ${other.origin}, which was not followed. Check QUACKBACK_URL`),
    );
    expect([seen.length, other.seen.length]).toEqual([1, 0]);
  });

  test.each<[string, 'create_post' | 'search_feedback', Step, boolean]>([
    ['a POST is not redirected', 'create_post', [307, '', { location: '/api/v1/moved' }], false],
    ['a POST that moved was not made', 'create_post', [301, '', { location: 'https://x.example' }], false],
    ['a POST that shows elsewhere may be made', 'create_post', [303, '', { location: '/x' }], true],
    ['a circle ends', 'search_feedback', [302, '', { location: '/api/v1/posts' }], false],
    ['a redirect to nowhere', 'search_feedback', [302], false],
    ['a redirect to no address', 'search_feedback', [302, '', { location: 'http://[' }], false],
  ])('%s', async (_name, tool, step, isOpen) => {
    const { client, seen } = await openRemote([step]);
    const outcome = await client.attempt(tool, tool === 'create_post' ? NEW_POST : {});
    expect(outcome).toMatchObject(unexpected('a redirect to '));
    expect(JSON.stringify(outcome).includes(MADE)).toBe(isOpen);
    expect(seen.length).toBeLessThanOrEqual(4);
  });
});

describe('an odd answer', () => {
  const deep = (levels: number) => {
    const opened = Array.from(
      { length: levels },
      (_, level) => `{"id":"comment_${String(level).padStart(6, '0')}","replies":[`,
    );
    return `{"data":[${opened.join('')}${']}'.repeat(levels)}]}`;
  };

  const garbage: Step = (res) => res.socket?.end('220 mail.example ESMTP\r\n');
  const falseGzip: Step = [200, 'no gzip', { 'content-encoding': 'gzip' }];
  const odd: [string, Step, string][] = [
    ['an empty body', [200, ''], 'it is empty'],
    ['an HTML page', [200, '\n<html>Welcome</html>'], 'a web page instead of JSON. Check that QUACKBACK_URL'],
    ['broken JSON', [200, '{"data": ['], 'it is not JSON'],
    ['no data', [200, { posts: [] }], 'it has no "data"'],
    ['11 MiB', [200, JSON.stringify({ data: ['x'.repeat(11 * 1024 * 1024)] })], 'it is larger than 10 MiB'],
    ['a bottomless one', [200, '['.repeat(1_000_000)], 'it is not JSON'],
    [
      'a bottomless one that ends',
      [200, `{"data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`],
      'it is nested too deep',
    ],
    ['what is no HTTP', garbage, 'The server did not answer in valid HTTP'],
    ['false gzip', falseGzip, 'The compressed answer of the server is damaged'],
    ['an unknown coding', [200, 'x', { 'content-encoding': 'zstd' }], 'The server used a content encoding'],
  ];

  test.each<[string, Step, string]>([
    ...odd,
    ['data of another kind', [200, { data: { id: 'x' } }], 'it is no list'],
    ['an item without an id', [200, { data: [{ title: 'x' }] }], 'it has no id'],
    [
      'a field of another type',
      [200, { data: [{ ...POST, voteCount: 'many' }] }],
      'its fields are not those',
    ],
  ])('%s is unavailable, and the next call works', async (_name, step, cause) => {
    const { client, seen } = await openRemote([step, PAGE]);
    expect(await client.attempt('search_feedback', {})).toMatchObject(unexpected(cause));
    expect((await client.call('search_feedback', {})).posts).toHaveLength(1);
    expect(seen).toHaveLength(2);
  });

  test.each<[string, Step, string]>([
    ...odd,
    ['204', [204], 'it is empty'],
    ['no id', [201, { data: { title: 'Dark mode' } }], 'it has no id'],
    ['a field of another type', [201, { data: { ...POST, voteCount: 'many' } }], 'its fields are not those'],
    ['another thing', [201, { data: [] }], 'it has no id'],
  ])('%s to a create says that the item may have been made', async (_name, step, cause) => {
    const calls = [
      ['create_post', NEW_POST],
      ['add_comment', { postId: POST.id, content: 'Hm' }],
      ['create_changelog', { title: 'News', content: 'None' }],
    ] as const;
    for (const [tool, input] of calls) {
      const { client, seen } = await openRemote([step]);
      const outcome = await client.attempt(tool, input);
      // A comment and an entry have other fields than the post of the script.
      if (_name !== 'a field of another type' || tool === 'create_post')
        expect(outcome, tool).toMatchObject(unexpected(cause));
      expect(JSON.stringify(outcome), tool).toMatch(/may have been made|was made/);
      expect(seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    }
  });

  test('204 is an empty success of what deletes, and is read again for what changes', async () => {
    const { client, seen } = await openRemote([[204], [204], [200, { data: { ...POST, tags: [] } }]]);
    expect(await client.call('delete_post', { postId: POST.id })).toEqual({ id: POST.id, isDeleted: true });
    expect(await client.call('triage_post', { postId: POST.id, tagIds: [] })).toMatchObject({
      id: POST.id,
      title: POST.title,
      tags: [],
    });
    expect(seen.map(({ method }) => method)).toEqual(['DELETE', 'PATCH', 'GET']);
    const nothing = await openRemote([[204]]);
    expect(await nothing.client.call('search_feedback', {})).toEqual({
      posts: [],
      nextCursor: null,
      hasMore: false,
      total: null,
    });
  });

  test.each<[string, object | undefined, object]>([
    ['hasMore without a cursor', { cursor: null, hasMore: true }, { nextCursor: null, hasMore: false }],
    ['hasMore with an empty cursor', { cursor: '', hasMore: true }, { nextCursor: null, hasMore: false }],
    ['a cursor without more', { cursor: 'abc', hasMore: false }, { nextCursor: null, hasMore: false }],
    ['a cursor of another type', { cursor: 7, hasMore: true }, { nextCursor: null, hasMore: false }],
    ['both', { cursor: 'abc', hasMore: true, total: 9 }, { nextCursor: 'abc', hasMore: true, total: 9 }],
    ['nothing', undefined, { nextCursor: null, hasMore: false, total: null }],
  ])('a page that tells %s', async (_name, pagination, shown) => {
    for (const body of [{ pagination }, { meta: { pagination } }]) {
      const { client } = await openRemote([[200, { data: [POST], ...body }]]);
      expect(await client.call('search_feedback', {})).toMatchObject(shown);
    }
  });

  test('unknown fields pass, missing ones are null, e-mail goes at any depth', async () => {
    const tags = [{ id: 'tag_1', name: 'ui', extra: { email: 'a@b.example', kept: 1 } }];
    const item = { ...POST, rank: 7, authorEmail: 'a@b.example', tags, __proto__x: 1 };
    const { client } = await openRemote([[200, { data: [item] }]]);
    const { posts, ...page } = await client.call('search_feedback', {});
    expect(page).toEqual({ nextCursor: null, hasMore: false, total: null });
    expect(posts[0]).toMatchObject({
      ...POST,
      rank: 7,
      voteCount: null,
      tags: [{ id: 'tag_1', name: 'ui', color: null, extra: { kept: 1 } }],
    });
    expect(JSON.stringify(posts)).not.toMatch(/b\.example|email/i);
  });

  test('a thread of 2,000 replies comes through whole, page by page', async () => {
    const thread = deep(2000);
    const { client } = await openRemote([
      (res, { url }) => res.end(url.endsWith('/comments') ? thread : JSON.stringify({ data: POST })),
    ]);
    let depth = 0;
    let cursor: string | undefined;
    do {
      const page = await client.call('get_post', { postId: POST.id, limit: 100, cursor });
      for (let level = page.comments ?? []; level.length > 0; depth += 1) {
        // Every level has the form of the first.
        level = (level[0]?.replies ?? []) as typeof level;
      }
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(depth).toBe(2000);
  });

  test('when one half of a post fails, the other is not waited for', async () => {
    const bothCame = Promise.withResolvers<void>();
    const { client, seen } = await openRemote([
      (res, { url }) => {
        if (url.endsWith('/comments')) bothCame.resolve();
        else
          detach(
            bothCame.promise.then(() => res.writeHead(404).end('{"error":{"message":"Post not found"}}')),
            () => res.destroy(),
          );
      },
    ]);
    expect(await client.attempt('get_post', { postId: POST.id })).toMatchObject({
      code: 'not_found',
      message: 'Post not found',
    });
    expect(seen).toHaveLength(2);
  });
});

describe.each(['modern', 'legacy'] as const)('a list that cannot be read (%s)', (era) => {
  test.each<[string, Step, object]>([
    ['a server that fails', [500, { error: 'Oops' }], { code: -32603, data: { code: 'unavailable' } }],
    ['a busy server', [429, { error: 'Busy' }], { code: -32603, data: { code: 'rate_limited' } }],
    ['a web page', [200, '<html>'], { code: -32603, data: { code: 'unavailable' } }],
    ['a refusal', [400, { error: 'No' }], { code: -32603, data: { code: 'invalid' } }],
    // The SDK's client shows the code of 2025 (-32002) as this one too.
    ['an unknown one', [404, { error: 'Boards not found' }], { code: -32602 }],
  ])('%s', async (_name, step, fault) => {
    const { client } = await openRemote([step], { era });
    await expect(client.raw.readResource({ uri: 'quackback://boards' })).rejects.toMatchObject(fault);
  });
});

describe('a server without a route', () => {
  test.each<[string, Step]>([
    ['404 of a page', [404, '<html>nothing here</html>']],
    ['404 of an API', [404, { error: { code: 'NOT_FOUND', message: 'Not found' } }]],
    ['404 of a route', [404, { error: { code: 'NOT_FOUND', message: 'Route not found' } }]],
    ['405', [405, {}]],
  ])('%s is told once and remembered', async (_name, step) => {
    const { client, seen } = await openRemote([step]);
    for (let round = 0; round < 3; round += 1) {
      expect(await client.attempt('get_post_activity', { postId: POST.id })).toMatchObject({
        code: 'unavailable',
        message: 'This feedback server does not offer post activity',
      });
    }
    expect(seen).toHaveLength(1);
    await client.attempt('merge_post', { duplicatePostId: POST.id, canonicalPostId: POST.id });
    expect(seen).toHaveLength(2);
  });

  test('a missing post is no missing route', async () => {
    const { client, seen } = await openRemote([[404, { error: { message: 'Post not found' } }]]);
    for (let round = 0; round < 2; round += 1)
      expect(await client.attempt('get_post_activity', { postId: POST.id })).toMatchObject({
        code: 'not_found',
      });
    expect(seen).toHaveLength(2);
  });
});

describe('the key', () => {
  // A key may hold what JSON writes otherwise.
  test.each([KEY, 'k"e\\y/<>'])('%s is in no answer, whatever the server sends back', async (key) => {
    const echo: Step[] = [400, 401, 403, 404, 409, 429, 500].map((status) => [
      status,
      { error: { message: `Bad key ${key}`, details: { [key]: key } } },
      { 'x-key': 'x' },
    ]);
    const steps: Step[] = [
      ...echo,
      [200, { data: [{ ...POST, title: key, [`x${key}`]: { deep: [key] } }] }],
      [200, `<html>${key}</html>`],
      [302, '', { location: 'http://example.invalid/' }],
      cut,
    ];
    const heard: string[] = [];
    const logged = ['log', 'warn', 'error', 'debug'] as const;
    for (const method of logged)
      vi.spyOn(console, method).mockImplementation((...args) => {
        heard.push(String(args));
      });
    for (const step of steps) {
      const { client } = await openRemote([step], { key });
      const calls = [
        client.raw.callTool({ name: 'search_feedback', arguments: {} }),
        client.raw.callTool({ name: 'create_post', arguments: NEW_POST }),
        client.raw.readResource({ uri: 'quackback://boards' }),
      ];
      for (const outcome of await Promise.allSettled(calls)) {
        const error: unknown = outcome.status === 'rejected' ? outcome.reason : undefined;
        heard.push(JSON.stringify(outcome));
        if (error instanceof Error) heard.push(String(error.stack), JSON.stringify(error), error.message);
      }
    }
    const forms = [key, JSON.stringify(key).slice(1, -1), JSON.stringify(JSON.stringify(key)).slice(3, -3)];
    expect(heard.filter((text) => forms.some((form) => text.includes(form)))).toEqual([]);
    expect(heard.join('')).toContain('***');
  });
});
