/** What is called is on record without secrets, on both databases; a record store that takes no writes holds up nobody. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { defineToolFor, defineToolset } from '@parley/kit';
import { openStore } from '@parley/store';
import type { StoreEngine } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import type { ScratchDatabase } from '@parley/store/testing';
import { eventually } from '@parley/test-support/eventually';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { createApp, loadConfig } from '../../apps/server/src/index.ts';
import { callTool, message, post } from './mcp-messages.ts';

const received: unknown[] = [];

const vault = defineToolset({
  name: 'vault',
  title: 'Vault',
  tools: [
    defineToolFor<object>()({
      name: 'keep',
      title: 'Keep',
      description: 'Keeps what it is given.',
      effect: 'create',
      input: z.object({
        password: z.string(),
        note: z.string(),
        phrase: z.string().meta({ writeOnly: true }).optional(),
      }),
      output: z.object({ note: z.string(), token: z.string() }),
      async run(input) {
        received.push(input);
        return { note: input.note, token: input.password };
      },
    }),
  ],
  services: () => ({}),
});

type App = Awaited<ReturnType<typeof createApp>>;

async function start(
  database: ScratchDatabase,
): Promise<{ app: App; mcp: string; url: string; key: string }> {
  const { dataDir, databaseUrl } = database.options;
  const flags = ['--port', '0', '--data', dataDir, '--rate', '1000000', '--rate-burst', '1000000'];
  flags.push('--log-level', 'silent', ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl]));
  const app = await createApp({ config: loadConfig(flags, { env: {} }).config, toolsets: [vault] });
  const { mcp, url } = await app.listen();
  return { app, mcp, url, key: readFileSync(app.ownerKeyFile, 'utf8').trim() };
}

/** From now on the store of the records refuses every write, as a file or a standby that is read-only does. */
async function makeReadOnly({ options }: ScratchDatabase, engine: StoreEngine): Promise<void> {
  const store = await openStore(options);
  await store.migrate([]);
  if (engine === 'postgres') {
    const refuse = `create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no writes' using errcode = '25006'; end $$`;
    await sql.raw(refuse).execute(store.db());
    await sql
      .raw('create trigger refuse before insert on parley_calls execute function refuse()')
      .execute(store.db());
    await store.close();
    return;
  }
  const organization = {
    organizationId: 'o',
    callerId: 'k',
    userId: null,
    source: 'key',
    toolset: 't',
    tool: 't',
  };
  const call = {
    method: 'tools/call',
    effect: null,
    outcome: 'ok',
    code: null,
    durationUs: 1,
    era: 'modern',
  } as const;
  store.records.append({ at: Date.now(), ...organization, ...call, client: null, requestId: null });
  await store.close();
  // The version of the format that a file asks of its writers: SQLite only reads a file that asks for more than it knows.
  const file = openSync(join(options.dataDir, 'records.db'), 'r+');
  writeSync(file, Buffer.of(3), 0, 1, 18);
  closeSync(file);
}

