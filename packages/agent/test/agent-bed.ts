/** The agent toolset over a database of either engine: two organizations with people and agents, for the tests of all its parts. */
import type { EventsOptions } from '@parley/events';
import { createEvents, eventMigrations } from '@parley/events';
import type { Identity } from '@parley/identity';
import { createIdentity, identityMigrations, roleDefaultsOf } from '@parley/identity';
import type { BedOrganization } from '@parley/identity/testing';
import { settle } from '@parley/identity/testing';
import type { Caller } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import type { ConnectOptions, TestClient } from '@parley/kit/testing';
import { connect } from '@parley/kit/testing';
import type { MigrationSet, Store, StoreEngine } from '@parley/store';
import { openStore } from '@parley/store';
import { scratchDatabase } from '@parley/store/testing';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import type { TaskEngine, TaskLimits } from '@parley/tasks';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { agentMigrations } from '../src/migrations/index.ts';
import { AGENT } from '../src/name.ts';
import type { NewAgent } from '../src/services/agents.ts';
import type { AgentServices } from '../src/services/index.ts';
import type { AgentOptions } from '../src/services/options.ts';
import { createAgentServices } from '../src/services/index.ts';
import type { agentTools } from '../src/tools/index.ts';
import { AGENT_TOOLS } from '../src/tools/sets.ts';
import type { AgentHost } from '../src/toolset.ts';
import { agentToolset } from '../src/toolset.ts';
import { bareHost } from './bare-host.ts';

/** What a store needs before the toolset runs on it. */
export const BED_MIGRATIONS: MigrationSet[] = [
  identityMigrations,
  taskMigrations,
  eventMigrations,
  agentMigrations,
];

/** The tools as an agent has them, with the types of their inputs and outputs. */
export type AgentClient = TestClient<typeof agentTools>;

/** An agent that acts with its key. */
export interface BedAgent {
  readonly id: string;
  readonly name: string;
  readonly key: string;
  readonly caller: Caller;
}

/** The toolset as one process has it. */
export interface AgentProcess {
  readonly store: Store;
  readonly identity: Identity;
  readonly tasks: TaskEngine;
  readonly services: AgentServices;
  readonly host: AgentHost;
  /** What went wrong off the path of a call; `close` throws it. */
  readonly faults: unknown[];
  close(): Promise<void>;
}

/** What a test may choose. */
export interface BedOptions {
  readonly clock?: { nowMs: number };
  /** What the server would inject. */
  readonly parts?: Partial<AgentHost>;
  readonly services?: AgentOptions;
  /** With these, deliveries, schedules and tasks run; absent: they wait. */
  readonly events?: Pick<EventsOptions, 'deliver' | 'limits'>;
  readonly tasks?: Partial<TaskLimits>;
}

/** The toolset under test. */
export interface AgentBed extends AgentProcess {
  /** The time that everything goes by; it stands still until a test turns it. */
  readonly clock: { nowMs: number };
  /** The folder of the database. */
  readonly dataDir: string;
  readonly acme: BedOrganization;
  readonly rival: BedOrganization;
  /** A new agent, made by somebody. */
  agent(maker: Caller, input?: Partial<NewAgent>): Promise<BedAgent>;
  /** A client that acts as somebody. */
  client(as: Caller, options?: Omit<ConnectOptions<AgentServices>, 'as'>): Promise<AgentClient>;
}

/** A test that is there for one of the databases. */
export type Once = (title: string, work: () => Promise<void>, timeoutMs?: number) => void;

export function standingClock() {
  return { nowMs: Date.UTC(2030, 0, 1) };
}

/**
 * Tests on a bed. `replica` is one more process on its database, and `once` a test for one database alone: it is about
 * programs, servers or code that no database has a part in.
 */
type BedSuite = (bed: () => AgentBed, replica: () => Promise<AgentProcess>, once: Once) => void;

/** Runs a suite once per database; all its tests share one bed. */
export function onBothBeds(name: string, suite: BedSuite, made?: () => BedOptions): void {
  onBeds(['sqlite', 'postgres'], name, suite, made);
}

