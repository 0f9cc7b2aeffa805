/** `parley doctor`: what it finds, what it advises, and its exit code. */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { identityMigrations } from '@parley/identity';
import { openStore } from '@parley/store';
import { beforeAll, beforeEach, afterEach, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly fix?: string;
}

let folder: ReturnType<typeof scratchFolder>;
let data: string;

beforeAll(ensureBuilt);
beforeEach(async () => {
  folder = scratchFolder();
  data = join(folder.path, 'data');
  expect((await runParley(['tools', '--data', data])).code).toBe(0);
});
afterEach(() => folder[Symbol.dispose]());

async function doctor(
  ...args: string[]
): Promise<{ code: number | null; healthy: boolean; of(name: string): Check }> {
  const port = args.includes('--port') ? [] : ['--port', '0'];
  const ended = await runParley(['doctor', '--data', data, '--json', ...port, ...args], { cwd: folder.path });
  const { healthy, checks } = JSON.parse(ended.stdout) as { healthy: boolean; checks: Check[] };
  expect(ended.code).toBe(healthy ? 0 : 1);
  const of = (name: string) => {
    const check = checks.find((candidate) => candidate.name.startsWith(name));
    if (check === undefined) throw new Error(`There is no check "${name}" in ${ended.stdout}`);
    return check;
  };
  return { code: ended.code, healthy, of };
}

test('a healthy installation is said so, one line per check, with code 0', async () => {
  const text = await runParley(['doctor', '--data', data, '--port', '0'], { cwd: folder.path });
  expect(text.code).toBe(0);
  const lines = text.stdout.trim().split('\n');
  expect(lines.filter((line) => /^ok {4}\S/.test(line))).toHaveLength(9);
  // Nobody has connected a page or an agent to a new installation.
  const warnings = lines.flatMap((line) => /^warn {2}(page token|page|agent) /.exec(line)?.[1] ?? []);
  expect(warnings).toEqual(['page token', 'page', 'agent']);
  expect(lines).toHaveLength(9 + 2 * 3);
  expect(text.stdout).toContain('sqlite, up to date');
});

test('an installation that is not there yet has warnings and the way to make it', async () => {
  data = join(folder.path, 'nothing');
  const { code, of } = await doctor();
  expect(code).toBe(0);
  expect(of('data folder')).toMatchObject({ state: 'warn', fix: 'Run "parley start"; it makes the folder.' });
  expect(of('database')).toMatchObject({ state: 'warn' });
});

test('a key file and a folder that others can read get the command that closes them', async () => {
  chmodSync(data, 0o755);
  chmodSync(join(data, 'owner.key'), 0o644);
  chmodSync(join(data, 'secret.key'), 0o640);
  const { code, of } = await doctor();
  expect(code).toBe(0);
  expect(of('data folder')).toMatchObject({ state: 'warn', fix: `chmod 700 ${data}` });
  expect(of('owner key')).toMatchObject({ state: 'warn', fix: `chmod 600 ${join(data, 'owner.key')}` });
  expect(of('secret key')).toMatchObject({ state: 'warn', fix: `chmod 600 ${join(data, 'secret.key')}` });
});

test('a port with another program on it fails, with Parley on it is fine', async () => {
  const other = createServer((_req, res) => res.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const taken = await doctor('--port', String(port));
  other.close();
  other.closeAllConnections();
  expect(taken.code).toBe(1);
  expect(taken.of('port')).toMatchObject({ state: 'fail', found: `another program is on 127.0.0.1:${port}` });
  expect(taken.of('port').fix).toContain('--port');
  await using server = await startParley(data);
  const own = new URL(server.url).port;
  expect((await doctor('--port', own)).of('port')).toMatchObject({
    state: 'ok',
    found: `Parley is running on 127.0.0.1:${own}`,
  });
});

test('an owner key that is revoked fails, and the key is not shown', async () => {
  const other = `parley_${'a'.repeat(12)}_${'b'.repeat(43)}`;
  writeFileSync(join(data, 'owner.key'), `${other}\n`);
  const { code, of } = await doctor();
  expect(code).toBe(1);
  expect(of('owner key').found).toContain('revoked or unknown');
  expect(JSON.stringify(of('owner key'))).not.toContain(other);
});

test('the files of other clients are read too', async () => {
  mkdirSync(join(folder.path, '.vscode'));
  writeFileSync(join(folder.path, '.vscode/mcp.json'), JSON.stringify({ servers: {} }));
  expect((await doctor()).of('VS Code')).toMatchObject({
    state: 'warn',
    found: 'has no server "parley" under "servers"',
  });
});

test('a database of an older version is left as it is, and what it lacks is said', async () => {
  data = join(folder.path, 'older');
  const early = Object.entries(identityMigrations.migrations).slice(0, -1);
  const older = await openStore({ dataDir: data });
  await older.migrate([{ name: identityMigrations.name, migrations: Object.fromEntries(early) }]);
  await older.close();
  writeFileSync(join(data, 'owner.key'), `parley_${'a'.repeat(12)}_${'b'.repeat(43)}\n`, { mode: 0o600 });
  rmSync(join(data, 'secret.key'));
  const contents = async () => {
    // With a key of its own, so that this look makes no key file.
    const store = await openStore({ dataDir: data, secretKey: Buffer.alloc(32, 7).toString('base64url') });
    const db = store.db<{ parley_migrations: { set_name: string; name: string } }>();
    const applied = await db.selectFrom('parley_migrations').selectAll().orderBy('name').execute();
    const tables = (await db.introspection.getTables()).map(({ name }) => name);
    await store.close();
    return { applied, tables };
  };
  const before = await contents();
  const { code, of } = await doctor('--key', `parley_${'a'.repeat(12)}_${'b'.repeat(43)}`);
  expect(await contents()).toEqual(before);
  expect(existsSync(join(data, 'secret.key'))).toBe(false);
  // The key alone is a fault: nothing that is sealed in the database opens without it.
  expect([code, of('secret key')?.state]).toEqual([1, 'fail']);
  expect(of('database')).toMatchObject({
    state: 'warn',
    found: expect.stringMatching(/^sqlite, \d+ steps behind; the next start brings it up to date$/),
  });
  for (const name of ['owner key', 'key', 'annotations'])
    expect(of(name)).toMatchObject({ state: 'warn', found: expect.stringContaining('behind') });
});

test('a database of a newer version fails in the doctor, and no command touches or hangs on it', async () => {
  const store = await openStore({ dataDir: data });
  const row = { set_name: 'identity', name: '999-tomorrow', applied_at: 1 };
  await store.db<{ parley_migrations: typeof row }>().insertInto('parley_migrations').values(row).execute();
  await store.close();
  const { code, of } = await doctor();
  expect(code).toBe(1);
  expect(of('database')).toMatchObject({ state: 'fail', fix: 'Start the version of Parley that wrote it.' });
  for (const command of [['start', '--port', '0'], ['mcp'], ['tools'], ['keys', 'list'], ['migrate']]) {
    const ended = await runParley([...command, '--data', data]);
    expect(ended.code, command[0]).toBe(1);
    expect(ended.stderr).toContain('written by a newer version');
    expect(ended.stderr.trim().split('\n'), command[0]).toHaveLength(1);
  }
});
