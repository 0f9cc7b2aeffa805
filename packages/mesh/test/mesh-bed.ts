/** The mesh over a database of either engine: two organizations with somebody of every role, for the tests of all its parts. */
import { connectionMigrations } from '@parley/connections';
import { createEvents, eventMigrations } from '@parley/events';
import type { Events } from '@parley/events';
import { createIdentity, identityMigrations, roleDefaultsOf } from '@parley/identity';
import type { Identity } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, createChangeBus } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { connect, testCaller } from '@parley/kit/testing';
import type { Attempt } from '@parley/kit/testing';
import type { AnyTables, MigrationSet, Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import type { TaskEngine } from '@parley/tasks';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { afterAll, beforeAll, describe } from 'vitest';
import { NO_ENGINE, NO_SANDBOX, NO_UPSTREAM } from './no-parts.ts';
import { meshMigrations } from '../src/migrations/index.ts';
import { MANAGEMENT } from '../src/name.ts';
import type { MeshOptions, MeshServices } from '../src/services/index.ts';
import { createMeshServices } from '../src/services/index.ts';
import type { MeshHost } from '../src/toolset.ts';
import { meshToolset } from '../src/toolset.ts';
import { meshTools } from '../src/tools/index.ts';

/** What a store needs before the mesh runs on it. */
export const BED_MIGRATIONS: MigrationSet[] = [
  identityMigrations,
  taskMigrations,
  eventMigrations,
  connectionMigrations,
  meshMigrations,
];

/** What the custom role of the bed may do besides what every member may. */
export const CURATOR_GRANTS: Grants = { [MANAGEMENT]: ['TAGS_CREATE', 'TAGS_DELETE', 'MEMBER_TAGS_SET'] };

/** Somebody of an organization, acting with a key that may do all that they may. */
export interface BedPerson {
  readonly caller: Caller;
  readonly userId: string;
  readonly memberId: string;
}

/** One organization; `curator` has the custom role, and `colleague` is a second member. */
export interface BedOrganization {
  readonly id: string;
  readonly slug: string;
  readonly owner: BedPerson;
  readonly admin: BedPerson;
  readonly member: BedPerson;
  readonly colleague: BedPerson;
  readonly curator: BedPerson;
}

/** An answer as a client reads it: whole, to compare byte for byte, and how the call ended. */
export interface BedAnswer {
  readonly raw: string;
  readonly end: Attempt<Record<string, unknown>, string> | { readonly refused: string };
}

/** The mesh under test. */
export interface MeshBed {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly services: MeshServices;
  /** The time that everything goes by; it stands still until a test turns it. */
  readonly clock: { nowMs: number };
  /** A visitor of `acme` whose key may do all that they may. */
  readonly visitor: Caller;
  readonly acme: BedOrganization;
  readonly rival: BedOrganization;
  /** The caller behind a new key of somebody with these grants. */
  callerWith(person: BedPerson, grants: Grants): Promise<Caller>;
  /** Calls a tool whose input is not looked at by the compiler; `unknown tool` is an answer too. */
  ask(as: Caller, tool: string, input?: Record<string, unknown>): Promise<BedAnswer>;
  /** The output of a call that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into outputs of every shape
  call(as: Caller, tool: string, input?: Record<string, unknown>): Promise<any>;
  /** The code that a call fails with; `unknown` when the tool is not there for the caller. */
  codeOf(as: Caller, tool: string, input?: Record<string, unknown>): Promise<string>;
  toolNames(as: Caller): Promise<string[]>;
  /** Every row of every table, to see that nothing has changed. */
  content(): Promise<string>;
  close(): Promise<void>;
}

/** What a test may choose. */
export interface BedOptions {
  readonly clock?: { nowMs: number };
  /** What the server would inject. */
  readonly parts?: Partial<MeshHost>;
  readonly services?: MeshOptions;
}

/** Runs a suite once per database; all its tests share one bed. `made` gives what stands in for other parts. */
export function onBothMeshes(
  name: string,
  suite: (bed: () => MeshBed, engine: StoreEngine) => void,
  made: () => Omit<BedOptions, 'clock'> = () => ({}),
): void {
  describe.each<StoreEngine>(['sqlite', 'postgres'])(`${name} on %s`, (engine) => {
    let bed: MeshBed | undefined;
    let remove = async () => {};
    beforeAll(async () => {
      const database = await scratchDatabase(engine, BED_MIGRATIONS);
      ({ remove } = database);
      const clock = { nowMs: Date.UTC(2030, 0, 1) };
      const store = await openStore({ ...database.options, clock: () => clock.nowMs });
      bed = await openMesh(store, { clock, ...made() });
    });
    afterAll(async () => {
      await bed?.close();
      await bed?.store.close();
      await remove();
    });
    suite(() => {
      if (bed === undefined) throw new Error('The bed is not made before its tests run.');
      return bed;
    }, engine);
  });
}

/** Migrates a store and makes the mesh on it, with both organizations. */
export async function openMesh(store: Store, options: BedOptions = {}): Promise<MeshBed> {
  const { clock = { nowMs: Date.UTC(2030, 0, 1) } } = options;
  const now = () => clock.nowMs;
  const onFault = (error: unknown) => {
    throw error;
  };
  await store.migrate(BED_MIGRATIONS);
  const names = meshTools.map((tool) => tool.name);
  const privileged = new Set(meshTools.filter((tool) => tool.privileged).map((tool) => tool.name as string));
  const identity = createIdentity(store, {
    now,
    roleDefaults: roleDefaultsOf([meshToolset]),
    isPrivileged: (resource, tool) => (resource === '*' || resource === MANAGEMENT) && privileged.has(tool),
    known: { [MANAGEMENT]: names },
    async seed(tx, organizationId) {
      for (const set of BED_MIGRATIONS) await set.seed?.(tx, organizationId);
    },
  });
  const egress = createEgress();
  const tasks = createTaskEngine({ store, now, onFault });
  const events = createEvents({ store, tasks, egress, onFault, now });
  const stops: (() => Promise<void>)[] = [];
  const host: MeshHost = {
    store,
    identity,
    events,
    tasks,
    changes: createChangeBus(),
    observe: () => undefined,
    onFault,
    onStop: (work) => {
      stops.push(work);
    },
    names: { hosts: [], origins: [] },
    web: { publicUrl: undefined, trustedProxies: [] },
    settings: undefined,
    upstream: NO_UPSTREAM,
    sandbox: NO_SANDBOX,
    engine: () => NO_ENGINE,
    ...options.parts,
  };
  const services = createMeshServices(host, { now, ...options.services });
  const clients = new Map<Caller, ReturnType<typeof connectAs>>();
  const connectAs = (as: Caller) => connect(meshToolset, { services, as });
  const clientOf = (as: Caller) => {
    const known = clients.get(as) ?? connectAs(as);
    clients.set(as, known);
    return known;
  };
  const callerWith = (person: BedPerson, grants: Grants) => callerOf(identity, person.caller, grants);
  const ask: MeshBed['ask'] = async (as, tool, input = {}) => {
    const client = await clientOf(as);
    return client.raw.callTool({ name: tool, arguments: input }).then(
      (result) => {
        const text = result.content[0]?.type === 'text' ? result.content[0].text : '';
        const value = (result.structuredContent ?? {}) as Record<string, unknown>;
        const code = String(result._meta?.['dev.parley/code']);
        const data = result._meta?.['dev.parley/data'];
        const message = text.replace(/^Error: /, '');
        return {
          raw: JSON.stringify(result),
          end: result.isError === true ? { ok: false, code, message, data } : { ok: true, value, text },
        };
      },
      (error: Error) => ({ raw: error.message, end: { refused: error.message } }),
    );
  };
  const acme = await settle(identity, 'acme');
  return {
    store,
    identity,
    events,
    tasks,
    services,
    clock,
    visitor: await visitorOf(identity, acme),
    acme,
    rival: await settle(identity, 'rival'),
    callerWith,
    ask,
    async call(as, tool, input) {
      const { raw, end } = await ask(as, tool, input);
      if (!('ok' in end) || !end.ok) throw new Error(`${tool} failed: ${raw}`);
      return end.value;
    },
    async codeOf(as, tool, input) {
      const { end } = await ask(as, tool, input);
      if (!('ok' in end)) return end.refused.includes(`Unknown tool: ${tool}`) ? 'unknown' : end.refused;
      return end.ok ? 'ok' : end.code;
    },
    toolNames: async (as) => (await clientOf(as)).toolNames(),
    content: () => contentOf(store),
    async close() {
      for (const client of clients.values()) await (await client).close();
      for (const stop of stops) await stop();
      await events.stop();
      await tasks.stop();
      await egress.close();
      identity.close();
    },
  };
}

async function callerOf(identity: Identity, by: Caller, grants: Grants): Promise<Caller> {
  const { text } = await identity.createKey(by, { name: 'Key', grants, expiresAt: null });
  const caller = await identity.authenticate(text, 'key');
  if (caller === undefined) throw new Error('A new key is not accepted.');
  return caller;
}

async function settle(identity: Identity, slug: string): Promise<BedOrganization> {
  const owner = { name: 'Ada Owner', email: `ada@${slug}.example` };
  const made = await identity.createOrganization({ slug, name: slug, owner });
  const founder = testCaller({ ...made, roles: ['owner'], grants: ALL_GRANTS });
  const personOf = async (userId: string): Promise<BedPerson> => {
    const member = await identity.memberOf(made.organizationId, userId);
    if (member === undefined) throw new Error('Somebody of the bed is not a member.');
    const caller = await callerOf(identity, { ...founder, userId }, ALL_GRANTS);
    return { caller, userId, memberId: member.id };
  };
  const join = async (name: string, role: string): Promise<BedPerson> => {
    const email = `${name.toLowerCase()}@${slug}.example`;
    const userId = await identity.ensureUser({ email, name });
    await identity.addMember(founder, { userId, roles: [role] });
    return personOf(userId);
  };
  await identity.roles.save(founder, { name: 'curator', grants: CURATOR_GRANTS });
  return {
    id: made.organizationId,
    slug,
    owner: await personOf(made.userId),
    admin: await join('Alex', 'admin'),
    member: await join('Mia', 'member'),
    colleague: await join('Cem', 'member'),
    curator: await join('Cora', 'curator'),
  };
}

async function visitorOf(identity: Identity, { owner }: BedOrganization): Promise<Caller> {
  const userId = await identity.ensureUser({ email: 'vic@visitors.example', name: 'Vic' });
  await identity.addMember(owner.caller, { userId, roles: ['user'] });
  return callerOf(identity, { ...owner.caller, userId }, ALL_GRANTS);
}

async function contentOf(store: Store): Promise<string> {
  const db = store.db<AnyTables>();
  const tables = await db.introspection.getTables();
  const parts = await Promise.all(
    tables.map(async ({ name }) => {
      const rows = await db.selectFrom(name).selectAll().execute();
      return `${name}\n${rows
        .map((row) => JSON.stringify(row))
        .toSorted()
        .join('\n')}`;
    }),
  );
  return parts.toSorted().join('\n');
}
