/** Virtual MCPs as clients see them: who is let in, what is shown, under which names, and what a call reaches. */
import type { Answer } from '@parley/test-support/wire';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { VirtualBed } from '../../test/virtual-bed.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';

let bed: VirtualBed;
beforeAll(async () => {
  bed = await startVirtualBed();
});
afterAll(() => bed[Symbol.asyncDispose]());
beforeEach(() => {
  bed.calls.length = 0;
});

const member = (connection_id: string, more: object = {}) => ({ connection_id, ...more });
const textOf = ({ json }: Answer) => json.result.content[0].text as string;
const unknown = (name: string) => ({ error: { code: -32602, message: `Unknown tool: ${name}` } });

describe('the URL', () => {
  test('answers an unknown and a foreign id alike, and names what is wrong with others', async () => {
    await bed.serve({ id: 'conn_url', tools: ['search'] });
    const { id } = await bed.made({ connections: [member('conn_url')] });
    const off = await bed.made({ status: 'inactive', connections: [member('conn_url')] });
    const stranger = await bed.gateway.stranger('url-stranger');
    const foreign = await bed.send({ id, key: stranger.text }, 'tools/list');
    const absent = await bed.send({ id: 'vir_absent', key: stranger.text }, 'tools/list');
    expect([foreign.status, foreign.text]).toEqual([404, absent.text]);
    for (const [place, status] of [
      [{ id }, 200],
      [{ id, query: '?mode=passthrough' }, 200],
      [{ id, query: '?other=1' }, 200],
      [{ id, query: '?mode=code_execution' }, 200],
      [{ id, query: '?mode=smart' }, 400],
      [{ id, query: '?mode=' }, 400],
      [{ id, query: '?mode=passthrough&mode=code_execution' }, 400],
      [{ id: 'vir_absent', query: '?mode=smart' }, 404],
      [{ id: `${id}/more` }, 404],
      [{ id: '' }, 404],
      [{ id: '..%2f..' }, 404],
      [{ id: off.id }, 503],
      [{ id: off.id, query: '?mode=code_execution' }, 503],
      [{ id, key: 'wrong' }, 401],
    ] as const)
      expect([place, (await bed.send(place, 'tools/list')).status]).toEqual([place, status]);
  });

  test('a change is there with the next request', async () => {
    await bed.serve({ id: 'conn_change', tools: ['one', 'two'] });
    const { id } = await bed.made({ connections: [member('conn_change')] });
    expect(await bed.names({ id })).toEqual(['one', 'two']);
    await bed.virtualMcps.update(bed.owner, id, {
      connections: [member('conn_change', { selected_tools: ['two'] })],
    });
    expect((await bed.call({ id }, 'one')).json).toMatchObject(unknown('one'));
    expect(await bed.names({ id })).toEqual(['two']);
    await bed.virtualMcps.update(bed.owner, id, { status: 'inactive' });
    expect((await bed.send({ id }, 'tools/list')).status).toBe(503);
    await bed.virtualMcps.update(bed.owner, id, { status: 'active' });
    await bed.virtualMcps.delete(bed.owner, id);
    expect((await bed.send({ id }, 'tools/list')).status).toBe(404);
  });
});

