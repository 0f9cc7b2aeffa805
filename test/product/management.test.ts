/** The management tools of a started server: what its owner sees, and what nobody sees without a valid key. */
import { createIdentity } from '@parley/identity';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import { openStore } from '@parley/store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requiredTools } from '../house/management-tools.ts';
import { ensureBuilt } from './build.ts';
import { message, post } from './mcp-messages.ts';
import type { Server } from './parley.ts';
import { scratchFolder, startParley } from './parley.ts';

const REQUIRED = requiredTools();

interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly annotations: Readonly<Record<string, unknown>>;
}

const folder = scratchFolder();
let server: Server;
let self: string;
let expired: string;
let listed: ListedTool[];

beforeAll(async () => {
  await ensureBuilt();
  server = await startParley(folder.path);
  self = `${server.mcp}/self`;
  expired = await expiredKey(folder.path);
  const { text } = await post(self, server.key, message(1, 'tools/list'));
  listed = (JSON.parse(text) as { result: { tools: ListedTool[] } }).result.tools;
});
afterAll(async () => {
  await server.stop();
  folder[Symbol.dispose]();
});

/** The owner's power in a key whose time is over. */
async function expiredKey(dataDir: string): Promise<string> {
  const onError = (error: unknown) => {
    throw error;
  };
  const store = await openStore({ dataDir, onError });
  const long = Date.now() - 86_400_000;
  const identity = createIdentity(store, { onError, now: () => long });
  try {
    const organizationId = await identity.firstOrganizationId();
    const [owner] = await identity.listMembers(organizationId);
    const maker = testCaller({ organizationId, userId: owner?.userId ?? '' });
    const key = { name: 'Old', grants: ALL_GRANTS, expiresAt: long + 3_600_000 };
    return (await identity.createKey(maker, key)).text;
  } finally {
    identity.close();
    await store.close();
  }
}

/** A key of the owner, narrowed. */
async function newKey(role: string, grants: Record<string, string[]>): Promise<string> {
  const answer = await fetch(`${server.url}/api/v1/keys`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Narrow', role, grants }),
  });
  return ((await answer.json()) as { data: { key: string } }).data.key;
}

const EFFECTS: Readonly<Record<string, string>> = {
  'true false true': 'read',
  'false false false': 'create',
  'false false true': 'update',
  'false true true': 'delete',
  'false true false': 'run',
};

function effectOf({ annotations }: ListedTool): string | undefined {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations;
  return EFFECTS[[readOnlyHint, destructiveHint, idempotentHint].map(String).join(' ')];
}

test('check 1: the owner’s list at /mcp/self has every tool, with its effect by its hints and its title', () => {
  expect(listed.map((tool) => `${tool.name} ${effectOf(tool)}`).toSorted()).toEqual(
    REQUIRED.map(({ name, effect }) => `${name} ${effect}`).toSorted(),
  );
  for (const { name, title, annotations } of listed) {
    expect(title, name).toMatch(/^[A-Z]/);
    expect(annotations, name).toEqual({
      title,
      readOnlyHint: expect.any(Boolean),
      destructiveHint: expect.any(Boolean),
      idempotentHint: expect.any(Boolean),
      openWorldHint: expect.any(Boolean),
    });
  }
});

test('check 2: exactly the external tools have openWorldHint', () => {
  const open = listed.filter(({ annotations }) => annotations['openWorldHint'] === true);
  expect(open.map(({ name }) => name).toSorted()).toEqual(
    REQUIRED.filter(({ external }) => external)
      .map(({ name }) => name)
      .toSorted(),
  );
});

test('check 39: /api/tools/management has the same tools, each in its category', async () => {
  const ask = (key?: string) =>
    fetch(`${server.url}/api/tools/management`, {
      headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    });
  const answer = await ask(server.key);
  expect(answer.status).toBe(200);
  const { tools, grouped } = (await answer.json()) as {
    tools: Record<string, unknown>[];
    grouped: Record<string, string[]>;
  };
  const factsOf = ({ name, category, privileged }: Record<string, unknown>) =>
    JSON.stringify([name, category, privileged]);
  expect(tools.map(factsOf).toSorted()).toEqual(REQUIRED.map((tool) => factsOf({ ...tool })).toSorted());
  expect(tools).toContainEqual({
    name: 'TAGS_DELETE',
    title: 'Delete Tag',
    description: 'Deletes a tag and takes it off every member.',
    category: 'Tags',
    privileged: true,
    label: 'Delete Tag (dangerous)',
  });
  expect(grouped['Tags']).toEqual([
    'MEMBER_TAGS_GET',
    'MEMBER_TAGS_SET',
    'TAGS_CREATE',
    'TAGS_DELETE',
    'TAGS_LIST',
  ]);
  expect([(await ask()).status, (await ask(expired)).status]).toEqual([401, 401]);
  const visitor = await newKey('user', {});
  const other = await newKey('admin', { self: ['TAGS_LIST'] });
  expect([(await ask(visitor)).status, (await ask(other)).status]).toEqual([403, 403]);
});

test('without a key, or with an expired one, every tool answers 401 as an unknown one does', async () => {
  for (const key of [undefined, expired]) {
    const called = async (name: string) => {
      const { status, text } = await post(self, key, message(1, 'tools/call', { name, arguments: {} }));
      return `${status} ${text.replaceAll(name, 'TOOL')}`;
    };
    const nothing = await called('NO_SUCH_TOOL');
    expect(nothing).toMatch(/^401 /);
    for (const { name } of REQUIRED) {
      const answer = await called(name);
      // Whoever guesses keys is soon told to wait, whatever they ask for.
      if (key === undefined || !answer.startsWith('429 ')) expect(answer).toBe(nothing);
    }
  }
});

test('a project, a tag and a thread are made and found again over HTTP', async () => {
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { body } = await post(self, server.key, message(1, 'tools/call', { name, arguments: args }));
    return body.result;
  };
  expect(await call('TAGS_CREATE', { name: 'Berlin' })).not.toHaveProperty('isError', true);
  expect(await call('TAGS_LIST')).toMatchObject({ structuredContent: { tags: [{ name: 'Berlin' }] } });
  const thread = await call('COLLECTION_THREADS_CREATE', { data: { title: 'Plans' } });
  expect(thread).toMatchObject({ structuredContent: { item: { title: 'Plans', status: 'completed' } } });
  expect(await call('PROJECT_LIST', { organizationId: 'org_random' })).toMatchObject({ isError: true });
});
