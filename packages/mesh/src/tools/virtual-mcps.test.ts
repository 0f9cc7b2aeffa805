/** What the tools on virtual MCPs promise, over the protocol and on both databases. */
import { expect, test } from 'vitest';
import type { MeshClient } from '../../test/mesh-bed.ts';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { eventsOf, made, newScene } from '../../test/scene.ts';
import { upstreamTool } from '../../test/stand-ins.ts';

const web = (title: string) => ({ title, connection_type: 'HTTP', connection_url: 'https://a.example/mcp' });

const bundle = (client: MeshClient, title: string, ...ids: string[]) =>
  client.attempt('COLLECTION_VIRTUAL_MCP_CREATE', {
    data: { title, connections: ids.map((connection_id) => ({ connection_id })) },
  });

async function bundled(client: MeshClient, title: string, ...ids: string[]): Promise<string> {
  const answer = await bundle(client, title, ...ids);
  return answer.ok ? answer.value.item.id : expect.fail(answer.message);
}

onBothMeshes('virtual MCPs', (bed) => {
  const stage = () => newScene(bed());

  test('are made, listed, read, changed and deleted', async () => {
    const { store, as, own, content, owner: ann } = await stage();
    await using client = await as();
    const [one, two] = [await made(client, web('One')), await made(client, web('Two'))];
    const data = {
      title: 'Both',
      metadata: { instructions: 'Use them.' },
      connections: [
        { connection_id: one.id, selected_tools: ['ALPHA'], selected_resources: [] },
        { connection_id: two.id },
      ],
    };
    const { item } = await client.call('COLLECTION_VIRTUAL_MCP_CREATE', { data });
    const all = { selected_tools: null, selected_resources: null, selected_prompts: null };
    expect(item).toMatchObject({
      id: expect.stringMatching(/^vir_/) as unknown,
      title: 'Both',
      description: null,
      status: 'active',
      metadata: { instructions: 'Use them.' },
      connections: [
        { connection_id: one.id, selected_tools: ['ALPHA'], selected_resources: [], selected_prompts: null },
        { connection_id: two.id, ...all },
      ],
      collisions: [
        {
          exposed_name: 'two_ALPHA',
          connection_id: two.id,
          upstream_name: 'ALPHA',
          winner_connection_id: one.id,
        },
      ],
      created_by: ann.userId,
    });
    const { id } = item;
    const before = await content();
    expect((await client.call('COLLECTION_VIRTUAL_MCP_GET', { id })).item).toEqual(item);
    const { collisions: _collisions, ...listed } = item;
    expect((await client.call('COLLECTION_VIRTUAL_MCP_LIST', {})).items).toEqual([listed]);
    expect(await content()).toBe(before);
    const change = {
      title: 'One',
      description: 'D',
      metadata: null,
      connections: [{ connection_id: one.id }],
    };
    const first = await client.call('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data: change });
    expect(first.item).toMatchObject({
      ...change,
      connections: [{ connection_id: one.id, ...all }],
      collisions: [],
    });
    const again = await client.call('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data: change });
    expect({ ...again.item, updated_at: '' }).toEqual({ ...first.item, updated_at: '' });
    const kept = await client.call('COLLECTION_VIRTUAL_MCP_UPDATE', { id, data: { icon: 'i' } });
    expect(kept.item.connections).toHaveLength(1);
    const remove = () => client.call('COLLECTION_VIRTUAL_MCP_DELETE', { id });
    expect(await remove()).toMatchObject({ id, item: { title: 'One' }, deleted: true });
    expect(await remove()).toEqual({ id, item: null, deleted: false });
    const told = (await eventsOf(store, own)).map(({ type, data: what }) => [type, what]);
    expect(told).toContainEqual(['connection.deleted', { id, title: 'One', connection_type: 'VIRTUAL' }]);
  });

  test('are found by a connection that they contain', async () => {
    const { as } = await stage();
    await using client = await as();
    const [one, two] = [await made(client, web('One')), await made(client, web('Two'))];
    const a = await bundled(client, 'A', one.id);
    const b = await bundled(client, 'B', one.id, two.id);
    const none = await bundled(client, 'None');
    const found = async (operator: 'eq' | 'in', value: unknown, isNot = false) => {
      const comparison = { field: ['connection_id'], operator, value };
      const where = isNot ? { operator: 'not' as const, conditions: [comparison] } : comparison;
      const { items, totalCount } = await client.call('COLLECTION_VIRTUAL_MCP_LIST', { where });
      expect(items).toHaveLength(totalCount);
      return items.map(({ id }) => id).toSorted();
    };
    expect(await found('eq', one.id)).toEqual([a, b].toSorted());
    expect(await found('eq', two.id)).toEqual([b]);
    expect(await found('eq', two.id, true)).toEqual([a, none].toSorted());
    expect(await found('in', [two.id, 'conn_none'])).toEqual([b]);
    expect(await found('eq', null)).toEqual([none]);
    expect(await found('eq', 7)).toEqual([]);
    for (const query of [
      { where: { field: ['connection_id'], operator: 'like' as const, value: '%' } },
      { where: { field: ['connection_id', 'x'], operator: 'eq' as const, value: 'y' } },
      { orderBy: [{ field: ['connection_id'] }] },
      { where: { field: ['connection_url'], operator: 'eq' as const, value: 'y' } },
    ])
      expect(await client.attempt('COLLECTION_VIRTUAL_MCP_LIST', query)).toMatchObject({ code: 'invalid' });
  });

  test('refuse members that are not there, twice there, or themselves, and change nothing', async () => {
    const { as, foreign, tables } = await stage();
    await using client = await as();
    await using other = await as({ organizationId: foreign });
    const [one, theirs] = [await made(client, web('One')), await made(other, web('Theirs'))];
    const levels: string[] = [await bundled(client, 'Level 1', one.id)];
    for (let level = 2; level <= 5; level += 1)
      levels.push(await bundled(client, `Level ${level}`, levels.at(-1) ?? ''));
    const [deepest = '', , , , top = ''] = levels;
    const standIn = await made(client, {
      title: 'Stand-in',
      connection_type: 'VIRTUAL',
      connection_url: `virtual://${top}`,
    });
    const before = await tables();
    for (const [ids, code, words] of [
      [['conn_none'], 'not_found', 'conn_none'],
      [[one.id, theirs.id], 'not_found', theirs.id],
      [[one.id, one.id], 'invalid', 'twice'],
      [[top], 'invalid', '5 deep'],
      [[standIn.id], 'invalid', '5 deep'],
    ] as const) {
      const answer = await bundle(client, 'X', ...ids);
      expect(answer, words).toMatchObject({ ok: false, code });
      expect(answer.ok ? '' : answer.message).toContain(words);
    }
    for (const child of [deepest, top, standIn.id]) {
      const data = { connections: [{ connection_id: child }] };
      const answer = await client.attempt('COLLECTION_VIRTUAL_MCP_UPDATE', { id: deepest, data });
      expect(answer).toMatchObject({ ok: false, code: 'invalid' });
      expect(answer.ok ? '' : answer.message).toContain('contain itself');
    }
    const turned = { id: standIn.id, data: { connection_url: `virtual://${deepest}` } };
    expect(await client.attempt('COLLECTION_CONNECTIONS_UPDATE', turned)).toMatchObject({ ok: true });
    const inside = { id: deepest, data: { connections: [{ connection_id: standIn.id }] } };
    expect(await client.attempt('COLLECTION_VIRTUAL_MCP_UPDATE', inside)).toMatchObject({ code: 'invalid' });
    await client.call('COLLECTION_CONNECTIONS_UPDATE', {
      id: standIn.id,
      data: { connection_url: `virtual://${top}` },
    });
    const { connection_aggregations: members } = await tables();
    expect(members).toEqual(before['connection_aggregations']);
  });

  test('check 9: another organization sees nothing of them, to the letter', async () => {
    const { as, foreign, content } = await stage();
    await using client = await as();
    const id = await bundled(client, 'Mine');
    await using other = await as({ organizationId: foreign });
    const before = await content();
    for (const [name, more] of [
      ['COLLECTION_VIRTUAL_MCP_GET', {}],
      ['COLLECTION_VIRTUAL_MCP_UPDATE', { data: { title: 'Stolen' } }],
      ['COLLECTION_VIRTUAL_MCP_DELETE', {}],
    ] as const) {
      const answer = async (asked: string) =>
        JSON.stringify(await other.raw.callTool({ name, arguments: { id: asked, ...more } })).replaceAll(
          asked,
          '',
        );
      expect(await answer(id)).toBe(await answer('vir_unknown'));
    }
    const where = { field: ['connection_id'], operator: 'eq' as const, value: id };
    expect(await other.call('COLLECTION_VIRTUAL_MCP_LIST', { where })).toMatchObject({ totalCount: 0 });
    expect(await content()).toBe(before);
  });

  test('nobody gives on tools that they do not have', async () => {
    const { as } = await stage();
    await using owner = await as();
    const { id } = await made(owner, web('One'));
    await using member = await as({ roles: ['member'], grants: { self: ['*'], [id]: ['ALPHA'] } });
    const create = (selected_tools: string[] | null) =>
      member.attempt('COLLECTION_VIRTUAL_MCP_CREATE', {
        data: { title: 'M', connections: [{ connection_id: id, selected_tools }] },
      });
    expect(await create(null)).toMatchObject({ code: 'forbidden' });
    expect(await create(['ALPHA', 'BETA'])).toMatchObject({ code: 'forbidden' });
    expect(await create(['ALPHA'])).toMatchObject({ ok: true });
  });

  test('check 19: a connection in use is deleted only by force, and what used it still answers', async () => {
    const { as } = await stage();
    await using client = await as();
    const [one, two] = [await made(client, web('One')), await made(client, web('Two'))];
    const id = await bundled(client, 'Uses one', one.id);
    const tool = {
      name: 'CODE',
      inputSchema: { type: 'object' },
      code: 'export default () => 1',
      connection_dependencies: [one.id, two.id],
    };
    const needing = await bundled(client, 'Needs both');
    await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', { virtual_mcp_id: needing, data: tool });
    expect((await client.call('COLLECTION_VIRTUAL_MCP_GET', { id: needing })).item?.connections).toEqual([]);
    const remove = (force: boolean) => client.attempt('COLLECTION_CONNECTIONS_DELETE', { id: one.id, force });
    const refused = await remove(false);
    expect(refused).toMatchObject({ ok: false, code: 'connection_in_use' });
    expect(refused.ok ? undefined : refused.data).toEqual({
      virtualMcps: [
        { id, title: 'Uses one' },
        { id: needing, title: 'Needs both' },
      ].toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    });
    expect(refused.ok ? '' : refused.message).toContain('"Uses one"');
    expect(await remove(true)).toMatchObject({ ok: true, value: { deleted: true } });
    expect((await client.call('COLLECTION_VIRTUAL_MCP_GET', { id })).item).toMatchObject({ connections: [] });
    const left = await client.call('COLLECTION_VIRTUAL_TOOLS_GET', { virtual_mcp_id: needing, name: 'CODE' });
    expect(left.item?.connection_dependencies).toEqual([two.id]);
    expect(await client.attempt('COLLECTION_CONNECTIONS_DELETE', { id: two.id })).toMatchObject({
      code: 'connection_in_use',
    });
  });

  test('one that is used is not deleted, and is no ordinary connection', async () => {
    const { as } = await stage();
    await using client = await as();
    const inner = await bundled(client, 'Inner');
    const outer = await bundled(client, 'Outer', inner);
    const data = { title: 'Stand-in', connection_type: 'VIRTUAL', connection_url: `virtual://${inner}` };
    const standIn = await made(client, data);
    const refused = await client.attempt('COLLECTION_VIRTUAL_MCP_DELETE', { id: inner });
    expect(refused).toMatchObject({
      code: 'connection_in_use',
      data: {
        virtualMcps: [{ id: outer, title: 'Outer' }],
        connections: [{ id: standIn.id, title: 'Stand-in' }],
      },
    });
    for (const name of ['COLLECTION_CONNECTIONS_UPDATE', 'COLLECTION_CONNECTIONS_DELETE'] as const) {
      const input = { id: inner, ...(name.endsWith('UPDATE') && { data: { title: 'X' } }) };
      expect(await client.raw.callTool({ name, arguments: input })).toMatchObject({
        isError: true,
        _meta: { 'dev.parley/code': 'invalid' },
      });
    }
    const ids = async (include_virtual: boolean) =>
      (await client.call('COLLECTION_CONNECTIONS_LIST', { include_virtual })).items.map(({ id }) => id);
    expect(await ids(false)).toEqual([]);
    expect(await ids(true)).toEqual(expect.arrayContaining([inner, outer, standIn.id]));
  });

  test('names of tools stay, whatever comes and goes', async () => {
    const { upstream, as } = await stage();
    await using client = await as();
    upstream.answer = { ok: true, tools: [upstreamTool('search'), upstreamTool('x'.repeat(100))] };
    const [one, two] = [await made(client, web('My Search!')), await made(client, web('My Search!'))];
    const id = await bundled(client, 'Both', one.id, two.id);
    const collisions = async () => (await client.call('COLLECTION_VIRTUAL_MCP_GET', { id })).item?.collisions;
    const before = await collisions();
    expect(before).toMatchObject([
      { exposed_name: 'my_search_2_search', connection_id: two.id, winner_connection_id: one.id },
    ]);
    for (const { exposed_name } of before ?? []) expect(exposed_name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const order = (...ids: string[]) =>
      client.call('COLLECTION_VIRTUAL_MCP_UPDATE', {
        id,
        data: { connections: ids.map((connection_id) => ({ connection_id })) },
      });
    await order(two.id, one.id);
    expect(await collisions()).toEqual(before);
    await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', {
      virtual_mcp_id: id,
      data: { name: 'search', inputSchema: { type: 'object' }, code: 'export default () => 1' },
    });
    expect(await collisions()).toContainEqual({
      exposed_name: 'my_search_search',
      connection_id: one.id,
      upstream_name: 'search',
      winner_connection_id: id,
    });
  });

  test('keep a prefix and overrides with the member, and note what does not fit', async () => {
    const { upstream, as } = await stage();
    await using client = await as();
    const inputSchema = { type: 'object', properties: { q: { type: 'string' } } };
    upstream.answer = { ok: true, tools: [upstreamTool('find', { inputSchema }), upstreamTool('send')] };
    const one = await made(client, web('One'));
    const overrides = { find: { title: 'Look', fixed: { q: 'x' } } };
    const create = (more: object) =>
      client.attempt('COLLECTION_VIRTUAL_MCP_CREATE', {
        data: { title: 'B', connections: [{ connection_id: one.id, ...more }] },
      });
    const answer = await create({ prefix: 'p_', overrides });
    const item = answer.ok ? answer.value.item : expect.fail(answer.message);
    expect(item.connections).toMatchObject([{ connection_id: one.id, prefix: 'p_', overrides }]);
    expect(item).not.toHaveProperty('notes');
    for (const [more, words] of [
      [{ prefix: '_p' }, 'prefix'],
      [{ prefix: 'p'.repeat(25) }, 'prefix'],
      [{ overrides: { find: { looser: 'readOnlyHint' } } }, 'overrides'],
      [{ overrides: { find: { stricter: 'title' } } }, 'overrides'],
      [{ overrides: { find: { resultBudget: 5 } } }, 'overrides'],
    ] as const) {
      const refused = await create(more);
      expect(refused, words).toMatchObject({ ok: false, code: 'invalid' });
      expect(refused.ok ? '' : refused.message).toContain(words);
    }
    const data = {
      connections: [
        {
          connection_id: one.id,
          selected_tools: ['find', 'gone'],
          overrides: { find: { fixed: { q: 7 } }, gone: { title: 'X' }, send: { defaults: { to: 'me' } } },
        },
      ],
    };
    const { item: changed } = await client.call('COLLECTION_VIRTUAL_MCP_UPDATE', { id: item.id, data });
    expect(changed?.connections[0]).not.toHaveProperty('prefix');
    expect(changed?.notes).toEqual([
      '"One" has no tool "gone" now.',
      expect.stringMatching(/^The override of "find" of "One" is not applied: .*string/),
      'The override of "gone" of "One" is not applied: it is not there now.',
      'The override of "send" of "One" is not applied: it has no argument "to" now.',
    ]);
  });

  test('names that are missing and that collide are told of documents, this server and virtual MCPs too', async () => {
    const { upstream, as, own } = await stage();
    await using client = await as();
    const resources = [{ name: 'a', uri: 'docs://a' }];
    upstream.answer = {
      ok: true,
      tools: [upstreamTool('find'), upstreamTool('ORGANIZATION_GET')],
      resources,
    };
    const one = await made(client, web('One'));
    const inner = await bundled(client, 'Inner', one.id);
    const self = `${own}_self`;
    const connections = [
      { connection_id: one.id, selected_resources: ['docs://a', 'docs://gone', 'docs://none/*'] },
      { connection_id: inner, selected_tools: ['find', 'lost'], selected_resources: ['docs://lost'] },
      { connection_id: self, selected_tools: ['ORGANIZATION_GET', 'ORGANIZATION_LOSE'] },
    ];
    const answer = await client.attempt('COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: 'All', connections },
    });
    const { id, notes } = answer.ok ? answer.value.item : expect.fail(answer.message);
    expect(notes).toEqual([
      '"One" has no resource "docs://gone" now.',
      '"Inner" has no tool "lost" now.',
      '"Inner" has no resource "docs://lost" now.',
      '"Parley" has no tool "ORGANIZATION_LOSE" now.',
    ]);
    const { item } = await client.call('COLLECTION_VIRTUAL_MCP_GET', { id });
    expect(item?.collisions).toEqual([
      {
        connection_id: inner,
        upstream_name: 'find',
        exposed_name: 'inner_find',
        winner_connection_id: one.id,
      },
      {
        connection_id: self,
        upstream_name: 'ORGANIZATION_GET',
        exposed_name: 'parley_ORGANIZATION_GET',
        winner_connection_id: one.id,
      },
    ]);
  });

  test('are for members to look at, and their deletion only for those who are named', async () => {
    const { as } = await stage();
    await using member = await as({ roles: ['member'], grants: { self: ['*'] } });
    const names = await member.toolNames();
    for (const noun of ['CONNECTIONS', 'VIRTUAL_MCP', 'VIRTUAL_TOOLS']) {
      expect(names).toContain(`COLLECTION_${noun}_UPDATE`);
      expect(names).not.toContain(`COLLECTION_${noun}_DELETE`);
    }
    await using reader = await as({ roles: ['member'], grants: { self: ['COLLECTION_VIRTUAL_MCP_LIST'] } });
    expect(await reader.toolNames()).toEqual(['COLLECTION_VIRTUAL_MCP_LIST']);
    const hidden = (name: string) => reader.raw.callTool({ name, arguments: {} }).catch(String);
    const words = JSON.stringify(await hidden('COLLECTION_CONNECTIONS_LIST'));
    expect(words.replace('COLLECTION_CONNECTIONS_LIST', 'X')).toBe(JSON.stringify(await hidden('X')));
  });
});