describe('selection', () => {
  test('check 14: nothing, all with what comes later, or exactly what is named', async () => {
    await bed.serve({ id: 'conn_sel', tools: ['a', 'b'] });
    const make = async (selected_tools?: string[] | null) =>
      (await bed.made({ connections: [member('conn_sel', { selected_tools })] })).id;
    const [none, all, absent, one] = [
      await make([]),
      await make(null),
      await make(),
      await make(['b', 'later']),
    ];
    const seen = async () => Promise.all([none, all, absent, one].map((id) => bed.names({ id })));
    expect(await seen()).toEqual([[], ['a', 'b'], ['a', 'b'], ['b']]);
    await bed.serve({ id: 'conn_sel', tools: ['a', 'b', 'later'] });
    expect(await seen()).toEqual([[], ['a', 'b', 'later'], ['a', 'b', 'later'], ['b', 'later']]);
    for (const query of ['', '?mode=smart_tool_selection', '?mode=code_execution'])
      expect((await bed.call({ id: one, query }, 'a')).json).toMatchObject(unknown('a'));
    expect(bed.calls).toEqual([]);
    expect(textOf(await bed.call({ id: one }, 'later'))).toBe('later of conn_sel');
  });

  test('check 31: patterns of URIs decide about lists, reads and templates alike', async () => {
    await bed.serve({
      id: 'conn_uri',
      tools: ['t'],
      resources: ['docs://a', 'docs://deep/b', 'other://c', 'docs://files/{name}', 'secret://{name}'],
    });
    const make = async (...selected_resources: string[]) =>
      (await bed.made({ connections: [member('conn_uri', { selected_resources })] })).id;
    const uris = async (id: string) => {
      const [fixed, templates] = [
        await bed.send({ id }, 'resources/list'),
        await bed.send({ id }, 'resources/templates/list'),
      ];
      return [
        ...(fixed.json.result?.resources ?? []).map(({ uri }: { uri: string }) => uri),
        ...(templates.json.result?.resourceTemplates ?? []).map(
          ({ uriTemplate }: { uriTemplate: string }) => uriTemplate,
        ),
      ];
    };
    const read = async (id: string, uri: string) =>
      (await bed.send({ id }, 'resources/read', { uri })).json.result?.contents[0].text ?? 'missing';
    const wide = await make('docs://**');
    expect(await uris(wide)).toEqual(['docs://a', 'docs://deep/b', 'docs://files/{name}']);
    expect(await read(wide, 'docs://a')).toBe('docs://a of conn_uri');
    expect(await read(wide, 'docs://files/x')).toBe('docs://files/x of conn_uri');
    for (const uri of ['other://c', 'secret://x', 'docs://files/..', 'docs://files/%2e%2E'])
      expect([uri, await read(wide, uri)]).toEqual([uri, 'missing']);
    const narrow = await make('docs://*', 'docs://files/{name}', 'docs://files/y');
    expect(await uris(narrow)).toEqual(['docs://a', 'docs://files/{name}']);
    expect(await read(narrow, 'docs://files/x')).toBe('missing');
    expect(await read(narrow, 'docs://files/y')).toBe('docs://files/y of conn_uri');
    expect(await uris(await make())).toEqual([]);
    expect(bed.calls.map(({ args }) => args)).toEqual(['docs://a', 'docs://files/x', 'docs://files/y']);
  });

  test('prompts are selected too, and named like tools', async () => {
    await bed.serve(
      { id: 'conn_p1', title: 'First', prompts: ['greet', 'bye'] },
      { id: 'conn_p2', title: 'Second', prompts: ['greet', 'hidden'] },
    );
    const { id } = await bed.made({
      connections: [member('conn_p1'), member('conn_p2', { selected_prompts: ['greet'] })],
    });
    const { json } = await bed.send({ id }, 'prompts/list');
    expect(json.result.prompts.map(({ name }: { name: string }) => name)).toEqual([
      'bye',
      'greet',
      'second_greet',
    ]);
    const got = await bed.send({ id }, 'prompts/get', { name: 'second_greet' });
    expect(got.json.result.messages[0].content.text).toBe('greet of conn_p2');
    expect((await bed.send({ id }, 'prompts/get', { name: 'hidden' })).json).toMatchObject({
      error: { code: -32602 },
    });
  });
});

