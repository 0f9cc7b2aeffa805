/** `parley mcp feedback --url`: what it promises on every runtime, as one table of tests over real processes. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { serveForTest } from '@parley/test-support/scripted-server';
import type { Script } from '@parley/test-support/scripted-server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { message } from '../product/mcp-messages.ts';
import type { RunOptions, Running } from '../product/parley.ts';
import { runParley, spawnParley } from '../product/parley.ts';

const KEY = 'qb_cafe0123456789abcdef0123456789abcdef0123456789ab';
const SUFFIX = '01h455vb4pex5vsknk084sn02q';
const BOARD = { id: `board_${SUFFIX}`, name: 'Ideas', slug: 'ideas', isPublic: true, postCount: 1 };
const POST = {
  id: `post_${SUFFIX}`,
  title: 'Dark mode',
  boardId: BOARD.id,
  tags: [],
  authorEmail: 'ada@acme.example',
};

/** Answers every route with something that fits it. */
const fits: Script = ({ method, url, body }, res) => {
  const path = url.split('?')[0] ?? '';
  const isList =
    method === 'GET' && /\/(posts|comments|boards|statuses|tags|roadmaps|members|changelog)$/.test(path);
  const thing = path.endsWith('/boards')
    ? BOARD
    : path.endsWith('/comments')
      ? { ...POST, replies: [] }
      : POST;
  const asked = body === '' ? {} : (JSON.parse(body) as object);
  const data = isList ? [thing] : { ...thing, ...asked };
  const pagination = { cursor: null, hasMore: false, total: 1 };
  res.setHeader('content-type', 'application/json');
  res.end(JSON.stringify({ data, ...(isList && { meta: { pagination } }) }));
};

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-remote-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Reply {
  readonly id?: unknown;
  // oxlint-disable-next-line typescript/no-explicit-any -- each test knows the form of what it asked for
  readonly result?: any;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client of one era that writes lines and reads lines. */
export function talkTo({ child }: Running, era: 'modern' | 'legacy') {
  const waiting = new Map<unknown, (reply: Reply) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
  });
  const write = (value: unknown) => child.stdin.write(`${JSON.stringify(value)}\n`);
  let ids = 0;
  const ask = (method: string, params: Record<string, unknown> = {}) => {
    const id = (ids += 1);
    const reply = new Promise<Reply>((resolve) => {
      waiting.set(id, resolve);
    });
    write(era === 'modern' ? message(id, method, params) : { jsonrpc: '2.0', id, method, params });
    return { id, reply };
  };
  return {
    ask: (method: string, params?: Record<string, unknown>) => ask(method, params).reply,
    begin: ask,
    notify: (method: string, params: Record<string, unknown>) =>
      write(
        era === 'modern'
          ? { ...message(0, method, params), id: undefined }
          : { jsonrpc: '2.0', method, params },
      ),
    async open(): Promise<Reply['result']> {
      if (era === 'modern') return (await ask('server/discover').reply).result;
      const clientInfo = { name: 'table', version: '1.0.0' };
      const opening = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      const { result } = await ask('initialize', opening).reply;
      write({ jsonrpc: '2.0', method: 'notifications/initialized' });
      return result;
    },
  };
}

