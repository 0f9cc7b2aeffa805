/** What people had who used feedback over MCP before Parley: their client and their command, on our API. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createOriginalClient, ORIGINAL_LISTS } from '../clients/original-feedback.ts';
import { talkTo } from '../clients/remote-feedback.ts';
import { ensureBuilt, ROOT } from './build.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, spawnParley, startParley } from './parley.ts';

const program = join(ROOT, 'apps/server/bin/quackback-mcp.js');
const folder = scratchFolder();
let server: Server;
let boardId = '';

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
  const answer = await fetch(`${server.url}/api/v1/boards`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ideas' }),
  });
  boardId = ((await answer.json()) as { data: { id: string } }).data.id;
}, 120_000);

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

describe('the original client on our API', () => {
  const client = () => createOriginalClient(server);

  test('its six tools work', async () => {
    const { createPost, searchFeedback, getPost, triagePost, addComment, createChangelog, list } = client();
    const made = [];
    for (const title of ['Lighthouse one', 'Lighthouse two', 'Lighthouse three'])
      made.push(await createPost({ boardId, title, content: 'At sea.' }));
    const [post] = made;
    const first = await searchFeedback({ query: 'lighthouse', limit: 2 });
    expect(first).toMatchObject({ nextCursor: expect.any(String), hasMore: true, total: 3 });
    const last = await searchFeedback({ query: 'lighthouse', limit: 2, cursor: first.nextCursor });
    expect(last).toMatchObject({ nextCursor: null, hasMore: false, total: 3 });
    expect([...first.posts, ...last.posts].map(({ id }) => id)).toEqual(
      made.map(({ id }) => id).toReversed(),
    );

    const postId = post?.id ?? '';
    const planned = (await list('statuses')).find(({ slug }) => slug === 'planned');
    const [owner] = await list('members');
    const change = { statusId: planned?.id, ownerMemberId: owner?.id, officialResponse: 'Soon.' };
    expect(await triagePost(postId, change)).toMatchObject({ id: postId, ...change });
    const comment = await addComment(postId, { content: 'Which coast?' });
    await addComment(postId, { content: 'The north.', parentId: comment.id });
    expect(await getPost(postId)).toMatchObject({
      title: 'Lighthouse one',
      officialResponse: 'Soon.',
      comments: [{ content: 'Which coast?', replies: [{ content: 'The north.' }] }],
    });
    const publishedAt = '2026-01-01T00:00:00.000Z';
    expect(await createChangelog({ title: 'Lit', content: 'News', publishedAt })).toMatchObject({
      publishedAt,
    });
  });

  test.each(ORIGINAL_LISTS)('its list of %s works', async (noun) => {
    const items = await client().list(noun);
    expect(Array.isArray(items)).toBe(true);
    for (const item of items)
      expect(item).toMatchObject({ id: expect.any(String), name: expect.any(String) });
  });

  test('an error is told by its status, and its text stands where others look for it', async () => {
    const postId = 'post_01h455vb4pex5vsknk084sn02q';
    await expect(client().getPost(postId)).rejects.toThrow(/^HTTP 404$/);
    const headers = { authorization: `Bearer ${server.key}` };
    const answer = await fetch(`${server.url}/api/v1/posts/${postId}`, { headers });
    expect(await answer.json()).toMatchObject({
      message: 'Post not found',
      error: { code: 'NOT_FOUND', message: 'Post not found' },
    });
  });
});

describe('the command quackback-mcp', () => {
  test.each<[string, Record<string, string>, string]>([
    ['nothing', {}, 'Error: QUACKBACK_URL (or --url) is required\n'],
    [
      'no key',
      { QUACKBACK_URL: 'https://a.example' },
      'Error: QUACKBACK_API_KEY (or --api-key) is required\n',
    ],
    ['no address', { QUACKBACK_API_KEY: 'qb_x' }, 'Error: QUACKBACK_URL (or --url) is required\n'],
    [
      'an address that is none',
      { QUACKBACK_URL: 'nonsense', QUACKBACK_API_KEY: 'qb_x' },
      'Error: QUACKBACK_URL is not a valid URL: nonsense\n',
    ],
  ])('does not start from %s, and says what is missing', async (_name, env, stderr) => {
    expect(await runParley([], { program, env })).toEqual({ code: 1, stdout: '', stderr });
  });

  test('tells its version', async () => {
    expect(await runParley(['--version'], { program })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });

  test.each(['modern', 'legacy'] as const)(
    'serves six tools and five lists of our API from two variables (%s)',
    async (era) => {
      using cwd = scratchFolder();
      const env = { QUACKBACK_URL: server.url, QUACKBACK_API_KEY: `${server.key}\n` };
      const running = spawnParley([], { program, env, cwd: cwd.path });
      onTestFinished(async () => {
        running.child.stdin.end();
        await running.ended;
      });
      const mcp = talkTo(running, era);
      expect(JSON.stringify(await mcp.open())).toContain('"quackback-mcp"');
      const { tools } = (await mcp.ask('tools/list')).result;
      expect(tools).toHaveLength(6);
      for (const { name, annotations } of tools) expect(annotations.openWorldHint, name).toBe(true);
      const call = async (name: string, input: object) => {
        const { result } = await mcp.ask('tools/call', { name, arguments: input });
        expect(result.isError, JSON.stringify(result.content)).not.toBe(true);
        return result.structuredContent;
      };
      const post = await call('create_post', { boardId, title: `Harbour ${era}`, content: 'Deep.' });
      const statuses = (await mcp.ask('resources/read', { uri: 'quackback://statuses' })).result.contents;
      const planned = JSON.parse(statuses[0].text).find(({ slug }: { slug: string }) => slug === 'planned');
      const change = { statusId: planned.id, officialResponse: 'Soon.' };
      expect(await call('triage_post', { postId: post.id, ...change })).toMatchObject(change);
      await call('add_comment', { postId: post.id, content: 'Hm' });
      expect(await call('get_post', { postId: post.id })).toMatchObject({ comments: [{ content: 'Hm' }] });
      expect(await call('search_feedback', { query: `harbour ${era}` })).toMatchObject({ total: 1 });
      expect(await call('create_changelog', { title: 'T', content: 'C' })).toMatchObject({ state: 'draft' });
      for (const noun of ORIGINAL_LISTS) {
        const { result } = await mcp.ask('resources/read', { uri: `quackback://${noun}` });
        expect(Array.isArray(JSON.parse(result.contents[0].text)), noun).toBe(true);
      }
    },
  );
});
