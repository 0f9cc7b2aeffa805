/** What each role holds on a fresh server; toolsets declare it, so this table is where a change of it is seen. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../config.ts';
import type { Host } from './host.ts';
import { openHost } from './host.ts';

const WHOAMI = { parley: ['parley_whoami'] };
const OWN_THINGS = [
  'API_KEY_CREATE',
  'API_KEY_DELETE',
  'API_KEY_LIST',
  'API_KEY_UPDATE',
  'COLLECTION_CONNECTIONS_GET',
  'COLLECTION_CONNECTIONS_LIST',
  'COLLECTION_THREADS_CREATE',
  'COLLECTION_THREADS_DELETE',
  'COLLECTION_THREADS_GET',
  'COLLECTION_THREADS_LIST',
  'COLLECTION_THREADS_UPDATE',
  'COLLECTION_THREAD_MESSAGES_LIST',
  'COLLECTION_VIRTUAL_MCP_GET',
  'COLLECTION_VIRTUAL_MCP_LIST',
  'MEMBER_TAGS_GET',
  'ORGANIZATION_GET',
  'ORGANIZATION_LIST',
  'ORGANIZATION_MEMBER_LIST',
  'ORGANIZATION_SETTINGS_GET',
  'PROJECT_GET',
  'PROJECT_LIST',
  'TAGS_LIST',
  'USER_GET',
  // A right of routes: their own credentials for connections that they may use.
  'connection_auth',
];
// Of the tasks that they began.
const OWN_TASKS = { tasks: ['cancel_task', 'get_task', 'list_tasks'] };
const BASE = { self: OWN_THINGS, ...WHOAMI, ...OWN_TASKS };
// The two privileged tools of agents are not in the wildcard of a member.
const TEAM = { agent: ['*'], feedback: ['*'], ...BASE };

const TABLE: readonly { roles: string[]; grants: Grants; asUser: Grants }[] = [
  { roles: ['owner'], grants: { ...ALL_GRANTS, ...BASE }, asUser: WHOAMI },
  { roles: ['admin'], grants: { ...ALL_GRANTS, ...BASE }, asUser: WHOAMI },
  { roles: ['member'], grants: TEAM, asUser: WHOAMI },
  { roles: ['user'], grants: WHOAMI, asUser: WHOAMI },
  { roles: ['support'], grants: { annotations: ['reply'], ...TEAM }, asUser: WHOAMI },
  { roles: ['member', 'support'], grants: { annotations: ['reply'], ...TEAM }, asUser: WHOAMI },
  { roles: ['user', 'support'], grants: { annotations: ['reply'], ...WHOAMI }, asUser: WHOAMI },
  {
    roles: ['admin', 'support'],
    grants: { ...ALL_GRANTS, annotations: ['reply'], ...BASE },
    asUser: WHOAMI,
  },
];

let dataDir: string;
let host: Host;
let owner: Caller;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'parley-roles-'));
  const { config } = loadConfig(['--data', dataDir], { env: {} });
  const onFault = (error: unknown) => {
    throw error;
  };
  host = await openHost({ config, onFault });
  const organizationId = await host.identity.firstOrganizationId();
  const [member] = await host.identity.listMembers(organizationId);
  const powers = { roles: ['owner'], grants: ALL_GRANTS, source: 'key', unattended: false } as const;
  owner = { id: 'founder', name: 'Founder', organizationId, userId: member?.userId ?? null, ...powers };
  await host.identity.roles.save(owner, { name: 'support', grants: { annotations: ['reply'] } });
});

afterAll(async () => {
  await host.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test.each(TABLE)('$roles', async ({ roles, grants, asUser }) => {
  const { identity } = host;
  const userId = await identity.createUser({ name: 'Somebody', email: null });
  await identity.addMember(owner, { userId, roles });
  const key = { grants: ALL_GRANTS, expiresAt: null };
  const as = { ...owner, userId };
  const whole = await identity.createKey(as, { name: `all of ${roles.join()}`, ...key });
  const narrow = await identity.createKey(as, { name: `narrow ${roles.join()}`, ...key, role: 'user' });
  expect((await identity.authenticate(whole.text, 'key'))?.grants).toEqual(grants);
  expect((await identity.authenticate(narrow.text, 'key'))?.grants).toEqual(asUser);
});