/** The tests of one runtime. */
export function promiseRemoteFeedback(name: string, runtime: () => Partial<RunOptions>): void {
  const start = (args: readonly string[], options: RunOptions = {}) => {
    const running = spawnParley(['mcp', 'feedback', ...args], { ...runtime(), ...options });
    onTestFinished(async () => {
      running.child.stdin.end();
      await running.ended;
    });
    return running;
  };
  const flagsFor = (url: string) => ['--url', url, '--api-key', KEY];

  describe(`remote feedback on ${name}`, () => {
    test.each<[string, string[], Record<string, string>, string]>([
      ['no URL', ['--remote'], {}, 'QUACKBACK_URL (or --url) is required'],
      ['no URL beside a key', [], { QUACKBACK_API_KEY: KEY }, 'QUACKBACK_URL (or --url) is required'],
      ['no key', ['--url', 'https://a.example'], {}, 'QUACKBACK_API_KEY (or --api-key) is required'],
      [
        'bad URL',
        ['--url', 'nonsense'],
        { QUACKBACK_API_KEY: KEY },
        'QUACKBACK_URL is not a valid URL: nonsense',
      ],
      [
        'another scheme',
        ['--url', 'ftp://a.example/?t=1', '--api-key', KEY],
        {},
        'QUACKBACK_URL is not a valid URL: ftp://a.example/',
      ],
      [
        'credentials in the URL',
        ['--api-key', KEY],
        { QUACKBACK_URL: 'https://joe:secret@a.example/x?y' },
        'QUACKBACK_URL must not hold a user name or password: leave them out and give the key in QUACKBACK_API_KEY. Without them it is https://a.example/x',
      ],
      [
        'an empty key',
        ['--url', 'https://a.example', '--api-key', ''],
        {},
        'QUACKBACK_API_KEY is not a valid key: it is empty',
      ],
      [
        'a key with a blank',
        ['--url', 'https://a.example', '--api-key', 'two words'],
        {},
        'QUACKBACK_API_KEY is not a valid key: it holds blanks, line breaks or letters that a header cannot carry',
      ],
    ])('does not start with %s', async (_fault, args, env, line) => {
      const cwd = scratch();
      const ended = await runParley(['mcp', 'feedback', ...args], { ...runtime(), env, cwd });
      expect(ended).toEqual({ code: 1, stdout: '', stderr: `Error: ${line}\n` });
      expect(readdirSync(cwd)).toEqual([]);
    });

    test.each(['modern', 'legacy'] as const)(
      'serves six tools and five lists to a %s client',
      async (era) => {
        const { origin: url, seen } = await serveForTest(fits);
        const cwd = scratch();
        const running = start(flagsFor(`${url}/`), { cwd });
        const client = talkTo(running, era);
        const opened = await client.open();
        expect(JSON.stringify(opened)).toContain('"quackback-mcp"');
        expect(opened.capabilities.resources).toEqual({});
        expect(opened.capabilities).not.toHaveProperty('prompts');
        const { tools } = (await client.ask('tools/list')).result;
        const names = [
          'add_comment',
          'create_changelog',
          'create_post',
          'get_post',
          'search_feedback',
          'triage_post',
        ];
        expect(tools.map((tool: { name: string }) => tool.name)).toEqual(names);
        const { resources } = (await client.ask('resources/list')).result;
        expect(resources).toHaveLength(5);

        const calls: [string, Record<string, unknown>][] = [
          ['search_feedback', { query: 'dark & light' }],
          ['get_post', { postId: POST.id }],
          ['triage_post', { postId: POST.id, tagIds: [] }],
          ['add_comment', { postId: POST.id, content: 'Hm' }],
          ['create_post', { boardId: BOARD.id, title: 'Dark mode' }],
          ['create_changelog', { title: 'News', content: 'None' }],
        ];
        for (const [tool, args] of calls) {
          const { result } = await client.ask('tools/call', { name: tool, arguments: args });
          expect(result, tool).not.toHaveProperty('isError');
          expect(JSON.stringify(result.structuredContent), tool).toContain(POST.id);
          expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
        }
        for (const { uri } of resources) {
          const { result } = await client.ask('resources/read', { uri });
          expect(JSON.parse(result.contents[0].text)).toHaveLength(1);
        }
        expect(seen.every(({ headers }) => headers.authorization === `Bearer ${KEY}`)).toBe(true);
        expect(seen).toHaveLength(12);
        expect(readdirSync(cwd)).toEqual([]);
        expect(running.stdout()).not.toMatch(/@acme\.example|email/i);
        expect(running.stderr()).toBe('');
      },
    );

    test('flags win over variables, and --extended shows the second tier', async () => {
      const { origin: url, seen } = await serveForTest(fits);
      const env = { QUACKBACK_URL: 'http://127.0.0.1:1', QUACKBACK_API_KEY: 'other' };
      const client = talkTo(start([...flagsFor(url), '--extended'], { env }), 'legacy');
      await client.open();
      expect((await client.ask('tools/list')).result.tools).toHaveLength(22);
      await client.ask('tools/call', { name: 'delete_post', arguments: { postId: POST.id } });
      expect(seen).toMatchObject([{ method: 'DELETE', headers: { authorization: `Bearer ${KEY}` } }]);
    });

    test('variables are enough, and a line break after the key is none of it', async () => {
      const { origin: url, seen } = await serveForTest(fits);
      const env = { QUACKBACK_URL: url, QUACKBACK_API_KEY: `${KEY}\n` };
      const client = talkTo(start([], { env }), 'legacy');
      await client.open();
      await client.ask('resources/read', { uri: 'quackback://boards' });
      expect(seen).toMatchObject([{ url: '/api/v1/boards', headers: { authorization: `Bearer ${KEY}` } }]);
    });

    test('a busy server is asked again, a refused key is a fault, and odd answers leave it alive', async () => {
      const script: Script[] = [
        (_request, res) => res.writeHead(503, { 'retry-after': '0' }).end(),
        (_request, res) => res.destroy(),
        fits,
        (_request, res) => res.writeHead(401).end(JSON.stringify({ error: { message: `Bad key ${KEY}` } })),
        (_request, res) => res.writeHead(404).end(JSON.stringify({ error: `No ${KEY}` })),
        (_request, res) => res.end(`<html>${KEY}</html>`),
        (_request, res) => res.end(JSON.stringify({ data: [{ ...POST, title: KEY, [KEY]: [KEY] }] })),
        (_request, res) => res.end(Buffer.alloc(11 * 1024 * 1024, 97)),
        (_request, res) => res.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
        fits,
      ];
      let step = 0;
      const { origin: url } = await serveForTest((request, res) => script[step++]?.(request, res));
      const running = start(flagsFor(url));
      const client = talkTo(running, 'modern');
      const search = () => client.ask('tools/call', { name: 'search_feedback', arguments: {} });
      const unexpected = {
        isError: true,
        content: [{ text: expect.stringContaining('Error: Unexpected response from the feedback server: ') }],
      };
      expect((await search()).result.structuredContent).toMatchObject({ total: 1 });
      expect((await search()).error).toMatchObject({
        code: -32603,
        message: 'Authentication failed: 401',
        data: { status: 401 },
      });
      expect((await search()).result).toMatchObject({ isError: true, content: [{ text: 'Error: No ***' }] });
      expect((await search()).result).toMatchObject(unexpected);
      expect((await search()).result.structuredContent).toMatchObject({ posts: [{ title: '***' }] });
      expect((await search()).result).toMatchObject(unexpected);
      expect((await search()).result).toMatchObject(unexpected);
      expect((await search()).result.structuredContent).toMatchObject({ total: 1 });
      // What a client writes back is text that leaves, too.
      expect((await client.ask('tools/call', { name: KEY, arguments: {} })).error?.message).toContain('***');
      expect((await client.ask('resources/read', { uri: `quackback://${KEY}` })).error).toBeDefined();
      expect(running.stdout() + running.stderr()).not.toContain(KEY);
    });

    test('a cancelled call ends its request', async () => {
      const begun = Promise.withResolvers<void>();
      const gone = Promise.withResolvers<void>();
      const { origin: url, seen } = await serveForTest((_request, res) => {
        res.on('close', () => gone.resolve());
        begun.resolve();
      });
      const client = talkTo(start(flagsFor(url)), 'legacy');
      await client.open();
      const { id } = client.begin('tools/call', { name: 'search_feedback', arguments: {} });
      await begun.promise;
      client.notify('notifications/cancelled', { requestId: id });
      await gone.promise;
      expect(seen).toHaveLength(1);
    });

    test('http to another machine is warned about and served', async () => {
      const running = start(['--url', 'http://192.0.2.1', '--api-key', KEY]);
      const client = talkTo(running, 'legacy');
      await client.open();
      expect((await client.ask('tools/list')).result.tools).toHaveLength(6);
      expect(running.stderr()).toMatch(/^Warning: QUACKBACK_URL uses http[^\n]*\n$/);
    });

    test('ends with its input', async () => {
      const { origin: url } = await serveForTest(fits);
      const running = start(flagsFor(url));
      const client = talkTo(running, 'legacy');
      await client.open();
      await client.ask('resources/read', { uri: 'quackback://boards' });
      running.child.stdin.end();
      expect(await running.ended).toMatchObject({ code: 0, stderr: '' });
    });
  });
}