describe.each<StoreEngine>(['sqlite', 'postgres'])('monitoring on %s', (engine) => {
  let database: ScratchDatabase;
  let server: Awaited<ReturnType<typeof start>>;

  beforeAll(async () => {
    database = await scratchDatabase(engine);
    server = await start(database);
  });

  afterAll(async () => {
    await server.app.close();
    await database.remove();
  });

  const logs = async (query: object) => {
    await server.app.host.store.records.flush();
    const { body, text } = await callTool(server, 'MONITORING_LOGS_LIST', { ...query });
    return { text, logs: body.result?.structuredContent?.logs as Record<string, unknown>[] };
  };

  test('check 31: neither a password nor an address is in the log, and the tool received both', async () => {
    const args = { password: 'hunter2hunter2', note: 'mail a@b.co', phrase: 'open sesame' };
    const body = message('r-1', 'tools/call', { name: 'keep', arguments: args });
    const answer = await post(server.mcp, server.key, body, {
      'x-parley-properties': '{"team":"web","mail":"c@d.co"}',
    });
    expect(answer.body.result?.structuredContent).toEqual({ note: 'mail a@b.co', token: 'hunter2hunter2' });
    expect(received.at(-1)).toEqual(args);
    const { text, logs: found } = await logs({ toolName: 'keep' });
    for (const secret of ['hunter2', 'a@b.co', 'sesame', 'c@d.co', server.key.slice(-43)])
      expect(text).not.toContain(secret);
    expect(found).toMatchObject([
      {
        connectionId: 'vault',
        connectionTitle: 'Vault',
        toolName: 'keep',
        effect: 'create',
        input: '{"password":"[REDACTED:secret]","note":"mail [REDACTED:email]","phrase":"[REDACTED:secret]"}',
        output: '{"note":"mail [REDACTED:email]","token":"[REDACTED:secret]"}',
        isError: false,
        requestId: 'r-1',
        userAgent: 'product-test',
        callerSource: 'key',
        properties: { team: 'web', mail: '[REDACTED:email]' },
      },
    ]);
    expect((await logs({ properties: { team: 'web' } })).logs).toHaveLength(1);
    expect((await logs({ properties: { team: 'app' } })).logs).toHaveLength(0);
  });

  test('the tags of a person label their calls, whatever the client says', async () => {
    const call = async (name: string, input: Record<string, unknown> = {}) =>
      (await callTool(server, name, input)).body.result?.structuredContent as Record<string, any>; // oxlint-disable-line typescript/no-explicit-any -- tests look into outputs of every shape
    const { members } = await call('ORGANIZATION_MEMBER_LIST');
    const tags = [];
    for (const name of ['gold', 'early']) tags.push((await call('TAGS_CREATE', { name }))['tag'].id);
    await call('MEMBER_TAGS_SET', { memberId: members[0].id, tagIds: tags });
    const body = message('r-2', 'tools/call', { name: 'keep', arguments: { password: 'x', note: 'y' } });
    await eventually(async () => {
      await post(server.mcp, server.key, body, { 'x-parley-properties': '{"user_tags":"forged"}' });
      const { logs: found } = await logs({ toolName: 'keep', limit: 1 });
      expect(found).toMatchObject([{ properties: { user_tags: 'early,gold' } }]);
    });
    expect((await logs({ propertyInValues: { user_tags: 'forged' } })).logs).toEqual([]);
    expect((await logs({ propertyInValues: { user_tags: 'gold' } })).logs.length).toBeGreaterThan(0);
  });

  test('a call of a management tool is on record under the own connection of the organization, a denied one too', async () => {
    await callTool(server, 'MONITORING_STATS');
    await callTool(server, 'ABSENT_TOOL', { password: 'hunter2hunter2' });
    const { logs: own } = await logs({ toolName: 'MONITORING_STATS' });
    const { organizationId } = own[0] ?? {};
    expect(own[0]).toMatchObject({
      connectionId: `${String(organizationId)}_self`,
      connectionTitle: 'Management',
    });
    const { logs: denied } = await logs({ toolName: 'ABSENT_TOOL' });
    expect(denied[0]).toMatchObject({ isError: true, errorCode: 'unknown', input: null, output: null });
    const metrics = await fetch(`${server.url}/metrics`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect(await metrics.text()).toContain('gen_ai_tool_name="MONITORING_STATS",parley_connection="self"');
  });
});

describe.each<StoreEngine>(['sqlite', 'postgres'])('a record store without writes on %s', (engine) => {
  test('check 32: 1,000 calls succeed as fast as before, and what is not recorded is counted', async () => {
    const database = await scratchDatabase(engine);
    const timed = async (server: Awaited<ReturnType<typeof start>>, count: number) => {
      const times: number[] = [];
      let next = 0;
      const worker = async () => {
        while (next++ < count) {
          const startedMs = performance.now();
          const { body } = await callTool(server, 'keep', { password: 'p', note: 'n' });
          expect(body.result?.structuredContent).toEqual({ note: 'n', token: 'p' });
          times.push(performance.now() - startedMs);
        }
      };
      await Promise.all(Array.from({ length: 8 }, worker));
      return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
    };
    const healthy = await start(database);
    await timed(healthy, 50);
    const before = await timed(healthy, 300);
    await healthy.app.close();

    await makeReadOnly(database, engine);
    const refusing = await start(database);
    await timed(refusing, 50);
    const after = await timed(refusing, 1_000);
    expect(after).toBeLessThan(before * 5 + 20);
    await eventually(async () => {
      const headers = { authorization: `Bearer ${refusing.key}` };
      const text = await (await fetch(`${refusing.url}/metrics`, { headers })).text();
      expect(Number(/^parley_call_records_dropped (\d+)$/m.exec(text)?.[1])).toBeGreaterThanOrEqual(1_050);
    });
    await refusing.app.close();
    await database.remove();
  });
});
