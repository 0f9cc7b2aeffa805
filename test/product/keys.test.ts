/** `parley keys`: made, listed, revoked; and a running server that refuses a revoked key. */
import { openStore } from '@parley/store';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
  readonly owner?: { readonly id: string; readonly name: string | null };
  readonly grants: Record<string, string[]>;
  readonly expiresAt: string | null;
}

interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly image: string | null;
  readonly email_verified: number;
  readonly created_at: number;
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
    'feedback:*',
    '--expires',
    '12h',
  );
  expect(made).toMatchObject({
    state: 'active',
    grants: { parley: ['parley_whoami', 'parley_explain'], feedback: ['*'] },
  });
  expect(Date.parse(made.expiresAt ?? '')).toBeGreaterThan(Date.now() + 11 * 3_600_000);
  expect((await callTool({ mcp: server.mcp, key: made.key }, 'parley_whoami')).status).toBe(200);
  const { stdout } = await keys('list');
  expect(stdout).toMatch(new RegExp(`^${made.publicId} +CI +Owner +active +20`, 'm'));
  expect(stdout).not.toContain(made.key.slice(-43));
});

test('the list says whose key each is, also of somebody who has left', async () => {
  const made = await create('Of somebody');
  const listed = async () => {
    const all = JSON.parse((await keys('list', '--json')).stdout) as Shown[];
    return all.find(({ id }) => id === made.id)?.owner;
  };
  expect(await listed()).toEqual({ id: expect.stringMatching(/^user_/), name: 'Owner' });
  expect((await keys('list')).stdout.split('\n')[0]).toMatch(/^ID +NAME +OWNER +STATE /);
  const store = await openStore({ dataDir: folder.path });
  const table = store.db<{ api_keys: { id: string; user_id: string }; users: UserRow }>();
  const gone = { id: 'user_gone', name: 'Gone', email: null, image: null, email_verified: 0, created_at: 1 };
  await table.insertInto('users').values(gone).execute();
  await table.updateTable('api_keys').set({ user_id: gone.id }).where('id', '=', made.id).execute();
  await store.close();
  expect(await listed()).toEqual({ id: gone.id, name: null });
  expect((await keys('list')).stdout).toMatch(new RegExp(`^${made.publicId} +Of somebody +user_gone `, 'm'));
});

test('the text says that it is the only time', async () => {
  const { stdout, code } = await keys('create', 'Plain');
  expect(code).toBe(0);
  expect(stdout).toContain('This is the only time the key is shown:');
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^parley_[0-9A-Za-z]{12}_[\w-]{43}$/);
});

const REFUSED: readonly (readonly [name: string, on: string, tool: string, says: readonly string[]])[] = [
  ['a toolset that is not there', 'nosuchset', 'foo', ['no toolset "nosuchset"', 'annotations, feedback']],
  ['a toolset that is not there, with all', 'nosuchset', '*', ['no toolset "nosuchset"']],
  ['a tool of another server', 'feedback', 'search_posts', ['"search_posts"', 'search_feedback']],
  ['a tool with a slip in it', 'feedback', 'add_coment', ['"add_coment"', 'add_comment']],
  ['a tool that looks like a resource', 'feedback', 'list_boards', ['"list_boards"', 'boards']],
  ['the last part of an address', 'annotations', 'sessions', ['"sessions"', 'annotation-sessions']],
  ['a tool of another toolset', 'annotations', 'parley_whoami', ['"parley_whoami"', 'annotations']],
  ['a name in no toolset', '*', 'nonsense_tool', ['"nonsense_tool"', 'any toolset']],
  ['one right and one wrong name', 'tasks', 'get_task,got_tasks', ['"got_tasks"', 'get_task']],
];

/** Makes a key over HTTP, as the feedback API does. */
async function createByRest(grants: object): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${server.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'X', role: 'admin', grants }),
  });
  return { status: answer.status, text: await answer.text() };
}

