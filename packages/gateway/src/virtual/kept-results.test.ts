/** Results that are longer than an answer: what is shown, who reads the rest, and for how long. */
import type { ConnectionTables } from '@parley/connections';
import { connectionMigrations } from '@parley/connections';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller, OutsideCall } from '@parley/kit';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { VirtualBed } from '../../test/virtual-bed.ts';
import { startVirtualBed } from '../../test/virtual-bed.ts';
import { createKeptResults, sweepKeptResults } from './kept-results.ts';

describe.each<StoreEngine>(['sqlite', 'postgres'])('on %s', (engine) => {
  let scratch: ScratchDatabase;
  let store: Store;
  let ann: Caller;
  const clock = { nowMs: Date.UTC(2026, 10, 1) };
  const faults: unknown[] = [];
  beforeAll(async () => {
    const sets = [identityMigrations, connectionMigrations];
    scratch = await scratchDatabase(engine, sets);
    store = await openStore(scratch.options);
    await store.migrate(sets);
    const identity = createIdentity(store);
    const { organizationId } = await identity.createOrganization({
      slug: 'kept',
      name: 'Kept',
      owner: { name: 'Ann', email: null },
    });
    identity.close();
    ann = {
      id: 'key_ann',
      name: 'Ann',
      organizationId,
      userId: null,
      roles: ['owner'],
      grants: { conn_1: ['dump'] },
      source: 'key',
      unattended: false,
    };
  });
  afterAll(async () => {
    await store.close();
    await scratch.remove();
  });

  const created = (most?: { results: number; characters: number }) =>
    createKeptResults({
      store,
      now: () => clock.nowMs,
      onFault: (error) => faults.push(error),
      ...(most && { most }),
    });
  const FROM = { toolset: 'conn_1', tool: 'dump' };
  const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
  const read = async (uri: string, caller = ann) => {
    const [document] = created().documents;
    // The reading of a kept result asks for nothing but the caller.
    const answer = await document?.read(uri, { caller } as OutsideCall);
    const { contents } = answer as { contents: { text: string }[] };
    return contents[0]?.text;
  };

  test('what is within the budget is the very same, and nothing is kept', async () => {
    const result = { ...text('x'.repeat(1000)), structuredContent: { a: 1 } };
    expect(await created().within(ann, result, 1000, FROM)).toBe(result);
    expect(await store.db<ConnectionTables>().selectFrom('kept_results').selectAll().execute()).toEqual([]);
  });

  test('what is over is read in ranges, by its caller alone, with the grant, for a day', async () => {
    const whole = `${'a'.repeat(1499)}🙂${'b'.repeat(1500)}`;
    const given = { ...text(whole), structuredContent: { stays: true }, _meta: { own: 1 } };
    const result = await created().within(ann, given, 1500, FROM);
    const { uri } = (result._meta ?? {})['parley/result'] as { uri: string };
    expect(uri).toMatch(/^parley:\/\/results\/res_[A-Za-z0-9_-]+$/);
    expect(result.structuredContent).toEqual({ stays: true });
    expect(result._meta).toMatchObject({ own: 1, 'parley/result': { size: 3001, shown: 1499 } });
    const [shown, link] = result.content;
    expect(shown).toMatchObject({
      text: expect.stringMatching(/^a{1499}\n\n\[The first 1499 of 3001 characters/),
    });
    expect(link).toMatchObject({ type: 'resource_link', uri });
    expect(await read(uri)).toBe(whole);
    expect(await read(`${uri}?from=1499&to=1502`)).toBe('🙂b');
    expect(await read(`${uri}?from=1500&to=1501`)).toBe('🙂');
    expect(await read(`${uri}?from=9000&to=9001`)).toBe('');
    expect(await read(`${uri}?from=7&to=3`)).toBe('');
    for (const [asked, caller] of [
      [uri, { ...ann, id: 'key_ben' }],
      [uri, { ...ann, organizationId: 'org_other' }],
      [uri, { ...ann, grants: { conn_1: ['other'] } }],
      [`${uri}?from=1`, ann],
      [`${uri}?from=a&to=b`, ann],
      [`${uri}/..`, ann],
      ['parley://results/res_none', ann],
    ] as const)
      await expect(read(asked, caller), asked).rejects.toMatchObject({ code: 'not_found' });
    const row = await store
      .db<ConnectionTables>()
      .selectFrom('kept_results')
      .selectAll()
      .executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain('aaaa');
    clock.nowMs += 24 * 3_600_000;
    await expect(read(uri)).rejects.toMatchObject({ code: 'not_found' });
    await created().within(ann, text('z'.repeat(2000)), 1000, FROM);
    await sweepKeptResults(store, clock.nowMs);
    const left = await store.db<ConnectionTables>().selectFrom('kept_results').select('size').execute();
    expect(left).toEqual([{ size: 2000 }]);
  });

  test('an organization keeps so much; what is oldest goes', async () => {
    await store.db<ConnectionTables>().deleteFrom('kept_results').execute();
    for (const size of [2000, 3000, 4000, 5000]) {
      clock.nowMs += 1;
      await created({ results: 3, characters: 10_000 }).within(ann, text('x'.repeat(size)), 1000, FROM);
    }
    const left = await store
      .db<ConnectionTables>()
      .selectFrom('kept_results')
      .select('size')
      .orderBy('size')
      .execute();
    expect(left.map(({ size }) => size)).toEqual([4000, 5000]);
  });
});

test('a structure that is longer than its text is kept as JSON; the store may fail', async () => {
  await using bed = await startVirtualBed();
  const { owner, gateway } = bed;
  const results = createKeptResults({ store: gateway.store, onFault: (error) => gateway.faults.push(error) });
  const structuredContent = { rows: ['y'.repeat(3000)] };
  const given = { content: [{ type: 'text' as const, text: 'short' }], structuredContent };
  const kept = await results.within(owner, given, 1000, { toolset: 'conn_1', tool: 't' });
  expect(kept.content[0]).toMatchObject({ text: expect.stringContaining('{"rows":["yyy') });
  expect(kept.content[1]).toMatchObject({ mimeType: 'application/json' });
  const onFault = (error: unknown) => gateway.faults.push(error);
  const unable = () => {
    throw new Error('full');
  };
  const idle = createKeptResults({ store: { ...gateway.store, transaction: unable }, onFault });
  // That nothing older can be forgotten is no matter to it.
  const added = await idle.within(owner, given, 1000, { toolset: 'conn_1', tool: 't' });
  expect(added.content).toHaveLength(2);
  expect(gateway.faults.splice(0)).toHaveLength(1);
  const broken = createKeptResults({ store: { ...gateway.store, db: unable }, onFault });
  const lost = await broken.within(owner, given, 1000, { toolset: 'conn_1', tool: 't' });
  expect(lost.content).toHaveLength(1);
  expect(lost.content[0]).toMatchObject({ text: expect.stringContaining('could not be kept') });
  expect(gateway.faults).toHaveLength(1);
});

test('a tool with a budget answers with its beginning through a virtual MCP, in every mode', async () => {
  await using bed = await startVirtualBed();
  const answer = () => ({
    content: [{ type: 'text' as const, text: 'w'.repeat(5000) }],
    structuredContent: { long: 'w'.repeat(5000) },
  });
  const outputSchema = { type: 'object', properties: { long: { type: 'string' } }, required: ['long'] };
  await bed.serve({ id: 'conn_big', tools: [{ name: 'dump', answer, outputSchema }, 'small'] });
  const overrides = { dump: { resultBudget: 1000 } };
  const { id } = await bed.made({ connections: [{ connection_id: 'conn_big', overrides }] });
  const { json } = await bed.send({ id }, 'tools/list');
  expect(json.result.tools[0]).not.toHaveProperty('outputSchema');
  const query = '?mode=smart_tool_selection';
  for (const ask of [
    () => bed.call({ id }, 'dump'),
    () => bed.call({ id, query }, 'GATEWAY_CALL_TOOL', { name: 'dump' }),
  ]) {
    const { result } = (await ask()).json;
    const { uri, size } = result._meta['parley/result'];
    expect(size).toBe(5000);
    for (const place of [{ id }, { id, query }]) {
      const rest = await bed.send(place, 'resources/read', { uri: `${uri}?from=1000&to=5000` });
      expect(rest.json.result.contents).toEqual([
        { uri: `${uri}?from=1000&to=5000`, mimeType: 'text/plain', text: 'w'.repeat(4000) },
      ]);
    }
    const key = (await bed.gateway.key({ conn_big: ['*'] })).text;
    expect((await bed.send({ id, key }, 'resources/read', { uri })).json.error.code).toBe(-32602);
  }
  const templates = (await bed.send({ id }, 'resources/templates/list')).json.result.resourceTemplates;
  expect(templates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
    'parley://results/{id}',
    'parley://results/{id}?from={from}&to={to}',
  ]);
});

