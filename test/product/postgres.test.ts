/** The commands on PostgreSQL: a second replica, a lost key, a newer schema; every command ends by itself. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { sql } from 'kysely';
import { eventually } from '@parley/test-support/eventually';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, startParley } from './parley.ts';

let database: ScratchDatabase;
let flags: string[];

beforeAll(ensureBuilt);
beforeEach(async () => {
  database = await scratchDatabase('postgres');
  flags = ['--database-url', database.options.databaseUrl ?? ''];
});
afterEach(() => database.remove());

const folder = (name: string) => join(database.options.dataDir, name);

test('two first starts at once make one owner, and the key of one works at the other', async () => {
  const env = { PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64url') };
  const servers = await Promise.all(
    ['one', 'two'].map((name) => startParley(folder(name), { args: flags, env })),
  );
  const keys = servers.map(({ key }) => key).filter((key) => key !== '');
  expect(keys).toHaveLength(1);
  for (const server of servers) {
    const { body } = await callTool({ mcp: server.mcp, key: keys[0]! }, 'parley_whoami');
    expect(body.result?.structuredContent).toMatchObject({ roles: ['owner'] });
    expect((await server.stop()).code).toBe(0);
  }
});

test('a data folder without the owner key or the secret key is said, and the process ends', async () => {
  expect((await runParley(['tools', '--data', folder('one'), ...flags])).code).toBe(0);
  const second = await runParley(['tools', '--data', folder('two'), ...flags]);
  expect([second.code, second.stderr]).toEqual([
    1,
    expect.stringMatching(/^parley: There is no secret key for this database: [^\n]*\n$/),
  ]);
  expect(existsSync(folder('two'))).toBe(false);
  const env = { PARLEY_SECRET_KEY: readFileSync(join(folder('one'), 'secret.key'), 'utf8') };
  const third = await runParley(['tools', '--data', folder('two'), ...flags], { env });
  expect([third.code, third.stderr]).toEqual([
    2,
    expect.stringContaining('Give a key with --key or PARLEY_KEY.'),
  ]);
});

test('a newer schema is said by every command, and the process ends', async () => {
  expect((await runParley(['tools', '--data', folder('one'), ...flags])).code).toBe(0);
  const store = await openStore({ ...database.options, dataDir: folder('one') });
  const row = { set_name: 'identity', name: '999-tomorrow', applied_at: 1 };
  await store.db<{ parley_migrations: typeof row }>().insertInto('parley_migrations').values(row).execute();
  await store.close();
  for (const command of [['start', '--port', '0'], ['mcp'], ['call', 'parley_whoami'], ['migrate']]) {
    const ended = await runParley([...command, '--data', folder('one'), ...flags]);
    expect(ended.code, command[0]).toBe(1);
    expect(ended.stderr, command[0]).toMatch(/^parley: The database was written by a newer version[^\n]*\n$/);
  }
});

test('while the change link is down /ready says so, and a key that was revoked elsewhere is refused', async () => {
  expect((await runParley(['tools', '--data', folder('one'), ...flags])).code).toBe(0);
  const admin = await openStore({ ...database.options, dataDir: folder('one') });
  const role = `narrow_${process.pid}_${Date.now()}`;
  const run = (statement: ReturnType<typeof sql>) => statement.execute(admin.db());
  await run(sql`create role ${sql.id(role)} login`);
  try {
    await run(sql`grant all on all tables in schema public to ${sql.id(role)}`);
    await run(sql`grant all on all sequences in schema public to ${sql.id(role)}`);
    const url = new URL(database.options.databaseUrl ?? '');
    url.username = role;
    await using server = await startParley(folder('one'), { args: ['--database-url', url.href] });
    const { stdout } = await runParley([
      'keys',
      'create',
      'Leaked',
      '--json',
      '--data',
      folder('one'),
      ...flags,
    ]);
    const { key } = JSON.parse(stdout) as { key: string };
    const statusOf = async () => (await callTool({ mcp: server.mcp, key }, 'parley_whoami')).status;
    const ready = async () => (await fetch(`${server.url}/ready`)).json();
    expect([await statusOf(), await ready()]).toEqual([200, { status: 'ready' }]);
    // What is open goes on; nothing new is let in.
    await run(sql`alter role ${sql.id(role)} connection limit 0`);
    await run(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where usename = ${role} and application_name = 'parley-listen'`);
    await eventually(async () =>
      expect(await ready()).toMatchObject({ status: 'not_ready', reason: 'change_link' }),
    );
    expect((await runParley(['keys', 'revoke', 'Leaked', '--data', folder('one'), ...flags])).code).toBe(0);
    expect(await statusOf()).toBe(401);
    expect((await callTool(server, 'parley_whoami')).status).toBe(200);
    await run(sql`alter role ${sql.id(role)} connection limit -1`);
    await eventually(async () => expect(await ready()).toEqual({ status: 'ready' }));
    expect(await statusOf()).toBe(401);
  } finally {
    await run(sql`drop owned by ${sql.id(role)}`);
    await run(sql`drop role ${sql.id(role)}`);
    await admin.close();
  }
});
