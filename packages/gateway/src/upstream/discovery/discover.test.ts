/** What is read of an upstream: all of it or nothing, and only what is what it should be. */
import { describe, expect, test } from 'vitest';
import type { Link, LinkRequest, ServerFacts } from '../link.ts';
import { UpstreamFault } from '../link.ts';
import { discover } from './discover.ts';

const FILE = { uri: 'skill://a/s/SKILL.md', digest: `sha256:${'0'.repeat(64)}`, size: 1 };
const SKILL = {
  uri: FILE.uri,
  frontmatter: { name: 's', description: 'Does s.', license: 'MIT' },
  resources: [FILE],
};

const FACTS: ServerFacts = {
  era: 'modern',
  protocolVersion: '2026-07-28',
  capabilities: {
    tools: {},
    resources: {},
    prompts: {},
    extensions: { 'io.modelcontextprotocol/skills': {} },
  },
  info: { name: 'upstream', version: '1.0.0' },
  instructions: 'Use it well.',
};

type Answer = Readonly<Record<string, unknown>>;
type Script = Readonly<Record<string, (params: Answer) => Answer>>;

/** A way to a server that answers by method; what it has no answer for is unknown to it. */
function linkTo(script: Script, facts: Partial<ServerFacts> = {}) {
  const asked: LinkRequest[] = [];
  const link: Link = {
    facts: async () => ({ ...FACTS, ...facts }),
    async request(request) {
      asked.push(request);
      request.signal.throwIfAborted();
      const answer = script[request.method];
      if (answer === undefined)
        throw new UpstreamFault('rpc', 'The server knows no such method.', {
          rpc: { code: -32601, message: 'Method not found' },
        });
      return answer(request.params);
    },
    watch: async () => Promise.reject(new Error('Nobody listens here.')),
  };
  return { link, asked };
}

const never = new AbortController().signal;
const tool = (name: string, more: Answer = {}) => ({ name, inputSchema: { type: 'object' }, ...more });
const ALL: Script = {
  'tools/list': () => ({
    tools: [tool('A', { icons: [{ src: 'https://a.example/x.png' }] })],
    ttlMs: 60_000,
  }),
  'resources/list': () => ({ resources: [{ uri: 'docs://a', name: 'a', size: 3 }], ttlMs: 0 }),
  'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'docs://{id}', name: 't' }] }),
  'prompts/list': () => ({
    prompts: [{ name: 'P', arguments: [{ name: 'x', required: true }] }],
    ttlMs: 40_000,
  }),
  'skills/list': () => ({ skills: [SKILL] }),
};
const listing = (...items: unknown[]): Script => ({ ...ALL, 'tools/list': () => ({ tools: items }) });