describe('names', () => {
  test('check 15: members with the same tool keep their names, whatever comes and goes', async () => {
    await bed.serve(
      { id: 'conn_n1', title: 'Wiki', tools: ['search'] },
      { id: 'conn_n2', title: 'My Mail!', tools: ['search', 'send'] },
    );
    const { id } = await bed.made({ connections: [member('conn_n1'), member('conn_n2')] });
    const before = ['my_mail_search', 'search', 'send'];
    const reached = async (name: string) => textOf(await bed.call({ id }, name));
    expect(await bed.names({ id })).toEqual(before);
    expect([await reached('search'), await reached('my_mail_search')]).toEqual([
      'search of conn_n1',
      'search of conn_n2',
    ]);
    const update = (connections: { connection_id: string }[]) =>
      bed.virtualMcps.update(bed.owner, id, { connections });
    await update([member('conn_n2'), member('conn_n1')]);
    expect(await reached('search')).toBe('search of conn_n1');
    await update([member('conn_n2')]);
    expect(await bed.names({ id })).toEqual(['my_mail_search', 'send']);
    await bed.serve(
      { id: 'conn_n0', title: 'Zero', tools: ['search'] },
      { id: 'conn_n1', title: 'Renamed', tools: ['search'] },
      { id: 'conn_n2', title: 'Renamed too', tools: ['search', 'send'] },
    );
    await update([member('conn_n0'), member('conn_n2'), member('conn_n1')]);
    expect(await bed.names({ id })).toEqual(['my_mail_search', 'search', 'send', 'zero_search']);
    expect([await reached('search'), await reached('zero_search')]).toEqual([
      'search of conn_n1',
      'search of conn_n0',
    ]);
    // One that has gone lets go of its name when another one takes it, and comes back under its alias.
    await update([member('conn_n2')]);
    await bed.serve({ id: 'conn_n2', title: 'Renamed too', tools: ['search', 'send', 'zero_search'] });
    expect(await reached('zero_search')).toBe('zero_search of conn_n2');
    const { json } = await bed.send({ id }, 'tools/list');
    expect(json.result.tools.find(({ name }: { name: string }) => name === 'my_mail_search')._meta).toEqual({
      'parley/connection': { id: 'conn_n2', title: 'Renamed too', name: 'search' },
    });
  });

  test('check 16: long and unsafe names fit, differ and stay', async () => {
    const long = 'x'.repeat(100);
    const tools = [long, `${long}y`, 'ä ö', 'ä!ö', '_hidden', 'a.b/c'];
    await bed.serve({ id: 'conn_l1', title: 'Long', tools }, { id: 'conn_l2', title: 'Long', tools });
    const { id } = await bed.made({ connections: [member('conn_l1'), member('conn_l2')] });
    const names = await bed.names({ id });
    expect(names).toHaveLength(12);
    expect(new Set(names).size).toBe(12);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9-][A-Za-z0-9_-]{0,63}$/);
    await using again = await startVirtualBed();
    await again.serve({ id: 'conn_l1', title: 'Long', tools }, { id: 'conn_l2', title: 'Long', tools });
    const other = await again.made({ connections: [member('conn_l1'), member('conn_l2')] });
    expect(await again.names({ id: other.id })).toEqual(names);
  });

  test('a prefix stands before all names, and a virtual tool takes the bare one', async () => {
    await bed.serve({ id: 'conn_x1', title: 'Hub', tools: ['search'], prompts: ['ask'] });
    const { id } = await bed.made({ connections: [member('conn_x1', { prefix: 'gh_' })] });
    expect(await bed.names({ id })).toEqual(['gh_search']);
    const { json } = await bed.send({ id }, 'prompts/list');
    expect(json.result.prompts).toMatchObject([{ name: 'gh_ask' }]);
    await bed.virtualMcps.update(bed.owner, id, { connections: [member('conn_x1')] });
    expect(await bed.names({ id })).toEqual(['search']);
    await bed.virtualTools.create(bed.owner, id, {
      name: 'search',
      inputSchema: { type: 'object' },
      code: 'export default () => 1',
    });
    expect(await bed.names({ id })).toEqual(['hub_search', 'search']);
    expect(textOf(await bed.call({ id }, 'hub_search'))).toBe('search of conn_x1');
    const found = await bed.virtualMcps.get(bed.owner, id);
    expect(found?.connections).toEqual([
      { connection_id: 'conn_x1', selected_tools: null, selected_resources: null, selected_prompts: null },
    ]);
  });

  test('resources that collide are both read, and tools speak of them by the URIs that are shown', async () => {
    const answer = () => ({
      content: [
        { type: 'resource_link' as const, uri: 'docs://a', name: 'a' },
        { type: 'resource' as const, resource: { uri: 'docs://f/x y', text: 'x' } },
      ],
    });
    const tool = { name: 'link', answer, _meta: { ui: { resourceUri: 'ui://page/main', csp: {} } } };
    const resources = ['docs://a', 'docs://f/{name}', 'ui://page/main'];
    await bed.serve(
      { id: 'conn_r1', title: 'One', resources },
      { id: 'conn_r2', title: 'Two', resources, tools: [tool] },
    );
    const { id } = await bed.made({ connections: [member('conn_r1'), member('conn_r2')] });
    const { json } = await bed.send({ id }, 'resources/list');
    const uris = json.result.resources.map(({ uri }: { uri: string }) => uri).toSorted();
    expect(uris).toEqual(['docs://a', 'parley://two/docs%3A%2F%2Fa', 'ui://page/main', 'ui://two/page/main']);
    const read = async (uri: string) =>
      (await bed.send({ id }, 'resources/read', { uri })).json.result?.contents;
    expect(await read('docs://a')).toEqual([{ uri: 'docs://a', text: 'docs://a of conn_r1' }]);
    const alias = 'parley://two/docs%3A%2F%2Fa';
    expect(await read(alias)).toEqual([{ uri: alias, text: 'docs://a of conn_r2' }]);
    expect(await read('ui://two/page/main')).toMatchObject([{ text: 'ui://page/main of conn_r2' }]);
    expect(await read('parley://two/docs%3A%2F%2Ff%2Fz')).toMatchObject([{ text: 'docs://f/z of conn_r2' }]);
    expect(await read('parley://two/docs%3A%2F%2Ff%2F..')).toBeUndefined();
    const listed = await bed.send({ id }, 'tools/list');
    expect(listed.json.result.tools[0]._meta.ui).toEqual({ resourceUri: 'ui://two/page/main', csp: {} });
    const { content } = (await bed.call({ id }, 'link')).json.result;
    expect(content[0].uri).toBe(alias);
    expect(content[1].resource.uri).toBe('parley://two/docs%3A%2F%2Ff%2Fx%20y');
  });
});

