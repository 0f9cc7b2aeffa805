/** `parley backup` while the server runs, and a restore that starts, decrypts and passes the doctor. */
import { copyFileSync, cpSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '@parley/store';
import { beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

beforeAll(ensureBuilt);

const CONTEXT = { organizationId: 'org_1', rowId: 'row_1' };
const SECRET = 'an upstream token that must survive';

test('a backup of a running server, with its secret key, is a whole server again', async () => {
  using folder = scratchFolder();
  const [data, copy, restored] = ['data', 'copy', 'restored'].map((name) => join(folder.path, name)) as [
    string,
    string,
    string,
  ];
  await using server = await startParley(data);
  await callTool(server, 'parley_whoami');
  const before = await openStore({ dataDir: data });
  const sealed = before.secrets.seal(SECRET, CONTEXT);
  await before.close();

  const made = await runParley(['backup', copy, '--data', data]);
  expect(made.code).toBe(0);
  expect(made.stdout).toContain('The secret key is not in the backup.');
  expect(readdirSync(copy)).toContain('parley.db');
  expect(readdirSync(copy).filter((name) => name.endsWith('.key'))).toEqual([]);
  const key = server.key.slice(-43);
  for (const name of readdirSync(copy)) {
    expect(statSync(join(copy, name)).mode & 0o077, name).toBe(0);
    expect(readFileSync(join(copy, name)).includes(key), name).toBe(false);
  }
  expect((await callTool(server, 'parley_whoami')).status).toBe(200);

  cpSync(copy, restored, { recursive: true, mode: 0 });
  copyFileSync(join(data, 'secret.key'), join(restored, 'secret.key'));
  copyFileSync(join(data, 'owner.key'), join(restored, 'owner.key'));
  await using second = await startParley(restored);
  const answer = await callTool({ mcp: second.mcp, key: server.key }, 'parley_whoami');
  expect(answer.body.result?.structuredContent).toMatchObject({ caller: { name: 'Owner key' } });
  const after = await openStore({ dataDir: restored });
  expect(after.secrets.open(sealed, CONTEXT)).toBe(SECRET);
  await after.close();
  const doctor = await runParley(['doctor', '--data', restored, '--port', '0'], { cwd: folder.path });
  expect(doctor.stdout).not.toContain('fail');
  expect(doctor.code).toBe(0);
});

test('a folder that holds something is not written to', async () => {
  using folder = scratchFolder();
  const data = join(folder.path, 'data');
  await runParley(['tools', '--data', data]);
  const { code, stderr } = await runParley(['backup', folder.path, '--data', data]);
  expect(code).toBe(1);
  expect(stderr).toBe('parley: The folder of the backup is not empty. Name a new or an empty folder.\n');
  expect(readdirSync(folder.path)).toEqual(['data']);
});
