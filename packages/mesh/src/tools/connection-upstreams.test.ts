/** What connections do with their upstreams: catalogs, bindings, programs and configuration, on both databases. */
import { expect, test } from 'vitest';
import type { MeshClient } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { http, made, newScene } from '../../test/scene.ts';
import { upstreamTool } from '../../test/stand-ins.ts';

const MEMBER = { roles: ['member'], grants: { self: ['*'] } };
const DOWN = { ok: false, status: 'unreachable', message: 'The server is unreachable.' } as const;

onBothMeshes('upstreams of connections', (bed) => {
  const stage = () => newScene(bed());

  test('check 16: an upstream that is down leaves its tools, marked stale', async () => {
    const { upstream, as } = await stage();
    await using client = await as();
    const { id, tools } = await made(client, http('Web'));
    upstream.answer = DOWN;
    const update = async (connection_url: string) =>
      (await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { connection_url } })).item;
    expect(await update('https://down.example/mcp')).toMatchObject({
      tools,
      status: 'active',
      catalog: { fetched_at: expect.any(String) as unknown, stale: true, last_error: DOWN.message },
    });
    const stale = { field: ['catalog', 'stale'], operator: 'eq' as const, value: true };
    expect(await client.call('COLLECTION_CONNECTIONS_LIST', { where: stale })).toMatchObject({
      totalCount: 1,
    });
    expect(await made(client, http('Never seen'))).toMatchObject({
      tools: null,
      status: 'error',
      catalog: { fetched_at: null, stale: false, last_error: DOWN.message },
    });
    upstream.answer = { ok: true, tools: [upstreamTool('ALPHA'), upstreamTool('GAMMA')] };
    const back = await update('https://upstream.example/mcp');
    expect(back).toMatchObject({ status: 'active', catalog: { stale: false, last_error: null } });
    expect(back.tools?.map(({ name }) => name)).toEqual(['ALPHA', 'GAMMA']);
  });

  test('the first definitions are agreed to, and later ones wait', async () => {
    const { store, upstream, as } = await stage();
    await using client = await as();
    const { id } = await made(client, http('Web'));
    const pins = async () =>
      Object.fromEntries(
        (
          await store
            .db<{ tool_pins: { tool_name: string; state: string; connection_id: string } }>()
            .selectFrom('tool_pins')
            .select(['tool_name', 'state'])
            .where('connection_id', '=', id)
            .execute()
        ).map(({ tool_name, state }) => [tool_name, state]),
      );
    expect(await pins()).toEqual({ ALPHA: 'approved', BETA: 'approved' });
    const again = (path: string) =>
      client.call('COLLECTION_CONNECTIONS_UPDATE', {
        id,
        data: { connection_url: `https://upstream.example/${path}` },
      });
    upstream.answer = {
      ok: true,
      tools: [upstreamTool('ALPHA', { description: 'Now it sends mail.' }), upstreamTool('NEW')],
    };
    await again('1');
    expect(await pins()).toEqual({ ALPHA: 'changed', BETA: 'removed', NEW: 'new' });
    upstream.answer = { ok: true, tools: [upstreamTool('ALPHA'), upstreamTool('BETA')] };
    await again('2');
    // Nobody ever agreed to NEW, so nothing is left of it.
    expect(await pins()).toEqual({ ALPHA: 'approved', BETA: 'approved' });
  });

  test('bindings match the known catalog', async () => {
    const { upstream, as } = await stage();
    await using client = await as();
    const storage = [
      'LIST_OBJECTS',
      'GET_OBJECT_METADATA',
      'GET_PRESIGNED_URL',
      'PUT_PRESIGNED_URL',
      'DELETE_OBJECT',
      'DELETE_OBJECTS',
    ];
    upstream.answer = { ok: true, tools: storage.map((name) => upstreamTool(name)) };
    const files = await made(client, http('Files'));
    expect(files.bindings).toEqual(['OBJECT_STORAGE']);
    const inputSchema = { type: 'object', properties: { query: { type: 'string' } } };
    upstream.answer = { ok: true, tools: [upstreamTool('SEARCH', { inputSchema })] };
    const search = await made(client, http('Search'));
    upstream.answer = DOWN;
    await made(client, http('Unknown'));
    const matching = async (
      binding: Parameters<typeof client.call<'COLLECTION_CONNECTIONS_LIST'>>[1]['binding'],
    ) => (await client.call('COLLECTION_CONNECTIONS_LIST', { binding })).items.map(({ id }) => id);
    expect(await matching('object_storage')).toEqual([files.id]);
    expect(await matching('LLM')).toEqual([]);
    expect(await matching({ SEARCH: {} })).toEqual([search.id]);
    expect(await matching({ SEARCH: { inputSchema } })).toEqual([search.id]);
    const other = { properties: { query: { type: 'number' } } };
    expect(await matching({ SEARCH: { inputSchema: other } })).toEqual([]);
    expect(await matching({ SEARCH: {}, MORE: {} })).toEqual([]);
    for (const binding of ['CLOUDS', {}])
      expect(await client.attempt('COLLECTION_CONNECTIONS_LIST', { binding })).toMatchObject({
        code: 'invalid',
      });
  });

  test('check 18: only administrators of a server that allows it store and start programs', async () => {
    const { upstream, as, content } = await stage();
    const program = (command = 'serve') => ({
      title: 'Program',
      connection_type: 'STDIO' as const,
      connection_headers: { command },
    });
    await using owner = await as();
    await using member = await as(MEMBER);
    await using cut = await as({ grants: { self: ['COLLECTION_CONNECTIONS_CREATE'] } });
    const web = await made(owner, http('Web'));
    const before = await content();
    for (const isStdioAllowed of [true, false]) {
      upstream.isStdioAllowed = isStdioAllowed;
      for (const client of [member, cut, ...(isStdioAllowed ? [] : [owner])]) {
        for (const data of [program(), { ...program(), connection_type: 'HTTP' as const }])
          expect(await client.attempt('COLLECTION_CONNECTIONS_CREATE', { data })).toMatchObject({
            code: 'forbidden',
          });
      }
    }
    upstream.isStdioAllowed = true;
    for (const data of [program(), { connection_headers: { command: 'x' } }]) {
      const answer = await member.attempt('COLLECTION_CONNECTIONS_UPDATE', { id: web.id, data });
      expect(answer).toMatchObject({ code: 'forbidden' });
    }
    expect(await content()).toBe(before);
    upstream.answer = { ok: true, tools: [upstreamTool('ON_MCP_CONFIGURATION')] };
    const { id } = await made(owner, program());
    const asked = upstream.asked.length;
    for (const changes of [
      { command: 'other' },
      { command: 'serve', args: ['x'] },
      { command: 'serve', cwd: '/x' },
    ]) {
      const data = { connection_headers: changes };
      expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data })).toMatchObject({
        code: 'forbidden',
      });
    }
    expect(await member.attempt('CONNECTION_TEST', { id })).toMatchObject({ code: 'forbidden' });
    expect(upstream.asked).toHaveLength(asked);
    expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data: { title: 'T' } })).toMatchObject(
      {
        ok: true,
      },
    );
    const configured = { id, data: { configuration_state: { a: 1 } } };
    const { _meta } = await member.raw.callTool({
      name: 'COLLECTION_CONNECTIONS_UPDATE',
      arguments: configured,
    });
    expect(_meta?.['dev.parley/configuration']).toMatchObject({ delivered: false });
    expect(upstream.asked).toHaveLength(asked);
    expect(await owner.call('CONNECTION_TEST', { id })).toMatchObject({ healthy: true, status: 'ok' });
    const url = { ...program(), connection_url: 'https://x.example' };
    expect(await owner.attempt('COLLECTION_CONNECTIONS_CREATE', { data: url })).toMatchObject({
      code: 'invalid',
    });
  });

  test('where programs are named, no other is stored, and the refusal names the setting', async () => {
    const { upstream, as, content } = await stage();
    upstream.isStdioAllowed = true;
    upstream.commands = ['serve', 'node', 'bin/serve'];
    const program = (command: string, envVars: Record<string, string> = {}) => ({
      title: `Program ${command}`,
      connection_type: 'STDIO' as const,
      connection_headers: { command, envVars },
    });
    await using owner = await as();
    const { id } = await made(owner, program('serve', { MINE: '1' }));
    const before = await content();
    const refused = [
      program('curl'),
      program('/tmp/serve'),
      program('serve '),
      program('serve', { PATH: '/x' }),
      program('serve', { NODE_OPTIONS: '--import data:text/javascript,0' }),
      program('bin/serve'),
    ];
    for (const data of refused) {
      const answers = [
        await owner.attempt('COLLECTION_CONNECTIONS_CREATE', { data }),
        await owner.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data }),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({
          code: 'forbidden',
          message: expect.stringContaining('--allow-command (PARLEY_ALLOW_COMMAND)'),
        });
    }
    expect(await content()).toBe(before);
    // What is not of the program may change, also of one that would not be stored any more.
    upstream.commands = [];
    const title = { id, data: { title: 'Other' } };
    expect(await owner.attempt('COLLECTION_CONNECTIONS_UPDATE', title)).toMatchObject({ ok: true });
  });

  test('scopes name what is in the state, and connections that the caller may use', async () => {
    const { upstream, as, own, foreign } = await stage();
    upstream.answer = { ok: true, tools: [upstreamTool('ON_MCP_CONFIGURATION')] };
    await using owner = await as();
    await using foreigner = await as({ organizationId: foreign });
    const { id } = await made(owner, http('Web'));
    const theirs = await made(foreigner, http('Foreign'));
    await using member = await as({
      roles: ['member'],
      grants: { self: ['COLLECTION_CONNECTIONS_UPDATE'] },
    });
    const state = { DB: { value: id }, SELF: { value: `${own}_self` }, a: { b: [{ c: 1 }] }, none: null };
    const update = (client: MeshClient, configuration_state: object, configuration_scopes: string[]) =>
      client.attempt('COLLECTION_CONNECTIONS_UPDATE', {
        id,
        data: { configuration_state, configuration_scopes },
      } as never);
    const good = ['*', 'DB::READ', 'SELF::*', 'a.b[0].c::X', 'a["b"]::X'];
    expect(await update(owner, state, good)).toMatchObject({
      ok: true,
      value: { item: { configuration_scopes: good, configuration_state: state } },
    });
    expect(upstream.told).toEqual([{ tool: 'ON_MCP_CONFIGURATION', args: { state, scopes: good } }]);
    for (const [scopes, code] of [
      [['DB'], 'invalid'],
      [['::X'], 'invalid'],
      [['DB::'], 'invalid'],
      [['.a::X'], 'invalid'],
      [['missing::X'], 'invalid'],
      [['none::X'], 'invalid'],
      [['constructor::X'], 'invalid'],
      [['a.b[7]::X'], 'invalid'],
    ] as const)
      expect(await update(owner, state, [...scopes]), scopes[0]).toMatchObject({ code });
    for (const value of ['conn_none', theirs.id, `${foreign}_self`])
      expect(await update(owner, { DB: { value } }, ['DB::X']), value).toMatchObject({ code: 'not_found' });
    expect(await update(owner, { DB: { value: 7 } }, ['DB::X'])).toMatchObject({ code: 'invalid' });
    expect(await update(member, { DB: { value: id } }, ['DB::X'])).toMatchObject({ code: 'not_found' });
    const self = { DB: { value: `${own}_self` } };
    expect(await update(member, self, ['DB::X'])).toMatchObject({ code: 'forbidden' });
    expect(await update(member, self, ['DB::COLLECTION_CONNECTIONS_UPDATE'])).toMatchObject({ ok: true });
  });

  const CREATES = { self: ['COLLECTION_CONNECTIONS_CREATE'] };
  const CHANGES = { self: ['COLLECTION_CONNECTIONS_UPDATE'] };
  const callsBack = (callbackToken: boolean) => ({ metadata: { gateway: { callbackToken } } });

  /** What somebody who may only make or change connections tries; `ok`: they may. */
  type Try = [name: string, before: object | undefined, data: object, outcome: string];
  const self = { value: 'OWN_self' };
  const all = { configuration_scopes: ['*'] };
  const own = {
    configuration_state: { S: self },
    configuration_scopes: ['S::COLLECTION_CONNECTIONS_UPDATE'],
  };
  const CALL_BACKS: Try[] = [
    ['a connection that calls back for all', undefined, { ...all, ...callsBack(true) }, '*:*'],
    ['one with scopes that wait', undefined, all, '*:*'],
    ['one without any', undefined, callsBack(true), 'ok'],
    ['all scopes', {}, all, '*:*'],
    [
      'a scope of the server',
      {},
      { ...own, configuration_scopes: ['S::API_KEY_CREATE'] },
      'self:API_KEY_CREATE',
    ],
    ['every scope of the server', {}, { ...own, configuration_scopes: ['S::*'] }, 'self:*'],
    [
      'one scope too many',
      {},
      { ...own, configuration_scopes: [...own.configuration_scopes, 'S::USER_GET'] },
      'self:USER_GET',
    ],
    ['a scope of its own', {}, own, 'ok'],
    [
      'another state below the same scopes',
      { ...all, configuration_state: { a: 1 } },
      { configuration_state: { a: 2 } },
      '*:*',
    ],
    ['a token for scopes that are there', all, callsBack(true), '*:*'],
    [
      'a token for scopes that are there, with other settings',
      { ...all, metadata: { gateway: { pinning: 'off' } } },
      { metadata: { gateway: { pinning: 'off', callbackToken: true } } },
      '*:*',
    ],
    ['a token for a scope of its own', own, callsBack(true), 'ok'],
    [
      'another server for a token that is there',
      { ...all, ...callsBack(true) },
      { connection_url: 'https://thief.example/mcp' },
      '*:*',
    ],
    ['another server without a token', all, { connection_url: 'https://other.example/mcp' }, 'ok'],
    ['another path', { ...all, ...callsBack(true) }, { connection_url: 'https://upstream.example/2' }, 'ok'],
    ['no token any more', { ...all, ...callsBack(true) }, callsBack(false), 'ok'],
    ['no scopes any more', { ...all, ...callsBack(true) }, { configuration_scopes: [] }, 'ok'],
    ['the same scopes', { ...all, ...callsBack(true) }, all, 'ok'],
    ['another title', { ...all, ...callsBack(true) }, { title: 'Other' }, 'ok'],
  ];

  const oauth = (changes: object = {}) => ({
    oauth_config: {
      authorizationEndpoint: 'https://a.example/authorize',
      tokenEndpoint: 'https://a.example/token',
      introspectionEndpoint: 'https://a.example/look',
      clientId: 'me',
      scopes: [],
      grantType: 'authorization_code',
      ...changes,
    },
  });
  const OAUTH: Try[] = [
    ['a connection with endpoints', undefined, oauth(), 'oauth_config.authorizationEndpoint'],
    ['endpoints where there are none', {}, oauth(), 'oauth_config.authorizationEndpoint'],
    [
      'another token endpoint',
      oauth(),
      oauth({ tokenEndpoint: 'https://thief.example/token' }),
      'oauth_config.tokenEndpoint',
    ],
    [
      'another path of the token endpoint',
      oauth(),
      oauth({ tokenEndpoint: 'https://a.example/token2' }),
      'oauth_config.tokenEndpoint',
    ],
    [
      'another sign-in',
      oauth(),
      oauth({ authorizationEndpoint: 'https://thief.example/authorize' }),
      'oauth_config.authorizationEndpoint',
    ],
    [
      'another introspection',
      oauth(),
      oauth({ introspectionEndpoint: 'https://thief.example/look' }),
      'oauth_config.introspectionEndpoint',
    ],
    [
      'no introspection any more',
      oauth(),
      oauth({ introspectionEndpoint: undefined }),
      'oauth_config.introspectionEndpoint',
    ],
    [
      'another token endpoint with a secret of its own',
      oauth({ clientSecret: 'first' }),
      oauth({ clientSecret: 'second', tokenEndpoint: 'https://thief.example/token' }),
      'oauth_config.tokenEndpoint',
    ],
    [
      'another server for what people sign in for',
      oauth(),
      { connection_url: 'https://thief.example/mcp' },
      'connection_url',
    ],
    ['other scopes', oauth(), oauth({ scopes: ['a'] }), 'ok'],
    ['the same once more', oauth(), oauth(), 'ok'],
    ['none any more', oauth(), { oauth_config: null }, 'ok'],
    [
      'another server and none any more',
      oauth(),
      { oauth_config: null, connection_url: 'https://b.example' },
      'ok',
    ],
    ['another title', oauth(), { title: 'Other' }, 'ok'],
  ];

  test.each([
    ...CALL_BACKS.map((row) => ['what it may call back for', ...row] as const),
    ...OAUTH.map((row) => ['where people sign in', ...row] as const),
  ])('nobody gives a server more than they have, %s: %s', async (_class, _name, before, data, outcome) => {
    const { as, own: organization, content } = await stage();
    const here = (value: object) =>
      JSON.parse(JSON.stringify(value).replaceAll('OWN_self', `${organization}_self`)) as object;
    const owner = await as();
    const id = before && (await made(owner, http('Web', here(before)))).id;
    const attempt = (client: MeshClient) =>
      id === undefined
        ? client.attempt('COLLECTION_CONNECTIONS_CREATE', { data: http('Web', here(data)) })
        : client.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data: here(data) });
    const kept = await content();
    // A key of the owner with one grant, and a member with the same.
    const grants = id === undefined ? CREATES : CHANGES;
    const narrow = [await as({ grants }), await as({ roles: ['member'], grants })];
    for (const client of narrow) {
      const answer = await attempt(client);
      if (outcome === 'ok') expect(answer).toMatchObject({ ok: true });
      else {
        const message = expect.stringContaining(outcome) as unknown;
        expect(answer).toMatchObject({ code: 'forbidden', message });
        expect(await content()).toBe(kept);
      }
    }
    expect(await attempt(owner)).toMatchObject({ ok: true });
  });

  test('an upstream that refuses its configuration is told of in the answer, and nothing is undone', async () => {
    const { upstream, as } = await stage();
    upstream.answer = { ok: true, tools: [upstreamTool('ON_MCP_CONFIGURATION')] };
    await using client = await as();
    const { id } = await made(client, http('Web'));
    upstream.answer = DOWN;
    const data = { configuration_state: { a: 1 } };
    const result = await client.raw.callTool({
      name: 'COLLECTION_CONNECTIONS_UPDATE',
      arguments: { id, data },
    });
    expect(result._meta).toMatchObject({
      'dev.parley/configuration': { delivered: false, message: DOWN.message },
    });
    expect((await client.call('COLLECTION_CONNECTIONS_GET', { id })).item).toMatchObject({
      configuration_state: { a: 1 },
      configuration_scopes: [],
    });
    const { structuredContent, _meta } = await client.raw.callTool({
      name: 'COLLECTION_CONNECTIONS_UPDATE',
      arguments: { id, data: { title: 'No state' } },
    });
    expect(structuredContent).toBeDefined();
    expect(_meta?.['dev.parley/configuration']).toBeUndefined();
  });
});