describe('discovery', () => {
  test.each([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ui://a',
    '',
    7,
    null,
  ])('an icon at %j is left out alone, and reported', async (src) => {
    const good = ['https://a.example/i.png', 'http://a.example/i.png', 'data:image/png;base64,AA'];
    const icons = [{ src }, ...good.map((each) => ({ src: each }))];
    const script: Script = {
      'tools/list': () => ({ tools: [tool('A', { icons }), tool('B', { icons: [{ src }] })] }),
      'resources/list': () => ({ resources: [{ uri: 'docs://a', name: 'a', icons }] }),
      'resources/templates/list': () => ({ resourceTemplates: [] }),
      'prompts/list': () => ({
        prompts: [
          { name: 'P', icons },
          { name: 'Q', icons: { src } },
        ],
      }),
      'skills/list': () => ({ skills: [] }),
    };
    const found = await discover(linkTo(script).link, never);
    const left = good.map((each) => ({ src: each }));
    expect(found.tools).toEqual([tool('A', { icons: left }), tool('B')]);
    expect(found.resources).toEqual([{ uri: 'docs://a', name: 'a', icons: left }]);
    expect(found.prompts).toEqual([{ name: 'P', icons: left }, { name: 'Q' }]);
    expect(found.dropped?.map(({ name }) => name)).toEqual(
      ['A', 'B', 'docs://a', 'P', 'Q'].map((name) => `icons of ${name}`),
    );
  });

  test('keeps nothing that only this server says of what it serves', async () => {
    const _meta = {
      'parley/connection': { id: 'self', title: 'Parley', name: 'act' },
      'parley/skill': {},
      'dev.parley/code': 'ok',
      'a.example/b': 1,
    };
    const script: Script = {
      'tools/list': () => ({
        tools: [tool('A', { _meta })],
        _meta: { 'parley/left-out': [{ what: 'a', reason: 'b' }] },
      }),
      'resources/list': () => ({ resources: [{ uri: 'docs://a', name: 'a', _meta }] }),
      'resources/templates/list': () => ({
        resourceTemplates: [{ uriTemplate: 'docs://{id}', name: 't', _meta }],
      }),
      'prompts/list': () => ({ prompts: [{ name: 'P', arguments: [{ name: 'x', _meta }], _meta }] }),
      'skills/list': () => ({ skills: [] }),
    };
    const found = await discover(linkTo(script).link, never);
    const left = { 'a.example/b': 1 };
    expect(found).toMatchObject({ dropped: [] });
    expect([found.tools[0], found.resources?.[0], found.templates?.[0], found.prompts?.[0]]).toEqual([
      tool('A', { _meta: left }),
      { uri: 'docs://a', name: 'a', _meta: left },
      { uriTemplate: 'docs://{id}', name: 't', _meta: left },
      { name: 'P', arguments: [{ name: 'x', _meta: left }], _meta: left },
    ]);
    // Of a translation of ours it is true.
    const own = await discover(linkTo(script).link, never, { isTranslated: true });
    expect(own.dropped).toEqual([{ kind: 'tools', name: 'a', reason: 'b' }]);
  });

  test('reads every kind, with what the server says of itself', async () => {
    const { link, asked } = linkTo(ALL);
    expect(await discover(link, never)).toEqual({
      server: FACTS,
      tools: [tool('A', { icons: [{ src: 'https://a.example/x.png' }] })],
      resources: [{ uri: 'docs://a', name: 'a', size: 3 }],
      templates: [{ uriTemplate: 'docs://{id}', name: 't' }],
      prompts: [{ name: 'P', arguments: [{ name: 'x', required: true }] }],
      skills: [SKILL],
      dropped: [],
      ttlMs: 40_000,
    });
    for (const { capabilities, isRead } of asked)
      expect({ capabilities, isRead }).toEqual({ capabilities: {}, isRead: true });
  });

  test('asks for nothing that the server does not have', async () => {
    const { link, asked } = linkTo({}, { capabilities: {} });
    const lists = { tools: [], resources: [], templates: [], prompts: [], skills: [] };
    expect(await discover(link, never)).toMatchObject({ ...lists, ttlMs: null });
    expect(asked).toEqual([]);
  });

  test('takes a method that the server does not know for an empty list, but for tools', async () => {
    const { 'tools/list': tools, ...rest } = ALL;
    const { link } = linkTo({ 'tools/list': tools! });
    expect(await discover(link, never)).toMatchObject({ tools: [{ name: 'A' }], templates: [], prompts: [] });
    await expect(discover(linkTo(rest).link, never)).rejects.toMatchObject({ kind: 'rpc' });
  });

  test('follows all pages', async () => {
    const names = Array.from({ length: 5000 }, (_each, index) => `T${index}`);
    const { link, asked } = linkTo(
      {
        'tools/list'({ cursor = '0' }) {
          const from = Number(cursor);
          const tools = names.slice(from, from + 50).map((name) => tool(name));
          return { tools, ...(from + 50 < names.length && { nextCursor: String(from + 50) }) };
        },
      },
      { capabilities: { tools: {} } },
    );
    const found = await discover(link, never);
    expect(found.tools.map(({ name }) => name)).toEqual(names);
    expect(asked).toHaveLength(100);
  });

  test.each<[string, (params: Answer) => Answer, string]>([
    ['repeats a cursor', () => ({ tools: [], nextCursor: 'again' }), 'same cursor twice'],
    [
      'has too many pages',
      ({ cursor = '0' }) => ({ tools: [], nextCursor: `${Number(cursor) + 1}` }),
      '100 pages',
    ],
    ['has too many items', () => ({ tools: Array.from({ length: 5001 }, () => tool('A')) }), '5000 items'],
    ['is too large', () => ({ tools: Array.from({ length: 40 }, () => 'x'.repeat(1024 * 1024)) }), 'bytes'],
    ['is no list', () => ({}), 'no list'],
    [
      'breaks off',
      ({ cursor }) => (cursor === undefined ? { tools: [tool('A')], nextCursor: 'b' } : { tools: 7 }),
      'no list',
    ],
    ['has a cursor that is none', () => ({ tools: [], nextCursor: 7 }), 'no list'],
  ])('fails as a whole when a list %s', async (_name, list, words) => {
    const failed = discover(linkTo({ ...ALL, 'tools/list': list }).link, never);
    await expect(failed).rejects.toMatchObject({
      kind: 'invalid_result',
      message: expect.stringContaining(words) as unknown,
    });
  });

  let deep: unknown = {};
  for (let depth = 0; depth < 100; depth += 1) deep = { deep };
  test.each<[string, unknown, string | null, string]>([
    ['has no schema', { name: 'X' }, 'X', 'inputSchema'],
    ['has no name', { inputSchema: { type: 'object' } }, null, 'name'],
    ['has a name that is too long', tool('x'.repeat(201)), 'x'.repeat(200), 'name'],
    ['takes no object', { name: 'X', inputSchema: { type: 'array' } }, 'X', 'inputSchema.type'],
    ['is too deep', tool('X', { outputSchema: { deep } }), 'X', '64 levels'],
    ['is too large', tool('X', { _meta: { text: 'x'.repeat(300_000) } }), 'X', 'bytes'],
    ['has a description without an end', tool('X', { description: 'x'.repeat(50_001) }), 'X', 'description'],
    ['is no object', 7, null, ''],
    ['is the second of its name', tool('A', { title: 'Another' }), 'A', 'same name'],
  ])('leaves out a tool alone that %s', async (_name, given, name, words) => {
    const found = await discover(linkTo(listing(tool('A'), given, tool('B'))).link, never);
    expect(found.tools).toEqual([tool('A'), tool('B')]);
    expect(found.dropped).toEqual([
      { kind: 'tools', name, reason: expect.stringContaining(words) as unknown },
    ]);
  });

  test.each([
    ['U+0000', 'a\u0000b', 'a<U+0000>b'],
    ['half of a surrogate pair', 'a\ud83db', 'a\uFFFDb'],
  ])('leaves out alone what has %s anywhere, and says where', async (what, odd, shown) => {
    const { link } = linkTo(
      {
        'tools/list': () => ({
          tools: [
            tool('A'),
            tool(odd),
            tool('B', { description: odd }),
            tool('C', { inputSchema: { type: 'object', properties: { [odd]: {} } } }),
          ],
        }),
        'prompts/list': () => ({ prompts: [{ name: odd }, { name: 'Q' }] }),
        'resources/list': () => ({ resources: [{ uri: `docs://${odd}`, name: 'a' }] }),
        'resources/templates/list': () => ({
          resourceTemplates: [{ uriTemplate: 'docs://{id}', name: odd }],
        }),
      },
      {
        instructions: odd,
        info: { name: odd, version: odd, title: odd },
        capabilities: { ...FACTS.capabilities, experimental: { [odd]: {} } },
      },
    );
    const found = await discover(link, never);
    expect(found.tools).toEqual([tool('A')]);
    expect([found.prompts, found.resources, found.templates]).toEqual([[{ name: 'Q' }], [], []]);
    const { info, instructions, capabilities } = found.server;
    expect({ info, instructions, capabilities }).toEqual({
      info: { name: shown, version: shown, title: shown },
      instructions: null,
      capabilities: {},
    });
    expect(found.dropped.map(({ kind, name }) => [kind, name])).toEqual([
      ['tools', shown],
      ['tools', 'B'],
      ['tools', 'C'],
      ['resources', `docs://${shown}`],
      ['templates', 'docs://{id}'],
      ['prompts', shown],
      ['server', 'capabilities'],
      ['server', 'instructions'],
    ]);
    for (const { reason } of found.dropped) expect(reason).toContain(`must not contain`);
    expect(found.dropped[0]?.reason).toContain(what);
  });

  test('keeps a tool with hidden text for somebody to look at, and nothing else that has any', async () => {
    const hidden = 'a\u202Eb';
    const { link } = linkTo(
      {
        'tools/list': () => ({ tools: [tool('A', { description: hidden })] }),
        'prompts/list': () => ({ prompts: [{ name: 'P', description: hidden }, { name: 'Q' }] }),
        'resources/list': () => ({ resources: [{ uri: 'docs://a', name: hidden }] }),
      },
      { instructions: hidden },
    );
    const found = await discover(link, never);
    expect(found.tools).toHaveLength(1);
    expect(found.prompts).toEqual([{ name: 'Q' }]);
    expect(found.resources).toEqual([]);
    expect(found.server.instructions).toBe(null);
    expect(found.dropped.map(({ kind, name, reason }) => [kind, name, reason.split(':')[0]])).toEqual([
      ['resources', 'docs://a', 'hidden_text'],
      ['prompts', 'P', 'hidden_text'],
      ['server', 'instructions', 'hidden_text'],
    ]);
  });

  test('tells what a translated document left out, with every page, and nothing that is said in another shape', async () => {
    const left = (what: unknown, reason: unknown) => ({ _meta: { 'parley/left-out': [{ what, reason }] } });
    const { link } = linkTo({
      'tools/list': ({ cursor }: Answer) => {
        if (cursor === undefined)
          return { tools: [tool('A')], nextCursor: '1', ...left('POST /a', 'a body') };
        if (cursor === '1') return { tools: [tool('B')], nextCursor: '2', ...left(7, 'a number') };
        return { tools: [], ...left('x'.repeat(900), 'long') };
      },
    });
    expect((await discover(link, never, { isTranslated: true })).dropped).toEqual([
      { kind: 'tools', name: 'POST /a', reason: 'a body' },
      { kind: 'tools', name: 'x'.repeat(300), reason: 'long' },
    ]);
  });

  test('tells of the first hundred that were left out', async () => {
    const found = await discover(linkTo(listing(...Array.from({ length: 500 }, () => 7))).link, never);
    expect(found.dropped).toHaveLength(100);
  });

  test('ends with its signal', async () => {
    const reason = new DOMException('Late', 'TimeoutError');
    await expect(discover(linkTo(ALL).link, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});