/** The same on one database, for what does not depend on it. */
export function onOneBed(name: string, suite: BedSuite, made?: () => BedOptions): void {
  onBeds(['sqlite'], name, suite, made);
}

function onBeds(
  engines: readonly StoreEngine[],
  name: string,
  suite: BedSuite,
  made: () => BedOptions = () => ({}),
): void {
  describe.each(engines)(`${name} on %s`, (engine) => {
    let bed: AgentBed | undefined;
    const ends: (() => Promise<unknown>)[] = [];
    let open = async (): Promise<Store> => Promise.reject(new Error('There is no database yet.'));
    const options = { clock: standingClock(), ...made() };
    beforeAll(async () => {
      const database = await scratchDatabase(engine, BED_MIGRATIONS);
      ends.push(database.remove);
      open = async () => {
        const store = await openStore({ ...database.options, clock: () => options.clock.nowMs });
        ends.push(() => store.close());
        return store;
      };
      const own = (bed = await openBed(await open(), database.options.dataDir, options));
      ends.push(() => own.close());
    });
    afterAll(async () => {
      for (const end of ends.toReversed()) await end();
    });
    const replica = async () => {
      const process = startAgents(await open(), options);
      ends.push(() => process.close());
      return process;
    };
    const ownBed = () => {
      if (bed === undefined) throw new Error('The bed is not made before its tests run.');
      return bed;
    };
    suite(ownBed, replica, engine === 'sqlite' ? test : () => undefined);
  });
}

async function openBed(
  store: Store,
  dataDir: string,
  options: BedOptions & { clock: { nowMs: number } },
): Promise<AgentBed> {
  await store.migrate(BED_MIGRATIONS);
  const process = startAgents(store, options);
  const { identity, services } = process;
  let count = 0;
  return {
    ...process,
    clock: options.clock,
    dataDir,
    acme: await settle(identity, 'acme'),
    rival: await settle(identity, 'rival'),
    async agent(maker, input = {}) {
      count += 1;
      const { agent, key } = await services.agents.create(maker, { name: `Agent ${count}`, ...input });
      const caller = await identity.authenticate(key, 'key');
      if (caller === undefined) throw new Error('The key of a new agent is not accepted.');
      return { id: agent.id, name: agent.name, key, caller };
    },
    client: (as, more = {}) =>
      connect(agentToolset, { services, sources: [services.plugins.source], ...more, as }),
  };
}

// A turn of days takes no task from whoever runs it.
const LONG_MS = 1000 * 24 * 60 * 60_000;

/** What one process makes of a store that is migrated. */
export function startAgents(store: Store, options: BedOptions & { clock: { nowMs: number } }): AgentProcess {
  const now = () => options.clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => {
    faults.push(error);
  };
  const privileged = new Set(AGENT_TOOLS.filter((tool) => tool.privileged).map(({ name }) => name));
  const identity = createIdentity(store, {
    now,
    roleDefaults: roleDefaultsOf([agentToolset]),
    isPrivileged: (resource, tool) => (resource === '*' || resource === AGENT) && privileged.has(tool),
    async seed(tx, organizationId) {
      for (const set of BED_MIGRATIONS) await set.seed?.(tx, organizationId);
    },
  });
  const egress = createEgress({ allow: ['127.0.0.1'] });
  const tasks = createTaskEngine({ store, now, onFault, limits: { leaseMs: LONG_MS, ...options.tasks } });
  const events = createEvents({ store, tasks, egress, onFault, now, ...options.events });
  const stops: (() => Promise<void>)[] = [];
  const host = bareHost({
    store,
    identity,
    events,
    tasks,
    egress,
    onFault,
    onStop: (work) => {
      stops.push(work);
    },
    ...options.parts,
  });
  const services = createAgentServices(host, { now, ...options.services });
  if (options.events !== undefined) {
    tasks.start();
    events.start();
  }
  return {
    store,
    identity,
    tasks,
    services,
    host,
    faults,
    async close() {
      for (const stop of stops) await stop();
      await events.stop();
      await tasks.stop();
      await egress.close();
      identity.close();
      if (faults.length > 0) throw new AggregateError(faults, 'Something failed off the path of a call.');
    },
  };
}
