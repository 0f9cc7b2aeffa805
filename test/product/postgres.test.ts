/** The commands on PostgreSQL: a second replica, a lost key, a newer schema; every command ends by itself. */
import { join } from 'node:path';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
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

test('a data folder without the key file is said, and the process ends', async () => {
  expect((await runParley(['tools', '--data', folder('one'), ...flags])).code).toBe(0);
  const { code, stderr } = await runParley(['tools', '--data', folder('two'), ...flags]);
  expect(code).toBe(2);
  expect(stderr).toContain('Give a key with --key or PARLEY_KEY.');
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
