/** One server with two organizations and somebody of every role, for the deny table of the house. */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { testCaller } from '@parley/kit/testing';
import type { App } from '../../apps/server/src/app.ts';
import { createApp } from '../../apps/server/src/app.ts';
import { loadConfig } from '../../apps/server/src/config.ts';
import type { Answer } from './mcp-messages.ts';
import type { TableAgents } from './deny-agents.ts';
import { keyOfAgent, makeAgents } from './deny-agents.ts';
import { message, post } from './mcp-messages.ts';
import { scratchFolder } from './parley.ts';

/** What the custom role may do besides what every member may. */
const CURATOR_GRANTS: Grants = {
  self: ['TAGS_CREATE', 'TAGS_DELETE', 'MEMBER_TAGS_SET'],
  annotations: ['get_pending'],
};

export const ROLES = ['visitor', 'member', 'curator', 'admin', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The server, and who is there. */
export interface DenyBed {
  readonly app: App;
  readonly url: string;
  readonly organizationId: string;
  /** A key of somebody of each role that may do all they may. */
  readonly keys: Readonly<Record<Role, string>>;
  /** The caller behind a key of the owner, or of the member, that names every tool. */
  readonly naming: Readonly<Record<'owner' | 'member', Caller>>;
  /** A key of the owner that names every tool. */
  readonly all: string;
  /** The same of the owner of the other organization. */
  readonly rival: string;
  /** Agents of the owner, whose lists name every tool of agents. */
  readonly agents: TableAgents;
  /** The same of the owner of the other organization. */
  readonly rivalAgents: TableAgents;
  /** The caller behind a key of the first agent, and of one without a list that is the owner's or the member's. */
  readonly acting: Readonly<Record<'listing' | 'agent' | 'member', Caller>>;
  /** A key of the owner with these grants. */
  keyWith(grants: Grants): Promise<string>;
  /** The token of an open invitation. */
  readonly invitation: string;
  /** The names of all tools, by toolset. */
  readonly tools: Readonly<Record<string, readonly string[]>>;
  list(key: string | undefined): Promise<string[]>;
  call(
    key: string | undefined,
    name: string,
    args?: Record<string, unknown>,
  ): Promise<{ status: number; text: string; body: Answer }>;
  /** One more process of the server, which offers the first agent to other servers. */
  offering(): Promise<{ app: App; url: string }>;
  close(): Promise<void>;
}

export async function openDenyBed(): Promise<DenyBed> {
  const folder = scratchFolder();
  const rates = ['--api-rate', '100000', '--rate', '100000', '--rate-burst', '100000'];
  const flags = ['--port', '0', '--log-level', 'silent', '--data', folder.path, ...rates];
  const consoleFiles = `${folder.path}/console`;
  mkdirSync(consoleFiles);
  for (const name of ['index.html', 'app-frame.html'])
    writeFileSync(`${consoleFiles}/${name}`, '<!doctype html>');
  const apps: App[] = [];
  const start = async (more: readonly string[] = []) => {
    const { config } = loadConfig([...flags, ...more], { env: {} });
    const app = await createApp({ config, consoleFiles });
    apps.unshift(app);
    return { app, ...(await app.listen()) };
  };
  const { app, url, mcp } = await start();
  const { identity } = app.host;
  const { common } = app.host.engine();
  const tools = Object.fromEntries(
    Object.entries(Object.groupBy(common.tools, ({ toolset }) => toolset)).map(([toolset, list = []]) => [
      toolset,
      list.map(({ name }) => name),
    ]),
  );
  // The wildcard gives what nobody has to name.
  const everyName: Grants = {
    '*': ['*'],
    ...Object.fromEntries(Object.entries(tools).map(([toolset, names]) => [toolset, [...names, '*']])),
  };
  const keyFor = async (founder: Caller, userId: string, grants: Grants) =>
    (await identity.createKey({ ...founder, userId }, { name: 'Table', grants, expiresAt: null })).text;
  const callerOf = async (key: string) => {
    const caller = await identity.authenticate(key, 'key');
    if (caller === undefined) throw new Error('A new key is not accepted.');
    return caller;
  };

  const organizationId = await identity.firstOrganizationId();
  const [first] = await identity.listMembers(organizationId);
  const founder = testCaller({ organizationId, userId: first?.userId ?? '', roles: ['owner'] });
  await identity.roles.save(founder, { name: 'curator', grants: CURATOR_GRANTS });
  const join = async (role: Role) => {
    const userId = await identity.ensureUser({ email: `${role}@acme.example`, name: `Acme ${role}` });
    await identity.addMember(founder, { userId, roles: [role === 'visitor' ? 'user' : role] });
    return userId;
  };
  const people: Record<Role, string> = {
    visitor: await join('visitor'),
    member: await join('member'),
    curator: await join('curator'),
    admin: await join('admin'),
    owner: founder.userId ?? '',
  };
  const owner = { name: 'Rita Rival', email: 'rita@rival.example' };
  const other = await identity.createOrganization({ slug: 'rival', name: 'Rival', owner });
  const stranger = testCaller({ ...other, roles: ['owner'] });
  const invited = await identity.invitations.create(founder, {
    email: 'new@acme.example',
    roles: ['member'],
  });

  const keyEntries = ROLES.map(
    async (role) => [role, await keyFor(founder, people[role], ALL_GRANTS)] as const,
  );
  const keys = Object.fromEntries(await Promise.all(keyEntries)) as Record<Role, string>; // one for each role
  const rival = await keyFor(stranger, other.userId, everyName);
  const agents = await makeAgents(url, keys.owner, tools['agent'] ?? []);
  return {
    app,
    url,
    organizationId,
    keys,
    agents,
    rivalAgents: await makeAgents(url, rival, tools['agent'] ?? []),
    acting: {
      listing: await callerOf(agents.key),
      agent: await callerOf(await keyOfAgent(url, keys.owner, 'Plain agent')),
      member: await callerOf(await keyOfAgent(url, keys.member, 'Agent of a member')),
    },
    naming: {
      owner: await callerOf(await keyFor(founder, people.owner, tools)),
      member: await callerOf(await keyFor(founder, people.member, tools)),
    },
    all: await keyFor(founder, people.owner, everyName),
    rival,
    keyWith: (grants) => keyFor(founder, people.owner, grants),
    invitation: invited.token,
    tools,
    async list(key) {
      const { body } = await post(mcp, key, message(1, 'tools/list'));
      return (body.result?.tools ?? []).map(({ name }) => name);
    },
    call: (key, name, args = {}) => post(mcp, key, message(1, 'tools/call', { name, arguments: args })),
    offering: () => start(['--a2a', 'on', '--a2a-agent', 'First agent']),
    async close() {
      for (const each of apps) await each.close();
      folder[Symbol.dispose]();
    },
  };
}