describe('a grant for what does not exist is refused with what is near', () => {
  test.each(REFUSED)('%s', async (_name, on, tool, says) => {
    const count = async () => (JSON.parse((await keys('list', '--json')).stdout) as unknown[]).length;
    const before = await count();
    const { code, stdout, stderr } = await keys('create', 'X', '--grant', `${on}:${tool}`);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    const rest = await createByRest({ [on]: tool.split(',') });
    expect(rest.status).toBe(400);
    for (const part of says) {
      expect(stderr).toContain(part);
      expect((JSON.parse(rest.text) as { error: { message: string } }).error.message).toContain(part);
    }
    expect(await count()).toBe(before);
  });

  test.each([
    ['a resource', { annotations: ['annotation-sessions', 'pending-annotations'], feedback: ['boards'] }],
    ['a prompt', { annotations: ['start-polling'] }],
    ['a tool that has to be named', { feedback: ['*', 'merge_post'] }],
    ['a name in every toolset', { '*': ['parley_whoami'] }],
    ['everything', { '*': ['*'] }],
    ['the metrics', { self: ['*'] }],
  ])('and %s can be given', async (_name, grants) => {
    const flags = Object.entries(grants).flatMap(([on, names]) => ['--grant', `${on}:${names.join(',')}`]);
    expect((await create('Right', ...flags)).grants).toEqual(grants);
    expect((await createByRest(grants)).status).toBe(201);
  });

  test('but a key that has such a name from before works, and hands it on', async () => {
    const old = await create('Old', '--grant', 'parley:*', '--grant', 'feedback:get_post');
    const store = await openStore({ dataDir: folder.path });
    const grants = JSON.stringify({ parley: ['*'], feedback: ['get_post', 'old_tool'] });
    await store
      .db<{ api_keys: { id: string; grants: string } }>()
      .updateTable('api_keys')
      .set({ grants })
      .where('id', '=', old.id)
      .execute();
    await store.close();
    const acting = ['--key', old.key];
    expect((await runParley(['call', 'parley_whoami', '--data', folder.path, ...acting])).code).toBe(0);
    expect((await create('Child', ...acting)).grants).toMatchObject({ feedback: ['get_post', 'old_tool'] });
    expect((await keys('create', 'X', '--grant', 'feedback:older_tool', ...acting)).code).toBe(1);
  });
});

test.each([
  ['without grants', [], 'may do what its maker may do'],
  ['with one', ['--grant', 'feedback:get_post'], 'may use: feedback:get_post'],
  [
    'with everything',
    ['--grant', '*:*', '--grant', 'feedback:merge_post'],
    'may use: everything feedback:merge_post',
  ],
])('what a new key may do is said in words: %s', async (_name, flags, words) => {
  const { stdout } = await keys('create', 'Words', ...flags);
  expect(stdout.split('\n')[0]).toMatch(
    new RegExp(`^Key "Words" \\(\\w{12}\\) ${words.replaceAll('*', '\\*')}$`),
  );
});

test.each([
  ['a grant without tools', ['create', 'X', '--grant', 'notes'], '--grant'],
  ['a grant without a toolset', ['create', 'X', '--grant', ':a'], '--grant'],
  ['a grant with two colons', ['create', 'X', '--grant', 'notes:a:b'], '--grant'],
  ['an expiry without a unit', ['create', 'X', '--expires', '30'], '--expires'],
  ['an expiry of zero', ['create', 'X', '--expires', '0d'], '--expires'],
  ['an expiry in words', ['create', 'X', '--expires', 'tomorrow'], '--expires'],
  [
    'the role owner',
    ['create', 'X', '--role', 'owner'],
    'without --role a key may do everything its owner may',
  ],
  ['a role that is not there', ['create', 'X', '--role', 'boss'], 'there is no role "boss"'],
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
  await expect.poll(async () => (await callTool(asGone, 'parley_whoami')).status).toBe(401);
  expect((await keys('list')).stdout).toMatch(new RegExp(`^${made.publicId} .* revoked`, 'm'));
});

test('an unknown id is not found, and a revoked key cannot act', async () => {
  const unknown = await keys('revoke', 'key_unknown');
  expect({ code: unknown.code, stderr: unknown.stderr }).toEqual({
    code: 1,
    stderr: 'parley: No such key: key_unknown. "parley keys list" shows them.\n',
  });
  const made = await create('Dead');
  await keys('revoke', made.id);
  const { code, stderr } = await keys('list', '--key', made.key);
  expect(code).toBe(2);
  expect(stderr).toContain('The key is not valid here.');
  expect(stderr).not.toContain(made.key);
});
