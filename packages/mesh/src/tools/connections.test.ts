/** What the tools on connections promise, over the protocol and on both databases. */
import type { Where } from '@parley/kit';
import { expect, test } from 'vitest';
import type { MeshClient } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { eventsOf, http, made, newScene } from '../../test/scene.ts';
import { upstreamTool } from '../../test/stand-ins.ts';

const MEMBER = { roles: ['member'], grants: { self: ['*'] } };

onBothMeshes('connections', (bed) => {
  const stage = () => newScene(bed());

  test('are made, listed, read, changed and deleted, each with its event', async () => {
    const { store, upstream, as, own, content, tables, owner: ann } = await stage();
    await using client = await as();
    const item = await made(client, http('Upstream', { description: 'D', metadata: { team: 'A' } }));
    expect(item).toEqual({
      id: expect.stringMatching(/^conn_/) as unknown,
      title: 'Upstream',
      description: 'D',
      icon: null,
      app_name: null,
      app_id: null,
      connection_type: 'HTTP',
      connection_url: 'https://upstream.example/mcp',
      connection_token: null,
      has_connection_token: false,
      connection_headers: null,
      oauth_config: null,
      configuration_state: null,
      configuration_scopes: null,
      metadata: { team: 'A' },
      tools: [upstreamTool('ALPHA'), upstreamTool('BETA')],
      bindings: [],
      status: 'active',
      catalog: { fetched_at: expect.any(String) as unknown, stale: false, last_error: null },
      organization_id: own,
      created_at: expect.any(String) as unknown,
      updated_at: expect.any(String) as unknown,
      created_by: ann.userId,
      updated_by: null,
    });
    const { configuration_state: _state, ...listed } = item;
    expect(await client.call('COLLECTION_CONNECTIONS_LIST', {})).toEqual({
      items: [listed],
      totalCount: 1,
      hasMore: false,
    });
    const { id } = item;
    const data = { title: 'Renamed', description: null };
    const first = await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    expect(first.item).toMatchObject({ title: 'Renamed', description: null, updated_by: ann.userId });
    const again = await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    expect({ ...again.item, updated_at: '' }).toEqual({ ...first.item, updated_at: '' });
    expect(upstream.asked.map(({ what }) => what)).toEqual(['discover']);
    const before = await content();
    expect(await client.call('COLLECTION_CONNECTIONS_GET', { id })).toEqual({ item: again.item });
    await client.call('COLLECTION_CONNECTIONS_LIST', { include_virtual: true });
    await client.call('CONNECTION_TEST', { id });
    expect(await content()).toBe(before);
    const remove = () => client.call('COLLECTION_CONNECTIONS_DELETE', { id });
    expect(await remove()).toEqual({ id, item: again.item, deleted: true });
    expect(await remove()).toEqual({ id, item: null, deleted: false });
    expect(await client.call('COLLECTION_CONNECTIONS_GET', { id })).toEqual({ item: null });
    const told = (type: string, title: string) => ({
      type,
      source: `${own}_self`,
      data: { id, title, connection_type: 'HTTP' },
    });
    expect(await eventsOf(store, own)).toEqual([
      told('connection.created', 'Upstream'),
      // The second update changed nothing.
      told('connection.updated', 'Renamed'),
      told('connection.deleted', 'Renamed'),
    ]);
    const { events: _told, audit_log: _written, connection_ids_used: used, ...left } = await tables();
    expect(JSON.stringify(left)).not.toContain(id);
    // Grants may still name it, so it stands for nothing else.
    expect(JSON.stringify(used)).toContain(id);
    await expect(
      client.call('COLLECTION_CONNECTIONS_CREATE', { data: http('Again', { id }) }),
    ).rejects.toThrow('id: was used before. Choose another one.');
  });

  test('check 11 and 12: secrets are in no answer, no event and no row, and cannot be asked for', async () => {
    const { store, upstream, as, own, content } = await stage();
    await using client = await as();
    upstream.isStdioAllowed = true;
    const secrets = ['tok-canary', 'hdr-canary', 'cli-canary', 'qry-canary', 'sta-canary', 'env-canary'];
    const [token = '', header = '', clientSecret = '', query = '', state = '', variable = ''] = secrets;
    const web = await made(
      client,
      http('Web', {
        connection_url: `https://upstream.example/mcp?team=a&api_key=${query}#x`,
        connection_token: token,
        connection_headers: { headers: { 'X-Custom': header } },
        oauth_config: {
          authorizationEndpoint: 'https://a.example/authorize',
          tokenEndpoint: 'https://a.example/token',
          clientId: 'me',
          clientSecret,
          scopes: ['a'],
          grantType: 'authorization_code',
        },
        configuration_state: { db: { password: state, name: 'main' }, list: [{ apiKey: { x: state } }] },
      }),
    );
    expect(web).toMatchObject({
      connection_url: 'https://upstream.example/mcp?team=a&api_key=[secret]#x',
      connection_token: null,
      has_connection_token: true,
      connection_headers: { headers: { 'X-Custom': '[secret]' } },
      oauth_config: { clientId: 'me', clientSecret: '[secret]' },
      configuration_state: { db: { password: '[secret]', name: 'main' }, list: [{ apiKey: '[secret]' }] },
    });
    const program = await made(client, {
      title: 'Program',
      connection_type: 'STDIO',
      connection_headers: { command: 'serve', args: ['--x'], envVars: { KEY: variable } },
    });
    expect(program.connection_headers).toEqual({
      command: 'serve',
      args: ['--x'],
      envVars: { KEY: '[secret]' },
    });
    expect(upstream.asked.map(({ target }) => target)).toMatchObject([
      { token, headers: { 'X-Custom': header }, url: expect.stringContaining(query) as unknown },
      { program: { command: 'serve', args: ['--x'], cwd: null, env: { KEY: variable } } },
    ]);
    const answers = [
      web,
      program,
      await client.call('COLLECTION_CONNECTIONS_LIST', {}),
      await client.call('COLLECTION_CONNECTIONS_GET', { id: web.id }),
      await client.call('COLLECTION_CONNECTIONS_UPDATE', { id: web.id, data: { title: 'W' } }),
      await client.call('COLLECTION_CONNECTIONS_DELETE', { id: program.id }),
      await eventsOf(store, own),
      // A body is redacted when it is kept, which is not up to the tools.
      client.records.map(({ body: _body, ...record }) => record),
      await content(),
    ];
    for (const secret of secrets) expect(JSON.stringify(answers)).not.toContain(secret);

    const refusals: [field: string[], operator: 'eq' | 'like'][] = [
      [['connection_token'], 'eq'],
      [['connection_headers'], 'eq'],
      [['connection_headers', 'headers', 'X-Custom'], 'like'],
      [['oauth_config', 'clientSecret'], 'like'],
      [['configuration_state', 'db', 'password'], 'like'],
      [['secrets'], 'like'],
      [['revision'], 'eq'],
    ];
    for (const [field, operator] of refusals) {
      const where = { field, operator, value: '%canary' };
      const asked = await client.attempt('COLLECTION_CONNECTIONS_LIST', { where });
      expect(asked, field.join('.')).toMatchObject({ ok: false, code: 'invalid' });
      expect(asked.ok ? '' : asked.message).toContain(JSON.stringify(field));
      const ordered = await client.attempt('COLLECTION_CONNECTIONS_LIST', { orderBy: [{ field }] });
      expect(ordered, field.join('.')).toMatchObject({ ok: false, code: 'invalid' });
    }
    const url = { field: ['connection_url'], operator: 'contains' as const, value: query };
    expect(await client.call('COLLECTION_CONNECTIONS_LIST', { where: url })).toMatchObject({
      totalCount: 0,
    });
  });

  test('check 13: a mask that is sent back keeps what is stored, and says so when nothing is', async () => {
    const { upstream, as } = await stage();
    await using client = await as();
    const { id } = await made(
      client,
      http('Web', {
        connection_url: 'https://upstream.example/mcp?token=abc',
        connection_token: 'tok',
        connection_headers: { headers: { A: 'one', B: 'two' } },
        configuration_state: { pin: 1234 },
      }),
    );
    const update = (data: object) => client.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data });
    const last = () => upstream.asked.at(-1)?.target;
    expect(
      await update({
        connection_url: 'https://upstream.example/mcp?token=[secret]&x=1',
        connection_token: '[secret]',
        connection_headers: { headers: { A: '[secret]', C: 'three' } },
        configuration_state: { pin: '[secret]', more: 1 },
      }),
    ).toMatchObject({ ok: true });
    expect(last()).toMatchObject({
      url: 'https://upstream.example/mcp?token=abc&x=1',
      token: 'tok',
      headers: { A: 'one', C: 'three' },
    });
    for (const [data, path] of [
      [{ connection_headers: { headers: { Z: '[secret]' } } }, 'connection_headers.headers.Z'],
      [{ connection_url: 'https://upstream.example/?key=[secret]' }, 'connection_url'],
      [{ configuration_state: { secret: '[secret]' } }, 'configuration_state.secret'],
    ] as const) {
      const refused = await update(data);
      expect(refused).toMatchObject({ ok: false, code: 'invalid' });
      expect(refused.ok ? '' : refused.message).toContain(path);
    }
    expect(await update({ connection_token: null, connection_headers: null })).toMatchObject({
      ok: true,
      value: { item: { has_connection_token: false, connection_headers: null } },
    });
    expect(last()).toMatchObject({ token: null, headers: {} });
  });

  test('stored secrets go to another server only with an administrator', async () => {
    const { upstream, as } = await stage();
    await using owner = await as();
    await using member = await as(MEMBER);
    const { id } = await made(owner, http('Web', { connection_token: 'tok' }));
    const elsewhere = { id, data: { connection_url: 'https://attacker.example/mcp' } };
    const asked = upstream.asked.length;
    expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', elsewhere)).toMatchObject({
      code: 'forbidden',
    });
    // The service of an OpenAPI document gets them too, wherever its owner says that it is.
    const service = {
      id,
      data: {
        connection_type: 'OPENAPI',
        metadata: { gateway: { openapiServer: 'https://attacker.example' } },
      },
    } as const;
    expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', service)).toMatchObject({
      code: 'forbidden',
    });
    expect(upstream.asked).toHaveLength(asked);
    const fresh = { ...elsewhere, data: { ...elsewhere.data, connection_token: 'new' } };
    expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', fresh)).toMatchObject({ ok: true });
    const path = { id, data: { connection_url: 'https://attacker.example/other' } };
    expect(await member.attempt('COLLECTION_CONNECTIONS_UPDATE', path)).toMatchObject({ ok: true });
    expect(await owner.attempt('COLLECTION_CONNECTIONS_UPDATE', { id, data: http('Back') })).toMatchObject({
      ok: true,
    });
  });

  test('what cannot be stored is refused by its place', async () => {
    const { as, own, foreign, content } = await stage();
    await using client = await as();
    const before = await content();
    const refused: [data: object, message: string][] = [
      [{ title: 'X' }, 'data.connection_type'],
      [{ connection_type: 'HTTP' }, 'data.title'],
      [http('X', { connection_type: 'Websocket' }), 'Websocket'],
      [http('X', { connection_url: 'ftp://x' }), 'connection_url'],
      [http('X', { connection_type: 'OPENAPI', connection_url: null }), 'OpenAPI document'],
      [http('X', { connection_type: 'OPENAPI', connection_url: 'file:///x.json' }), 'connection_url'],
      [
        http('X', {
          connection_type: 'OPENAPI',
          metadata: { gateway: { openapiServer: 'https://u:p@x.example' } },
        }),
        'openapiServer',
      ],
      [http('X', { connection_url: 'https://u:p@x.example' }), 'user name'],
      [http('X', { connection_headers: { headers: { Host: 'x' } } }), 'headers.Host'],
      [http('X', { connection_headers: { headers: { 'Mcp-Session-Id': 'x' } } }), 'headers.Mcp-Session-Id'],
      [http('X', { connection_headers: { headers: { 'a b': 'x' } } }), 'headers.a b'],
      [http('X', { connection_headers: { headers: { A: 'x\r\nB: y' } } }), 'headers.A'],
      [http('X', { connection_headers: { other: 1 } }), 'data.connection_headers.other'],
      [http('X', { tools: [] }), 'data.tools'],
      [http('X', { status: 'active' }), 'data.status'],
      [http('X', { organization_id: foreign }), 'data.organization_id'],
      [http('X', { id: 'a/b' }), 'data.id'],
      [http('X', { id: `${own}_self` }), '_self'],
      // Each is something else at /mcp, in a grant or in an object.
      ...['self', 'agent', 'virtual-mcp', '__proto__', 'constructor', 'toString'].map(
        (id): [object, string] => [http('X', { id }), `id: "${id}"`],
      ),
      [http('X', { metadata: { text: 'x'.repeat(70_000) } }), 'data.metadata'],
      [http('X', { connection_type: 'VIRTUAL' }), 'connection_url'],
      [http('X', { connection_type: 'VIRTUAL', connection_url: 'virtual://vir_none' }), 'connection_url'],
      [http('X', { connection_type: 'VIRTUAL', connection_url: `virtual://${own}_self` }), 'connection_url'],
    ];
    for (const [data, message] of refused) {
      const answer = await client.attempt('COLLECTION_CONNECTIONS_CREATE', { data } as never);
      expect(answer, message).toMatchObject({ ok: false, code: 'invalid' });
      expect(answer.ok ? '' : answer.message).toContain(message);
    }
    expect(await content()).toBe(before);
  });

  test('check 9: another organization sees nothing of them, to the letter', async () => {
    const { as, own, foreign, content } = await stage();
    await using client = await as();
    const { id } = await made(client, http('Mine', { id: `chosen-${own}` }));
    await using other = await as({ organizationId: foreign });
    const before = await content();
    for (const [name, more] of [
      ['COLLECTION_CONNECTIONS_GET', {}],
      ['COLLECTION_CONNECTIONS_UPDATE', { data: { title: 'Stolen' } }],
      ['COLLECTION_CONNECTIONS_DELETE', { force: true }],
      ['CONNECTION_TEST', {}],
    ] as const) {
      const answer = async (asked: string) =>
        JSON.stringify(await other.raw.callTool({ name, arguments: { id: asked, ...more } })).replaceAll(
          asked,
          '',
        );
      expect(await answer(id)).toBe(await answer(`unknow-${own}`));
    }
    expect(await other.call('COLLECTION_CONNECTIONS_LIST', {})).toMatchObject({ totalCount: 0 });
    const taken = async (as_: MeshClient) =>
      as_.attempt('COLLECTION_CONNECTIONS_CREATE', { data: http('X', { id }) });
    const refused = await taken(other);
    expect(refused).toMatchObject({ ok: false, code: 'conflict' });
    expect(await taken(client)).toEqual(refused);
    expect(await content()).toBe(before);
  });

  test('are found by what each of their texts contains and by what stands in their metadata, among many', async () => {
    const { store, as, own, foreign } = await stage();
    await using client = await as();
    const rows = Array.from({ length: 500 }, (_each, index) => ({
      id: `found_${index}`,
      organization_id: index % 2 === 0 ? own : foreign,
      title: `Title ${index} of many`,
      description: `Description ${index} of many`,
      app_name: `Application ${index} of many`,
      app_id: `app-${index}-of-many`,
      connection_type: 'HTTP',
      connection_url: `https://host-${index}.example.com/mcp`,
      metadata: JSON.stringify({
        team: `Team ${index} of "many"`,
        deep: { rank: index, isEven: index === 442 },
      }),
      status: 'active',
      catalog: '{"fetched_at":null,"stale":false,"last_error":null}',
      created_at: 1000 + index,
      updated_at: 1000,
      created_by: 'system',
    }));
    for (let from = 0; from < rows.length; from += 100)
      await store
        .db<{ connections: object }>()
        .insertInto('connections')
        .values(rows.slice(from, from + 100))
        .execute();
    const idsOf = async (where: Where) =>
      (await client.call('COLLECTION_CONNECTIONS_LIST', { where })).items.map(({ id }) => id);
    const asked = [
      [['title'], 'TITLE 442', 'Title 442 of many'],
      [['description'], 'description 442', 'Description 442 of many'],
      [['app_name'], 'application 442', 'Application 442 of many'],
      [['app_id'], 'APP-442-', 'app-442-of-many'],
      [['connection_url'], '//HOST-442.', 'https://host-442.example.com/mcp'],
      [['metadata', 'team'], 'TEAM 442 OF "', 'Team 442 of "many"'],
    ] as const;
    for (const [field, part, whole] of asked) {
      expect(await idsOf({ field, operator: 'contains', value: part }), field.join()).toEqual(['found_442']);
      expect(await idsOf({ field, operator: 'like', value: `%${part}%` }), field.join()).toEqual([
        'found_442',
      ]);
      expect(await idsOf({ field, operator: 'in', value: [whole, part] }), field.join()).toEqual([
        'found_442',
      ]);
    }
    const isEven: Where = { field: ['metadata', 'deep', 'isEven'], operator: 'eq', value: true };
    const rank: Where = { field: ['metadata', 'deep', 'rank'], operator: 'in', value: [442, 443, 444] };
    expect([await idsOf(isEven), await idsOf(rank)]).toEqual([['found_442'], ['found_444', 'found_442']]);
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id: 'found_442', data: { title: 'Renamed' } });
    const title = (value: string): Where => ({ field: ['title'], operator: 'contains', value });
    expect([await idsOf(title('title 442')), await idsOf(title('rename'))]).toEqual([[], ['found_442']]);
  });

  test('check 14 and 15: filters, orders and pages fit together, and null is not like anything', async () => {
    const { store, as, own, foreign } = await stage();
    await using client = await as();
    const rows = Array.from({ length: 500 }, (_each, index) => ({
      id: `conn_${String(index).padStart(3, '0')}`,
      organization_id: index % 50 === 0 ? foreign : own,
      title: `${index % 2 === 0 ? 'Éa' : 'éB'} ${(index * 7) % 500}`,
      description: index % 3 === 0 ? null : `Number ${index % 10}`,
      connection_type: 'HTTP',
      metadata: JSON.stringify({ rank: index % 17 }),
      status: 'active',
      catalog: '{"fetched_at":null,"stale":false,"last_error":null}',
      created_at: 1000 + (index % 100),
      updated_at: 1000,
      created_by: 'system',
    }));
    for (let from = 0; from < rows.length; from += 100) {
      await store
        .db<{ connections: object }>()
        .insertInto('connections')
        .values(rows.slice(from, from + 100))
        .execute();
    }
    const where = {
      operator: 'and' as const,
      conditions: [
        { field: ['title'], operator: 'like' as const, value: 'ÉA%' },
        { field: ['metadata', 'rank'], operator: 'gte' as const, value: 5 },
      ],
    };
    const orderBy = [{ field: ['description'], direction: 'desc' as const }, { field: ['title'] }];
    const walked: string[] = [];
    for (let offset = 0; ; offset += 40) {
      const page = await client.call('COLLECTION_CONNECTIONS_LIST', { where, orderBy, limit: 40, offset });
      walked.push(...page.items.map(({ id }) => id));
      expect(page.hasMore).toBe(walked.length < page.totalCount);
      if (page.hasMore) continue;
      expect(walked).toHaveLength(page.totalCount);
      break;
    }
    const text = (left: string | null, right: string | null) =>
      left === right ? 0 : (left ?? '') < (right ?? '') ? -1 : 1;
    const expected = rows
      .filter(({ organization_id, title, metadata }, index) => {
        const { rank } = JSON.parse(metadata) as { rank: number };
        return organization_id === own && title.startsWith('Éa') && rank >= 5 && index >= 0;
      })
      .toSorted(
        (left, right) =>
          Number(left.description === null) - Number(right.description === null) ||
          text(right.description, left.description) ||
          text(left.title, right.title) ||
          text(left.id, right.id),
      );
    expect(walked).toEqual(expected.map(({ id }) => id));
    const not = (operator: 'like' | 'eq', value: unknown) =>
      client.call('COLLECTION_CONNECTIONS_LIST', {
        where: { operator: 'not', conditions: [{ field: ['description'], operator, value }] },
        limit: 1000,
      });
    const nulls = rows
      .filter((row) => row.organization_id === own && row.description === null)
      .map(({ id }) => id);
    const unlike = (await not('like', 'Number%')).items.map(({ id }) => id);
    expect(unlike.toSorted()).toEqual(nulls.toSorted());
    expect((await not('eq', null)).totalCount).toBe(490 - nulls.length);
  });

  test('what is inactive or fixed, or the server itself, is treated as such', async () => {
    const { upstream, as, own } = await stage();
    await using client = await as();
    const { id } = await made(client, http('Web', { metadata: { isFixed: true } }));
    const asked = upstream.asked.length;
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { status: 'inactive' } });
    expect(await client.call('CONNECTION_TEST', { id })).toMatchObject({
      healthy: false,
      status: 'disabled',
    });
    expect(upstream.asked).toHaveLength(asked);
    const remove = (force: boolean) => client.attempt('COLLECTION_CONNECTIONS_DELETE', { id, force });
    expect(await remove(true)).toMatchObject({ code: 'conflict' });
    await client.call('COLLECTION_CONNECTIONS_UPDATE', { id, data: { metadata: null } });
    expect(await remove(false)).toMatchObject({ ok: true, value: { deleted: true } });
    const self = `${own}_self`;
    expect((await client.call('COLLECTION_CONNECTIONS_GET', { id: self })).item?.connection_type).toBe(
      'VIRTUAL',
    );
    for (const name of ['COLLECTION_CONNECTIONS_UPDATE', 'COLLECTION_CONNECTIONS_DELETE'] as const) {
      const input = { id: self, ...(name.endsWith('UPDATE') && { data: { title: 'X' } }) };
      expect(await client.attempt(name, input as never)).toMatchObject({ code: 'conflict' });
    }
  });
});