describe('members', () => {
  test('nest, with grants of the connections within; what is not there is left out', async () => {
    await bed.serve(
      { id: 'conn_in', title: 'Inner', tools: ['deep', 'deeper'] },
      { id: 'conn_out', title: 'Outer', tools: ['deep'] },
    );
    const inner = await bed.made({ title: 'Nested', connections: [member('conn_in')] });
    const { id } = await bed.made({
      connections: [member('conn_out'), member(inner.id, { selected_tools: ['deep'] })],
    });
    expect(await bed.names({ id })).toEqual(['deep', 'nested_deep']);
    const key = (await bed.gateway.key({ conn_in: ['deep'] })).text;
    expect(await bed.names({ id, key })).toEqual(['nested_deep']);
    expect(textOf(await bed.call({ id, key }, 'nested_deep'))).toBe('deep of conn_in');
    expect((await bed.call({ id, key }, 'deep')).json).toMatchObject(unknown('deep'));
    const last = (await bed.gateway.records()).at(-2);
    expect(last).toMatchObject({ toolset: 'conn_in', tool: 'deep', outcome: 'ok', virtualMcpId: id });
    await bed.virtualMcps.update(bed.owner, inner.id, { status: 'inactive' });
    expect(await bed.names({ id })).toEqual(['deep']);
    await bed.serve({ id: 'conn_in', title: 'Inner', tools: ['deep'] });
    expect(await bed.names({ id })).toEqual([]);
  });

  test('a caller without any tool is told why, and nothing that is hidden is named', async () => {
    await bed.serve({ id: 'conn_why', title: 'Reasons', tools: ['hidden_tool'] });
    const instructionsOf = async (id: string, key?: string, query = '') => {
      const { json } = await bed.send({ id, query, ...(key && { key }) }, 'server/discover');
      return json.result.instructions as string | undefined;
    };
    const metadata = { instructions: 'Ask first.' };
    const full = await bed.made({ metadata, connections: [member('conn_why')] });
    for (const query of ['', '?mode=smart_tool_selection', '?mode=code_execution'])
      expect(await instructionsOf(full.id, undefined, query)).toBe('Ask first.');
    const key = (await bed.gateway.key({ other: ['*'] })).text;
    for (const query of ['', '?mode=smart_tool_selection']) {
      const told = await instructionsOf(full.id, key, query);
      expect(told).toMatch(/^Ask first\.\n\nYou see no tools .* your grants cover none/);
      expect(told).not.toMatch(/hidden_tool|Reasons|conn_why/);
      expect(await bed.names({ id: full.id, key, query })).toEqual([]);
    }
    const unselected = await bed.made({ connections: [member('conn_why', { selected_tools: [] })] });
    expect(await instructionsOf(unselected.id)).toContain('selection leaves none');
    expect(await instructionsOf((await bed.made({})).id)).toContain('nothing has been put into it');
    await bed.serve();
    expect(await instructionsOf(full.id)).toContain('inactive or missing');
  });

  test('a held tool is in no list, and answers whoever has the grant', async () => {
    const answer = () => ({ content: [{ type: 'text' as const, text: 'quarantined' }], isError: true });
    await bed.serve({ id: 'conn_held', tools: ['plain', { name: 'held', unlisted: true, answer }] });
    const { id } = await bed.made({ connections: [member('conn_held')] });
    expect(await bed.names({ id })).toEqual(['plain']);
    expect(textOf(await bed.call({ id }, 'held'))).toBe('quarantined');
    const key = (await bed.gateway.key({ conn_held: ['plain'] })).text;
    expect((await bed.call({ id, key }, 'held')).json).toMatchObject(unknown('held'));
  });
});