test('code gets the whole of what a budget shortens for a model, in a run and in a tool of its own', async () => {
  await using bed = await startVirtualBed();
  const long = 'w'.repeat(5000);
  const answers: Record<string, object> = {
    text: { content: [{ type: 'text', text: long }] },
    structure: { content: [{ type: 'text', text: long }], structuredContent: { long } },
    failure: { content: [{ type: 'text', text: long }], isError: true },
  };
  const tools = Object.entries(answers).map(([name, answer]) => ({ name, answer: () => answer as never }));
  await bed.serve({ id: 'conn_big', tools });
  const overrides = Object.fromEntries(tools.map(({ name }) => [name, { resultBudget: 1000 }]));
  const { id } = await bed.made({ connections: [{ connection_id: 'conn_big', overrides }] });
  const code = `export default async (tools) => ({
    text: (await tools.text({})).length,
    structure: (await tools.structure({})).long.length,
    failure: await tools.failure({}).catch((error) => error.message.length),
  })`;
  const whole = { text: 5000, structure: 5000, failure: 5000 };
  const run = await bed.call({ id, query: '?mode=code_execution' }, 'GATEWAY_RUN_CODE', { code });
  expect(run.json.result.structuredContent).toEqual({ returnValue: whole, consoleLogs: [] });
  const inputSchema = { type: 'object' };
  await bed.virtualTools.create(bed.owner, id, { name: 'measure', inputSchema, code });
  expect((await bed.call({ id }, 'measure')).json.result.structuredContent).toEqual(whole);
  const kept = async () =>
    (await bed.gateway.store.db<ConnectionTables>().selectFrom('kept_results').select('id').execute()).length;
  expect(await kept()).toBe(0);
  expect((await bed.call({ id }, 'text')).json.result._meta['parley/result']).toMatchObject({ shown: 1000 });
  expect(await kept()).toBe(1);
});

