/** What the tools on virtual tools promise, over the protocol and on both databases. */
import { expect, test } from 'vitest';
import { onBothMeshes } from '../../test/mesh-bed.ts';
import { made, newScene } from '../../test/scene.ts';

const CODE = 'export default (tools, args) => args';
const SCHEMA = { type: 'object', properties: { text: { type: 'string' } } };

onBothMeshes('virtual tools', (bed) => {
  const stage = () => newScene(bed());

  const begin = async () => {
    const set = await stage();
    const client = await set.as();
    const { item } = await client.call('COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: 'V', connections: [] },
    });
    return { ...set, client, virtual_mcp_id: item.id };
  };

  test('are made, listed, read, changed, renamed and deleted', async () => {
    const { client, virtual_mcp_id, content, owner: ann } = await begin();
    await using _closing = client;
    const { item } = await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', {
      virtual_mcp_id,
      data: { name: 'ECHO', description: 'Echoes.', inputSchema: SCHEMA, outputSchema: SCHEMA, code: CODE },
    });
    expect(item).toMatchObject({
      id: expect.stringMatching(/^vtl_/) as unknown,
      virtual_mcp_id,
      name: 'ECHO',
      description: 'Echoes.',
      inputSchema: SCHEMA,
      outputSchema: SCHEMA,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
      code: CODE,
      connection_dependencies: [],
      created_by: ann.userId,
    });
    const before = await content();
    const list = (more = {}) => client.call('COLLECTION_VIRTUAL_TOOLS_LIST', { virtual_mcp_id, ...more });
    expect(await list()).toEqual({ items: [item], totalCount: 1, hasMore: false });
    expect(await list({ offset: 1 })).toEqual({ items: [], totalCount: 1, hasMore: false });
    expect(await list({ virtual_mcp_id: 'vir_none' })).toEqual({ items: [], totalCount: 0, hasMore: false });
    const place = { virtual_mcp_id, name: 'ECHO' };
    expect(await client.call('COLLECTION_VIRTUAL_TOOLS_GET', place)).toEqual({ item });
    expect(await content()).toBe(before);
    const data = { name: 'SAY', description: null, outputSchema: null, annotations: { readOnlyHint: true } };
    const first = await client.call('COLLECTION_VIRTUAL_TOOLS_UPDATE', { ...place, data });
    expect(first.item).toMatchObject({ id: item.id, ...data, inputSchema: SCHEMA, code: CODE });
    const again = await client.call('COLLECTION_VIRTUAL_TOOLS_UPDATE', { ...place, data });
    expect({ ...again.item, updated_at: '' }).toEqual({ ...first.item, updated_at: '' });
    const cleared = { virtual_mcp_id, name: 'SAY', data: { annotations: null } };
    expect((await client.call('COLLECTION_VIRTUAL_TOOLS_UPDATE', cleared)).item.annotations).toEqual(
      item.annotations,
    );
    expect(await client.call('COLLECTION_VIRTUAL_TOOLS_GET', place)).toEqual({ item: null });
    const remove = () => client.call('COLLECTION_VIRTUAL_TOOLS_DELETE', { virtual_mcp_id, name: 'SAY' });
    expect(await remove()).toMatchObject({ name: 'SAY', item: { id: item.id }, deleted: true });
    expect(await remove()).toEqual({ name: 'SAY', item: null, deleted: false });
  });

  test('that cannot work are refused by their place', async () => {
    const { client, virtual_mcp_id } = await begin();
    await using _closing = client;
    const good = { name: 'GOOD', inputSchema: SCHEMA, code: CODE };
    await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', { virtual_mcp_id, data: good });
    await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', {
      virtual_mcp_id,
      data: { ...good, name: 'OTHER' },
    });
    for (const [data, errorCode, words] of [
      [{ ...good }, 'conflict', 'GOOD'],
      [{ ...good, name: 'a b' }, 'invalid', 'data.name'],
      [{ ...good, name: '_x' }, 'invalid', 'data.name'],
      [{ ...good, name: '__proto__' }, 'invalid', 'data.name'],
      [{ ...good, name: 'X', inputSchema: { type: 'nonsense' } }, 'invalid', 'data.inputSchema'],
      [
        { ...good, name: 'X', inputSchema: { type: 'object', properties: { a: { type: 7 } } } },
        'invalid',
        'data.inputSchema',
      ],
      [
        { ...good, name: 'X', inputSchema: { type: 'object', $ref: '#/none' } },
        'invalid',
        'data.inputSchema',
      ],
      [
        {
          ...good,
          name: 'X',
          outputSchema: { type: 'object', pattern: '(', properties: { a: { pattern: '(' } } },
        },
        'invalid',
        'data.outputSchema',
      ],
      [{ ...good, name: 'X', code: 'a\nlet syntax error' }, 'invalid', 'line 2, column 5'],
      [{ ...good, name: 'X', code: '' }, 'invalid', 'data.code'],
      [
        { ...good, name: 'X', connection_dependencies: ['conn_none'] },
        'not_found',
        'data.connection_dependencies.0',
      ],
    ] as const) {
      const input = { virtual_mcp_id, data } as unknown;
      const answer = await client.attempt('COLLECTION_VIRTUAL_TOOLS_CREATE', input as never);
      expect(answer, words).toMatchObject({ ok: false, code: errorCode });
      expect(answer.ok ? '' : answer.message).toContain(words);
    }
    const older = { virtual_mcp_id, name: '_x' };
    expect(await client.attempt('COLLECTION_VIRTUAL_TOOLS_DELETE', older)).toMatchObject({ ok: true });
    const unknown = { virtual_mcp_id: 'vir_none', data: good };
    expect(await client.attempt('COLLECTION_VIRTUAL_TOOLS_CREATE', unknown)).toMatchObject({
      code: 'not_found',
    });
    const update = (name: string, data: object) =>
      client.attempt('COLLECTION_VIRTUAL_TOOLS_UPDATE', { virtual_mcp_id, name, data });
    expect(await update('GOOD', { name: 'OTHER' })).toMatchObject({ code: 'conflict' });
    expect(await update('NONE', { description: 'x' })).toMatchObject({ code: 'not_found' });
    expect(await update('NONE', { name: 'GONE' })).toMatchObject({ code: 'not_found' });
    expect(await update('GOOD', { code: 'syntax error' })).toMatchObject({
      code: 'invalid',
      data: { line: 2, column: 5 },
    });
  });

  test('check 9: another organization sees nothing of them, to the letter', async () => {
    const { client, virtual_mcp_id, as, foreign, content } = await begin();
    await using _closing = client;
    await client.call('COLLECTION_VIRTUAL_TOOLS_CREATE', {
      virtual_mcp_id,
      data: { name: 'MINE', inputSchema: SCHEMA, code: CODE },
    });
    await using other = await as({ organizationId: foreign });
    const theirs = await made(client, { title: 'T', connection_type: 'HTTP' });
    const dependent = { name: 'NEW', inputSchema: SCHEMA, code: CODE, connection_dependencies: [theirs.id] };
    const { item } = await other.call('COLLECTION_VIRTUAL_MCP_CREATE', {
      data: { title: 'V', connections: [] },
    });
    const before = await content();
    for (const [name, more] of [
      ['COLLECTION_VIRTUAL_TOOLS_LIST', {}],
      ['COLLECTION_VIRTUAL_TOOLS_GET', { name: 'MINE' }],
      ['COLLECTION_VIRTUAL_TOOLS_CREATE', { data: { name: 'MINE', inputSchema: SCHEMA, code: CODE } }],
      ['COLLECTION_VIRTUAL_TOOLS_UPDATE', { name: 'MINE', data: { description: 'Stolen' } }],
      ['COLLECTION_VIRTUAL_TOOLS_DELETE', { name: 'MINE' }],
    ] as const) {
      const answer = async (id: string) =>
        JSON.stringify(
          await other.raw.callTool({ name, arguments: { virtual_mcp_id: id, ...more } }),
        ).replaceAll(id, '');
      expect(await answer(virtual_mcp_id), name).toBe(await answer('vir_unknown'));
    }
    const foreignNeed = { virtual_mcp_id: item.id, data: dependent };
    expect(await other.attempt('COLLECTION_VIRTUAL_TOOLS_CREATE', foreignNeed)).toMatchObject({
      code: 'not_found',
    });
    expect(await content()).toBe(before);
  });
});