describe('overrides', () => {
  const inputSchema = {
    type: 'object',
    properties: { query: { type: 'string' }, limit: { type: 'integer' }, tenant: { type: 'string' } },
    required: ['query', 'limit', 'tenant'],
    additionalProperties: false,
  };
  const tool = { name: 'find', inputSchema, annotations: { readOnlyHint: true, title: 'Find' } };

  test('change words, make a hint stricter, and give arguments that nobody sees', async () => {
    await bed.serve({ id: 'conn_o1', title: 'Store', tools: [tool] });
    const overrides = {
      find: {
        title: 'Find a book',
        description: 'Books only.',
        stricter: 'readOnlyHint',
        defaults: { limit: 5 },
        fixed: { tenant: 'acme' },
      },
    } as const;
    const { id, notes } = await bed.made({ connections: [member('conn_o1', { overrides })] });
    expect(notes).toBeUndefined();
    const { json } = await bed.send({ id }, 'tools/list');
    expect(json.result.tools).toEqual([
      {
        name: 'find',
        title: 'Find a book',
        description: 'Books only.',
        inputSchema: {
          type: 'object',
          properties: { query: { type: 'string' }, limit: { type: 'integer', default: 5 } },
          required: ['query'],
          additionalProperties: false,
        },
        annotations: { readOnlyHint: false, title: 'Find' },
        _meta: {
          'parley/connection': { id: 'conn_o1', title: 'Store', name: 'find' },
          'parley/override': { fields: ['title', 'description', 'stricter', 'defaults', 'fixed'] },
        },
      },
    ]);
    await bed.call({ id }, 'find', { query: 'a' });
    await bed.call({ id }, 'find', { query: 'b', limit: 9, tenant: 'evil' });
    const refused = await bed.call({ id }, 'find', { query: 7 });
    expect(refused.json.result).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'invalid' } });
    expect(bed.calls.map(({ args }) => args)).toEqual([
      { limit: 5, query: 'a', tenant: 'acme' },
      { limit: 9, query: 'b', tenant: 'acme' },
    ]);
  });

  test('a tool that is said to destroy does not only read any more', async () => {
    await bed.serve({ id: 'conn_o4', tools: [tool] });
    const overrides = { find: { stricter: 'destructiveHint' } } as const;
    const { id } = await bed.made({ connections: [member('conn_o4', { overrides })] });
    const { json } = await bed.send({ id }, 'tools/list');
    const [{ annotations }] = json.result.tools;
    expect(annotations).toEqual({ readOnlyHint: false, destructiveHint: true, title: 'Find' });
  });

  test('one that no longer fits is applied in no part', async () => {
    await bed.serve({ id: 'conn_o2', tools: [tool] });
    const overrides = { find: { title: 'Other', fixed: { tenant: 'acme' } } };
    const { id } = await bed.made({ connections: [member('conn_o2', { overrides })] });
    const titles = async () => (await bed.send({ id }, 'tools/list')).json.result.tools[0];
    expect((await titles()).title).toBe('Other');
    for (const tenant of [undefined, { type: 'integer' }]) {
      const { tenant: _tenant, ...others } = inputSchema.properties;
      const changed = { ...inputSchema, properties: { ...others, ...(tenant && { tenant }) } };
      await bed.serve({ id: 'conn_o2', tools: [{ ...tool, inputSchema: changed }] });
      expect(await titles()).not.toHaveProperty('title');
      expect((await titles()).inputSchema).toEqual(changed);
    }
  });

  test('no hint is made looser, and unknown fields are refused', async () => {
    await bed.serve({ id: 'conn_o3', tools: ['t'] });
    const { VirtualMcpCreate } = await import('@parley/connections');
    for (const override of [{ stricter: 'looser' }, { readOnlyHint: true }, { resultBudget: 1 }, 'x'])
      expect(
        VirtualMcpCreate.safeParse({
          title: 'X',
          connections: [member('conn_o3', { overrides: { t: override } })],
        }).success,
      ).toBe(false);
  });
});