describe('a result that is too long for an answer, without any budget', () => {
  const MiB = 1024 * 1024;
  const bytes = Buffer.alloc(2 * MiB, 7).toString('base64');
  const answers: Record<string, object> = {
    text: { content: [{ type: 'text', text: `first ${'t'.repeat(2 * MiB)}` }] },
    failure: { content: [{ type: 'text', text: 'f'.repeat(2 * MiB) }], isError: true },
    picture: {
      content: [
        { type: 'text', text: 'Taken.' },
        { type: 'image', data: bytes, mimeType: 'image/png' },
        { type: 'image', data: 'AAAA', mimeType: 'image/gif' },
      ],
      structuredContent: { taken: true },
    },
    file: {
      content: [{ type: 'resource', resource: { uri: 'file:///a', mimeType: 'audio/wav', blob: bytes } }],
    },
    links: {
      content: Array.from({ length: 20_000 }, (_, index) => ({
        type: 'resource_link',
        uri: `file:///${index}`,
        name: `document ${index}`,
      })),
    },
    promised: {
      content: [{ type: 'text', text: 'short' }],
      structuredContent: { long: 's'.repeat(2 * MiB) },
    },
  };
  const bundleIn = async (bed: VirtualBed) => {
    const outputSchema = { type: 'object', properties: { long: { type: 'string' } } };
    await bed.serve({
      id: 'conn_big',
      tools: Object.entries(answers).map(([name, answer]) => ({
        name,
        answer: () => answer as never,
        ...(name === 'promised' && { outputSchema }),
      })),
    });
    const { id } = await bed.made({ connections: [{ connection_id: 'conn_big' }] });
    return id;
  };
  const uriIn = (text: string) => /parley:\/\/results\/res_[A-Za-z0-9_-]+/.exec(text)?.[0] ?? '';

  test('text is shown from its beginning, and read in parts, in every mode', async () => {
    await using bed = await startVirtualBed();
    const id = await bundleIn(bed);
    const query = '?mode=smart_tool_selection';
    for (const place of [{ id }, { id, query }]) {
      const ask = (name: string) =>
        place.query === undefined ? bed.call(place, name) : bed.call(place, 'GATEWAY_CALL_TOOL', { name });
      const { result } = (await ask('text')).json;
      expect(result).not.toHaveProperty('isError');
      const { uri, size } = result._meta['parley/result'];
      expect(size).toBe(2 * MiB + 6);
      expect(result.content[0].text).toMatch(/^first t+\n\n\[The first 50000 of 2097158 characters/);
      const part = await bed.send(place, 'resources/read', { uri: `${uri}?from=0&to=8` });
      expect(part.json.result.contents[0].text).toBe('first tt');
      const other = (await bed.gateway.key({ conn_big: ['*'] })).text;
      expect((await bed.send({ ...place, key: other }, 'resources/read', { uri })).json.error.code).toBe(
        -32602,
      );
      expect((await ask('failure')).json.result).toMatchObject({
        isError: true,
        _meta: { 'parley/result': { size: 2 * MiB } },
      });
    }
  });

  test('pictures and files become links, what is small beside them stays', async () => {
    await using bed = await startVirtualBed();
    const id = await bundleIn(bed);
    const { result } = (await bed.call({ id }, 'picture')).json;
    expect(result).toMatchObject({ structuredContent: { taken: true } });
    expect(result).not.toHaveProperty('isError');
    const [said, link, small, note] = result.content;
    expect(said).toEqual({ type: 'text', text: 'Taken.' });
    expect(link).toMatchObject({ type: 'resource_link', mimeType: 'image/png', size: 2 * MiB });
    expect(small).toMatchObject({ type: 'image', data: 'AAAA' });
    expect(note.text).toContain(link.uri);
    const read = await bed.send({ id }, 'resources/read', { uri: link.uri });
    expect(read.json.result.contents).toEqual([{ uri: link.uri, mimeType: 'image/png', blob: bytes }]);
    const file = (await bed.call({ id }, 'file')).json.result;
    expect(file.content[0]).toMatchObject({ type: 'resource_link', mimeType: 'audio/wav' });
  });

  test('what is long by its number is kept as JSON; a structure that was promised is missed aloud', async () => {
    await using bed = await startVirtualBed();
    const id = await bundleIn(bed);
    const many = (await bed.call({ id }, 'links')).json.result;
    expect(many).not.toHaveProperty('isError');
    const part = await bed.send({ id }, 'resources/read', {
      uri: `${uriIn(many.content[0].text)}?from=0&to=40`,
    });
    expect(part.json.result.contents[0]).toMatchObject({
      mimeType: 'application/json',
      text: expect.stringMatching(/^\{"content":\[\{"type":"resource_link"/),
    });
    const promised = (await bed.call({ id }, 'promised')).json.result;
    expect(promised).toMatchObject({ isError: true, _meta: { 'dev.parley/code': 'too_large' } });
    expect(promised.content[0].text).toMatch(/^The call is done/);
    expect(uriIn(promised.content[1].text)).not.toBe('');
  });

  test('code, and who could not read it, get the short refusal', async () => {
    await using bed = await startVirtualBed();
    const id = await bundleIn(bed);
    const code = 'export default async (tools) => tools.text({}).catch((error) => error.code)';
    const run = await bed.call({ id, query: '?mode=code_execution' }, 'GATEWAY_RUN_CODE', { code });
    expect(run.json.result.structuredContent.returnValue).toBe('too_large');
    const kept = bed.gateway.store.db<ConnectionTables>().selectFrom('kept_results').select('id');
    expect(await kept.execute()).toEqual([]);
    expect((await bed.call({ id, path: '/mcp/conn_big' }, 'text')).json.result).toMatchObject({
      isError: true,
      _meta: { 'dev.parley/code': 'too_large' },
    });
  });
});
