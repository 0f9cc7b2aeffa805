/** `parley keys`: made, listed, revoked; and a running server that refuses a revoked key. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ensureBuilt } from './build.ts';
import { callTool } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { runParley, scratchFolder, startParley } from './parley.ts';

const folder = scratchFolder();
let server: Server;

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
});

afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

const keys = (...args: string[]) => runParley(['keys', ...args, '--data', folder.path]);

interface Shown {
  readonly id: string;
  readonly publicId: string;
  readonly key: string;
  readonly state: string;
  readonly grants: Record<string, string[]>;
  readonly expiresAt: string | null;
}

async function create(...args: string[]): Promise<Shown> {
  const { code, stdout, stderr } = await keys('create', ...args, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Shown;
}

test('a new key is shown once, with what it may do and when it ends', async () => {
  const made = await create(
    'CI',
    '--grant',
    'parley:parley_whoami,parley_explain',
    '--grant',
    'notes:*',
    '--expires',
    '12h',
  );
  expect(made).toMatchObject({
    state: 'active',
    grants: { parley: ['parley_whoami', 'parley_explain'], notes: ['*'] },
  });
  expect(Date.parse(made.expiresAt ?? '')).toBeGreaterThan(Date.now() + 11 * 3_600_000);
  expect((await callTool({ mcp: server.mcp, key: made.key }, 'parley_whoami')).status).toBe(200);
  const { stdout } = await keys('list');
  expect(stdout).toMatch(new RegExp(`^${made.publicId} +CI +active +20`, 'm'));
  expect(stdout).not.toContain(made.key.slice(-43));
});

test('the text says that it is the only time', async () => {
  const { stdout, code } = await keys('create', 'Plain');
  expect(code).toBe(0);
  expect(stdout).toContain('This is the only time the key is shown:');
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^parley_[0-9A-Za-z]{12}_[\w-]{43}$/);
});

test.each([
  ['a grant without tools', ['create', 'X', '--grant', 'notes'], '--grant'],
  ['a grant without a toolset', ['create', 'X', '--grant', ':a'], '--grant'],
  ['a grant with two colons', ['create', 'X', '--grant', 'notes:a:b'], '--grant'],
  ['an expiry without a unit', ['create', 'X', '--expires', '30'], '--expires'],
  ['an expiry of zero', ['create', 'X', '--expires', '0d'], '--expires'],
  ['an expiry in words', ['create', 'X', '--expires', 'tomorrow'], '--expires'],
  ['a key without a name', ['create'], 'Usage: parley keys'],
  ['an unknown action', ['destroy'], 'Usage: parley keys'],
  ['an inherited action', ['constructor'], 'Usage: parley keys'],
])('%s is refused with one line and code 2', async (_name, args, expected) => {
  const { code, stdout, stderr } = await keys(...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
  expect(stderr).toContain(expected);
});

test('a narrow key makes no wider key, and the refusal names what is missing', async () => {
  const narrow = await create('Narrow', '--grant', 'parley:parley_whoami');
  const { code, stderr } = await keys('create', 'Wide', '--grant', 'parley:*', '--key', narrow.key);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'parley: You cannot give what you do not have: parley:*\n',
  });
});

test('a grant on the prototype is refused with one line', async () => {
  const { code, stderr } = await keys('create', 'X', '--grant', '__proto__:a');
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'parley: grants: __proto__ is not a toolset\n' });
});

test('a running server refuses a revoked key', async () => {
  const made = await create('Gone soon');
  const asGone = { mcp: server.mcp, key: made.key };
  expect((await callTool(asGone, 'parley_whoami')).status).toBe(200);
  const { code, stdout } = await keys('revoke', made.publicId);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `Key "Gone soon" (${made.publicId}) is revoked.\n` });
  await expect
    .poll(async () => (await callTool(asGone, 'parley_whoami')).status, { timeout: 5000 })
    .toBe(401);
  expect((await keys('list')).stdout).toMatch(new RegExp(`^${made.publicId} .* revoked`, 'm'));
});

test('an unknown id is not found, and a revoked key cannot act', async () => {
  const unknown = await keys('revoke', 'key_unknown');
  expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
    code: 1,
    stderr: 'parley: No such key: key_unknown\n',
  });
  const made = await create('Dead');
  await keys('revoke', made.id);
  const { code, stderr } = await keys('list', '--key', made.key);
  expect(code).toBe(2);
  expect(stderr).toContain('The key is not valid here.');
  expect(stderr).not.toContain(made.key);
});
