/** Locked out and back in: which keys can be revoked over REST and the command line, and the key that the folder itself gives. */
import { readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import type { ScratchDatabase } from '@parley/store/testing';
import { scratchDatabase } from '@parley/store/testing';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, startParley } from './parley.ts';
import type { Server } from './parley.ts';

beforeAll(ensureBuilt);

describe.each(['sqlite', 'postgres'] as const)('keys on %s', (engine) => {
  let database: ScratchDatabase;
  let data: string;
  let flags: string[];

  beforeEach(async () => {
    database = await scratchDatabase(engine);
    data = join(database.options.dataDir, 'data');
    const { databaseUrl } = database.options;
    flags = ['--data', data, ...(databaseUrl === undefined ? [] : ['--database-url', databaseUrl])];
  });
  afterEach(() => database.remove());

  const start = () => startParley(data, { args: flags.slice(2) });
  const keys = (...args: string[]) => runParley(['keys', ...args, ...flags]);
  const ownerKey = () => readFileSync(join(data, 'owner.key'), 'utf8').trim();

  async function rest(server: Server, key: string, method: string, path: string, body?: object) {
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  }

  test('a narrow key of an administrator cannot lock the owner out, over REST or by the command', async () => {
    await using server = await start();
    const made = await rest(server, server.key, 'POST', '/keys', {
      name: 'Narrow',
      role: 'admin',
      grants: { feedback: ['manage_keys'] },
    });
    expect(made.status).toBe(201);
    const narrow: string = made.json.data.key;
    const { json } = await rest(server, narrow, 'GET', '/keys');
    const owners = json.data.find(({ name }: { name: string }) => name === 'Owner key');
    expect(await rest(server, narrow, 'DELETE', `/keys/${owners.id}`)).toMatchObject({
      status: 403,
      json: { error: { message: 'Only an owner can change or remove an owner.' } },
    });
    const last = 'This is the last key with which an owner may do everything. Create another such key first.';
    expect(await rest(server, server.key, 'DELETE', `/keys/${owners.id}`)).toMatchObject({
      status: 409,
      json: { error: { message: last } },
    });
    const byCommand = await keys('revoke', 'Owner key');
    expect([byCommand.code, byCommand.stderr]).toEqual([1, `parley: ${last}\n`]);
    expect((await callTool(server, 'parley_whoami')).status).toBe(200);
  });

  test('whoever has no key that works gets a new one from the folder or the database itself', async () => {
    await using server = await start();
    const before = ownerKey();
    expect((await keys('create', 'Other full key')).code).toBe(0);
    expect((await keys('revoke', 'Owner key')).code).toBe(0);
    expect((await keys('list')).stderr).toContain('parley keys recover');
    rmSync(join(data, 'owner.key'));
    const { code, stdout, stderr } = await keys('recover');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(join(data, 'owner.key'));
    const after = ownerKey();
    expect(stdout).not.toContain(after.slice(-43));
    expect(after).not.toBe(before);
    expect(statSync(join(data, 'owner.key')).mode & 0o777).toBe(0o600);
    const { body } = await callTool({ mcp: server.mcp, key: after }, 'parley_whoami');
    expect(body.result?.structuredContent).toMatchObject({ roles: ['owner'] });
    const listed = await keys('list');
    expect(listed.stdout).toMatch(/Recovered owner key +Owner +active/);
    await server.stop();
    const store = await openStore({ ...database.options, dataDir: data });
    const [organization] = await store
      .db<{ organizations: { id: string } }>()
      .selectFrom('organizations')
      .select('id')
      .execute();
    const records = await store.records.list({ organizationId: organization!.id, limit: 100 });
    await store.close();
    expect(records.filter(({ method }) => method === 'keys/recover')).toHaveLength(1);
  });

  test('a folder without a server in it is not made one by recovering', async () => {
    const { code, stderr } = await keys('recover');
    expect(code).toBe(engine === 'sqlite' ? 2 : 1);
    expect(stderr).toMatch(
      engine === 'sqlite' ? /There is no database in/ : /There is no owner in this database/,
    );
  });

  test('a key is revoked by its name when only one active key has it', async () => {
    for (const name of ['One', 'Two', 'Two']) expect((await keys('create', name)).code).toBe(0);
    expect((await keys('revoke', 'One')).stdout).toMatch(/^Key "One" \(\w{12}\) is revoked\.\n$/);
    const several = await keys('revoke', 'Two');
    expect(several.code).toBe(2);
    expect(several.stderr).toMatch(
      /Several keys have the name "Two"\. Give the id of one: \w{12}, \w{12}\n$/,
    );
    expect((await keys('revoke', 'One')).stderr).toBe(
      'parley: No such key: One. "parley keys list" shows them.\n',
    );
  });

  test('a name with control characters does not steer the terminal', async () => {
    const hostile = 'a\u001b]0;owned\u0007b\u009b2Jc\u202Ed\ne';
    const made = await keys('create', hostile);
    const listed = await keys('list');
    const revoked = await keys('revoke', hostile);
    const refused = await keys('revoke', `${hostile}?`);
    for (const { stdout, stderr } of [made, listed, revoked, refused])
      expect((stdout + stderr).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202E]/u);
    expect(listed.stdout.split('\n').filter((line) => line.includes('owned'))).toEqual([
      expect.stringContaining('a\\u001b]0;owned\\u0007b\\u009b2Jc\\u202ed\\u000ae'),
    ]);
    expect(revoked.code).toBe(0);
  });
});
