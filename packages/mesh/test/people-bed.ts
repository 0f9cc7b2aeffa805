/** Two organizations with people of every role, for the tests of the tools on people. */
import { connectionMigrations } from '@parley/connections';
import { createEvents, eventMigrations } from '@parley/events';
import type { Identity } from '@parley/identity';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect, testCaller } from '@parley/kit/testing';
import type { MigrationSet, Store } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { sql } from 'kysely';
import { NO_SANDBOX, NO_UPSTREAM } from './no-parts.ts';
import { meshMigrations } from '../src/migrations/index.ts';
import { createMeshServices } from '../src/services/index.ts';
import { MEMBER_TOOLS } from '../src/tools/member-tools.ts';
import { meshTools } from '../src/tools/index.ts';
import { meshToolset } from '../src/toolset.ts';

export const BED_MIGRATIONS: MigrationSet[] = [
  identityMigrations,
  taskMigrations,
  eventMigrations,
  connectionMigrations,
  meshMigrations,
];

/** A person of the bed, acting with a key of theirs. */
export interface Person {
  readonly userId: string;
  readonly memberId: string;
  readonly key: string;
  readonly keyId: string;
  readonly caller: Caller;
}

type Client = Awaited<ReturnType<typeof connectAs>>;

export interface PeopleBed {
  readonly store: Store;
  readonly identity: Identity;
  readonly owner: Person;
  /** Alone in the other organization. */
  readonly stranger: Person;
  join(roles: readonly string[], grants?: Grants): Promise<Person>;
  /** A key of somebody with these grants. */
  keyOf(maker: Caller, grants: Grants): Promise<Person>;
  /** The tools as somebody has them now. */
  as(person: Pick<Person, 'key'>): Promise<Client>;
  /** Everything that the database holds. */
  contents(): Promise<string>;
  close(): Promise<void>;
}

function connectAs(services: ReturnType<typeof createMeshServices>, caller: Caller) {
  return connect(meshToolset, { as: caller, services });
}

/** Migrates the store and puts people into it. */
export async function createPeopleBed(store: Store): Promise<PeopleBed> {
  await store.migrate(BED_MIGRATIONS);
  const privileged = new Set(meshTools.flatMap((tool) => ('privileged' in tool ? [tool.name] : [])));
  const identity = createIdentity(store, {
    isPrivileged: (_resource, tool) => privileged.has(tool as (typeof meshTools)[number]['name']),
    roleDefaults: { member: { self: MEMBER_TOOLS }, user: {} },
    async seed(tx, organizationId) {
      for (const set of BED_MIGRATIONS) await set.seed?.(tx, organizationId);
    },
  });
  const onFault = (error: unknown): never => {
    throw error;
  };
  const tasks = createTaskEngine({ store, onFault });
  const events = createEvents({ store, tasks, egress: createEgress(), onFault });
  const services = createMeshServices({
    store,
    identity,
    events,
    upstream: NO_UPSTREAM,
    sandbox: NO_SANDBOX,
  });
  const clients: Client[] = [];

  async function keyOf(maker: Caller, grants: Grants): Promise<Person> {
    const { text, info } = await identity.createKey(maker, { name: 'Key', grants, expiresAt: null });
    const caller = await identity.authenticate(text, 'key');
    const member = await identity.memberOf(maker.organizationId, info.userId);
    if (caller === undefined || member === undefined) throw new Error('The key does not work.');
    return { userId: info.userId, memberId: member.id, key: text, keyId: info.id, caller };
  }

  async function found(slug: string, name: string): Promise<Person> {
    const owner = { name, email: `${name.toLowerCase()}@${slug}.example` };
    const made = await identity.createOrganization({ slug, name: slug, owner });
    return keyOf(testCaller({ ...made, id: made.userId }), ALL_GRANTS);
  }

  const owner = await found('acme', 'Ada');
  const stranger = await found('other', 'Olga');
  let joined = 0;
  return {
    store,
    identity,
    owner,
    stranger,
    keyOf,
    async join(roles, grants = ALL_GRANTS) {
      const email = `person${(joined += 1)}@acme.example`;
      const userId = await identity.ensureUser({ email, name: `Person ${joined}` });
      await identity.addMember(owner.caller, { userId, roles });
      return keyOf({ ...owner.caller, id: userId, userId }, grants);
    },
    async as({ key }) {
      const caller = await identity.authenticate(key, 'key');
      if (caller === undefined) throw new Error('This key is not valid any more.');
      const client = await connectAs(services, caller);
      clients.push(client);
      return client;
    },
    contents: () => contentsOf(store),
    async close() {
      await Promise.all(clients.map((client) => client.close()));
      identity.close();
    },
  };
}

async function contentsOf(store: Store): Promise<string> {
  const tables = await store.db<Record<string, object>>().introspection.getTables();
  const parts: unknown[] = [];
  for (const { name } of tables.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name === 'parley_probe') continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(store.db());
    // Keys note when they were used, off the path of the call.
    parts.push(
      name,
      rows.map((row) => ({ ...(row as object), last_used_at: null })),
    );
  }
  return JSON.stringify(parts);
}
