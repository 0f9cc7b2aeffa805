/** Code and SQL of callers: whose tools and data they reach, that every call is recorded, and that the built server has it all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConnectionTables } from '@parley/connections';
import { connectionMigrations } from '@parley/connections';
import { createCodeExecution, createSandbox, engineUniverse } from '@parley/gateway';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller, CallRecord, Engine } from '@parley/kit';
import { defineTool, defineToolset, install, toolsetSource } from '@parley/kit';
import { connect } from '@parley/kit/testing';
import { createMeshServices, meshToolset } from '@parley/mesh';
import type { MeshHost, MeshServices } from '@parley/mesh';
import type { Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ensureBuilt, ROOT } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { scratchFolder, startParley } from './parley.ts';

let waitingForDark = 0;
const lamps = defineToolset({
  name: 'lamps',
  title: 'Lamps of the house',
  tools: [
    defineTool({
      name: 'light_lamp',
      title: 'Light Lamp',
      description: 'Lights one lamp.',
      effect: 'update',
      input: z.object({ room: z.string().max(20).describe('Where') }),
      output: z.object({ lit: z.string() }),
      run: ({ room }) => ({ lit: room }),
    }),
    defineTool({
      name: 'sell_house',
      title: 'Sell House',
      description: 'Sells it, lamps and all.',
      effect: 'delete',
      privileged: true,
      input: z.object({}),
      output: z.object({}),
      run: () => ({}),
    }),
    defineTool({
      name: 'wait_for_dark',
      title: 'Wait',
      description: 'Waits until it is cancelled.',
      effect: 'read',
      input: z.object({}),
      output: z.object({}),
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          waitingForDark += 1;
          signal.addEventListener('abort', () => reject(new Error('cancelled')), { once: true });
        }),
    }),
  ],
});

const CODE_TOOLS = [
  'CODE_EXECUTION_DESCRIBE_TOOLS',
  'CODE_EXECUTION_RUN_CODE',
  'CODE_EXECUTION_SEARCH_TOOLS',
];
const body = (text: string) => `export default async (tools) => { ${text} }`;
const ENDLESS = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

describe.each<StoreEngine>(['sqlite', 'postgres'])('on %s', (engine) => {
  let scratch: ScratchDatabase;
  let store: Store;
  let [one, another] = ['', ''];
  const sandbox = createSandbox();
  beforeAll(async () => {
    scratch = await scratchDatabase(engine);
    store = await openStore(scratch.options);
    await store.migrate([identityMigrations, connectionMigrations]);
    // An organization brings the connection that it is to itself.
    const { seed } = connectionMigrations;
    const identity = createIdentity(store, { ...(seed && { seed }) });
    const found = async (slug: string) => {
      const owner = { name: slug, email: null };
      return (await identity.createOrganization({ slug, name: slug, owner })).organizationId;
    };
    [one, another] = [await found('one'), await found('another')];
    identity.close();
  });
  afterAll(async () => {
    await sandbox.close();
    await store.close();
    await scratch.remove();
  });

  async function client(as: Partial<Caller> = {}) {
    const serving: { engine?: Engine } = {};
    const others: CallRecord[] = [];
    const universe = engineUniverse(
      () => serving.engine!,
      (record) => others.push(record),
    );
    // What these tools do not use is left out.
    const host = {
      store,
      identity: {},
      events: { history: {} },
      sandbox: createCodeExecution(sandbox, universe),
    } as unknown as MeshHost;
    const services: MeshServices = createMeshServices(host);
    const connected = await connect(meshToolset, { as, services, sources: [toolsetSource(install(lamps))] });
    serving.engine = connected.engine;
    return Object.assign(connected, { others });
  }

  test('CODE_EXECUTION_SEARCH_TOOLS finds what the caller may call, best first, and nothing that runs code', async () => {
    await using owner = await client();
    const found = await owner.call('CODE_EXECUTION_SEARCH_TOOLS', { query: 'LIGHT lamp' });
    expect(found).toMatchObject({ query: 'LIGHT lamp' });
    expect(found.results).toMatchObject([
      { name: 'light_lamp', description: 'Lights one lamp.', connection: 'Lamps of the house' },
      { name: 'sell_house' },
      { name: 'wait_for_dark' },
    ]);
    expect(
      (await owner.call('CODE_EXECUTION_SEARCH_TOOLS', { query: 'light_lamp', limit: 1 })).results,
    ).toMatchObject([{ name: 'light_lamp' }]);
    const all = await owner.call('CODE_EXECUTION_SEARCH_TOOLS', { query: '', limit: 100 });
    const names = all.results.map(({ name }) => name);
    expect(names).toEqual(names.toSorted());
    expect(all.totalAvailable).toBe(names.length);
    for (const name of CODE_TOOLS) expect(names).not.toContain(name);
    await using narrow = await client({ grants: { self: CODE_TOOLS, lamps: ['light_lamp'] } });
    expect(await narrow.call('CODE_EXECUTION_SEARCH_TOOLS', { query: 'house' })).toMatchObject({
      results: [{ name: 'light_lamp' }],
      totalAvailable: 1,
    });
    expect((await owner.attempt('CODE_EXECUTION_SEARCH_TOOLS', { query: 'x'.repeat(501) })).ok).toBe(false);
  });

  test('CODE_EXECUTION_DESCRIBE_TOOLS gives schemas; hidden and unknown names are told alike', async () => {
    await using narrow = await client({ grants: { self: CODE_TOOLS, lamps: ['light_lamp'] } });
    const tools = ['light_lamp', 'sell_house', 'nowhere', 'CODE_EXECUTION_RUN_CODE'];
    const described = await narrow.call('CODE_EXECUTION_DESCRIBE_TOOLS', { tools });
    expect(described.notFound).toEqual(tools.slice(1));
    expect(described.tools).toMatchObject([
      { name: 'light_lamp', inputSchema: { properties: { room: {} } }, outputSchema: { type: 'object' } },
    ]);
  });

  test('check 38: code calls tools as its caller; what the caller lacks is an error to the code, and recorded', async () => {
    await using narrow = await client({ grants: { self: CODE_TOOLS, lamps: ['light_lamp'] } });
    const code = body(`
      const { lit } = await tools.light_lamp({ room: 'hall' });
      const errors = [];
      for (const [name, args] of [['sell_house', {}], ['nowhere', {}], ['light_lamp', { room: 5 }], ['CODE_EXECUTION_RUN_CODE', { code: 'x' }]]) {
        await tools[name](args).catch(({ code, message }) => errors.push([code, message.slice(0, 30)]));
      }
      console.log('done');
      return { lit, errors };`);
    const outcome = await narrow.call('CODE_EXECUTION_RUN_CODE', { code });
    expect(outcome).toMatchObject({
      returnValue: {
        lit: 'hall',
        errors: [
          ['not_found', 'Unknown tool: sell_house'],
          ['not_found', 'Unknown tool: nowhere'],
          ['invalid', expect.stringContaining('room')],
          ['not_found', 'Unknown tool: CODE_EXECUTION_R'],
        ],
      },
      consoleLogs: [{ type: 'log', content: 'done' }],
    });
    expect(outcome.error).toBeUndefined();
    const recorded = [...narrow.records, ...narrow.others].map(
      ({ name, outcome: ended }) => `${name} ${ended}`,
    );
    expect(recorded).toEqual([
      'light_lamp ok',
      'sell_house denied',
      'nowhere denied',
      'light_lamp error',
      'CODE_EXECUTION_RUN_CODE ok',
      'CODE_EXECUTION_RUN_CODE denied',
    ]);
  });

  test('CODE_EXECUTION_RUN_CODE tells what code did wrong, and is hidden without its grant', async () => {
    await using owner = await client();
    expect(await owner.attempt('CODE_EXECUTION_RUN_CODE', { code: 'export default 1' })).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('default export is a function'),
    });
    expect(
      await owner.call('CODE_EXECUTION_RUN_CODE', { code: body('throw new Error("no")') }),
    ).toMatchObject({
      error: { code: 'thrown', message: expect.stringContaining('no (line 1') },
    });
    expect(
      await owner.call('CODE_EXECUTION_RUN_CODE', {
        code: body('await tools.wait_for_dark()'),
        timeoutMs: 300,
      }),
    ).toMatchObject({
      error: { code: 'timeout' },
    });
    await expect
      .poll(() => owner.records.find(({ name }) => name === 'wait_for_dark')?.outcome)
      .toBe('cancelled');
    // A wildcard of somebody who is no owner does not give what is privileged.
    await using member = await client({ roles: ['member'], grants: { self: ['USER_GET'] } });
    for (const name of [...CODE_TOOLS, 'DATABASES_RUN_SQL']) {
      await expect(member.raw.callTool({ name, arguments: {} })).rejects.toThrow(`Unknown tool: ${name}`);
    }
  });

  test('DATABASES_RUN_SQL runs one statement on the database of the organization, and code can call it', async () => {
    await using owner = await client({ organizationId: one });
    const sql = (text: string, more = {}) => owner.attempt('DATABASES_RUN_SQL', { sql: text, ...more });
    expect(await sql('create table if not exists notes (id integer, note text)')).toMatchObject({
      value: { result: [{ results: [], success: true, rowsAffected: 0, truncated: false }] },
    });
    expect(await sql('insert into notes values ($1, $2)', { params: [1, "it's"] })).toMatchObject({
      value: { result: [{ rowsAffected: 1 }] },
    });
    const code = body(
      `const { result: [{ results }] } = await tools.DATABASES_RUN_SQL({ sql: 'select note from notes' }); return results;`,
    );
    expect(await owner.call('CODE_EXECUTION_RUN_CODE', { code, timeoutMs: 30_000 })).toMatchObject({
      returnValue: [{ note: "it's" }],
    });
    await using other = await client({ organizationId: another });
    expect(await other.attempt('DATABASES_RUN_SQL', { sql: 'select * from notes' })).toMatchObject({
      code: 'sql_error',
    });
    const named = (connectionId: string) =>
      other.attempt('DATABASES_RUN_SQL', { sql: 'select 1 as a', connectionId });
    expect(await named(`${another}_self`)).toMatchObject({ value: { result: [{ results: [{ a: 1 }] }] } });
    const [foreign, unknown] = [await named(`${one}_self`), await named('org_x_self')];
    expect(foreign).toMatchObject({ code: 'not_found' });
    expect(JSON.stringify(foreign).replaceAll(one, 'org_x')).toBe(JSON.stringify(unknown));
    for (const narrow of [{}, { connectionId: `${another}_self` }]) {
      const grants = { self: ['DATABASES_RUN_SQL'] };
      await using key = await client({ organizationId: another, roles: ['owner'], grants, ...narrow });
      const reach = async (connectionId?: string) =>
        (
          await key.attempt('DATABASES_RUN_SQL', {
            sql: 'select 1 as a',
            ...(connectionId && { connectionId }),
          })
        ).ok;
      expect([await reach(), await reach(`${another}_self`), await reach('conn_other')]).toEqual([
        true,
        true,
        false,
      ]);
    }
    const ERRORS = [
      ['select 1; select 2', {}, 'invalid'],
      ['select $1', {}, 'invalid'],
      ['attach', {}, 'forbidden'],
      ['select * from nowhere', {}, 'sql_error'],
      [ENDLESS, { timeoutMs: 200 }, 'timeout'],
    ] as const;
    for (const [text, more, expected] of ERRORS)
      expect(await sql(text, more), text).toMatchObject({ code: expected });
    expect((await sql('select 1', { timeoutMs: 99 })).ok).toBe(false);
    await using bound = await client({ roles: ['member'], grants: { self: ['DATABASES_RUN_SQL'] } });
    expect(await bound.attempt('DATABASES_RUN_SQL', { sql: 'select 1' })).toMatchObject({
      code: 'forbidden',
    });
  });

  test('code and statements of one organization leave places to those of another', async () => {
    const ids = ['conn_1', 'conn_2', 'conn_3', 'conn_4', 'conn_5'];
    const db = store.db<ConnectionTables>();
    const own = db.selectFrom('connections').selectAll().where('organization_id', '=', one);
    const row = await own.executeTakeFirstOrThrow();
    await db
      .insertInto('connections')
      .values(ids.map((id) => ({ ...row, id })))
      .execute();
    const greedy = await Promise.all(
      ids.map((connectionId) => client({ organizationId: one, connectionId, roles: ['owner'] })),
    );
    await using other = await client({ organizationId: another });
    const ended: string[] = [];
    const cancelling = new AbortController();
    const { signal } = cancelling;
    const before = waitingForDark;
    const running = [...greedy, ...greedy].flatMap(({ raw }) =>
      [
        { name: 'DATABASES_RUN_SQL', arguments: { sql: ENDLESS, timeoutMs: 30_000 } },
        {
          name: 'CODE_EXECUTION_RUN_CODE',
          arguments: { code: body('await tools.wait_for_dark()'), timeoutMs: 60_000 },
        },
      ].map((call) =>
        raw.callTool(call, { signal }).then(
          (answer) => ended.push(JSON.stringify(answer)),
          // It is cancelled below.
          () => undefined,
        ),
      ),
    );
    await expect.poll(() => waitingForDark - before).toBeGreaterThan(1);
    expect(await other.call('CODE_EXECUTION_RUN_CODE', { code: body('return 1') })).toMatchObject({
      returnValue: 1,
    });
    expect(await other.call('DATABASES_RUN_SQL', { sql: 'select 1 as a' })).toMatchObject({
      result: [{ results: [{ a: 1 }] }],
    });
    expect(ended).toEqual([]);
    cancelling.abort();
    await Promise.all(running);
    for (const connected of greedy) await connected[Symbol.asyncDispose]();
  });
});

test('the built server runs code and SQL in programs of its own, and answers others meanwhile', async () => {
  await ensureBuilt();
  using folder = scratchFolder();
  const server = await startParley(folder.path);
  const call = async (name: string, args: Record<string, unknown>) => {
    const { body: answer } = await callTool(server, name, args);
    return answer.result?.structuredContent;
  };
  expect(await call('DATABASES_RUN_SQL', { sql: 'create table t (a integer)' })).toMatchObject({
    result: [{ success: true }],
  });
  let isDone = false;
  const running = Promise.all([
    callTool(server, 'DATABASES_RUN_SQL', { sql: ENDLESS, timeoutMs: 1500 }),
    callTool(server, 'CODE_EXECUTION_RUN_CODE', { code: body('for (;;);'), timeoutMs: 1500 }),
  ]).finally(() => (isDone = true));
  const health = await fetch(new URL('/health', server.mcp));
  expect([health.status, isDone]).toEqual([200, false]);
  const [sql, code] = await running;
  expect(JSON.stringify(sql.body)).toContain('"timeout"');
  expect(code.body.result?.structuredContent).toMatchObject({ error: { code: 'timeout' } });
  const nested = body(
    `return (await tools.DATABASES_RUN_SQL({ sql: 'select count(*) as n from t' })).result[0].results`,
  );
  expect(await call('CODE_EXECUTION_RUN_CODE', { code: nested, timeoutMs: 30_000 })).toMatchObject({
    returnValue: [{ n: 0 }],
  });
  // The examples of the page are what a newcomer tries first.
  const page = readFileSync(join(ROOT, 'docs/code-and-databases.md'), 'utf8');
  const examples = (kind: string) =>
    [...page.matchAll(/^```(\w+)\n([^`]*(?:`[^`]+`[^`]*)*?)^```$/gm)].flatMap(([, is, text = '']) =>
      is === kind ? [text] : [],
    );
  const [codes, statements] = [examples('js'), examples('json')];
  expect([codes.length, statements.length]).toEqual([1, 3]);
  for (const example of codes)
    expect(await call('CODE_EXECUTION_RUN_CODE', { code: example, timeoutMs: 30_000 })).toEqual({
      returnValue: [],
      consoleLogs: [{ type: 'log', content: '0 posts' }],
    });
  const answers: unknown[] = [];
  for (const example of statements)
    answers.push(await call('DATABASES_RUN_SQL', JSON.parse(example) as Record<string, unknown>));
  expect(answers).toMatchObject([
    { result: [{ success: true }] },
    { result: [{ success: true, rowsAffected: 1 }] },
    { result: [{ results: [{ page: '/home', visits: 1 }] }] },
  ]);
  expect((await server.stop()).code).toBe(0);
});
