/** The mesh as one process has it, over a store that is migrated. */
import { connectionMigrations } from '@parley/connections';
import type { Events, EventsOptions } from '@parley/events';
import { createEvents, eventMigrations } from '@parley/events';
import type { Identity } from '@parley/identity';
import { createIdentity, identityMigrations, roleDefaultsOf } from '@parley/identity';
import { createChangeBus } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import type { MigrationSet, Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { createSandbox, createUpstream, NO_AUTH, NO_ENGINE } from './stand-ins.ts';
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

/** The mesh as one process has it. */
export interface MeshProcess {
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly services: MeshServices;
  readonly host: MeshHost;
  /** What went wrong off the path of a call; `close` throws it. */
  readonly faults: readonly unknown[];
  close(): Promise<void>;
}

/** What a test may choose. */
export interface BedOptions {
  readonly clock?: { nowMs: number };
  /** What the server would inject. */
  readonly parts?: Partial<MeshHost>;
  readonly services?: MeshOptions;
  /** With these, deliveries and schedules run; absent: events wait. */
  readonly events?: Pick<EventsOptions, 'deliver' | 'limits'>;
}

/** For tests of what takes its time from the machine. */
export const MACHINE_CLOCK = {
  get nowMs() {
    return Date.now();
  },
  set nowMs(_at) {
    throw new Error('This clock cannot be turned.');
  },
};

/** A clock that stands still until a test turns it. */
export function standingClock() {
  return { nowMs: Date.UTC(2030, 0, 1) };
}

/** The clock of a bed. */
export function clockOf({ clock = standingClock() }: BedOptions) {
  return clock;
}

/** What one process makes of a store that is migrated. */
export function startMesh(store: Store, options: BedOptions): MeshProcess {
  const clock = clockOf(options);
  const now = () => clock.nowMs;
  const faults: unknown[] = [];
  const onFault = (error: unknown) => {
    faults.push(error);
  };
  const privileged = new Set(meshTools.filter((tool) => tool.privileged).map((tool) => tool.name as string));
  const identity = createIdentity(store, {
    now,
    roleDefaults: roleDefaultsOf([meshToolset]),
    isPrivileged: (resource, tool) => (resource === '*' || resource === MANAGEMENT) && privileged.has(tool),
    known: { [MANAGEMENT]: [...meshTools.map((tool) => tool.name), ...(meshToolset.rights ?? [])] },
    async seed(tx, organizationId) {
      for (const set of BED_MIGRATIONS) await set.seed?.(tx, organizationId);
    },
  });
  const egress = createEgress();
  const tasks = createTaskEngine({ store, now, onFault });
  const events = createEvents({ store, tasks, egress, onFault, now, ...options.events });
  if (options.events !== undefined) {
    tasks.start();
    events.start();
  }
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
    countRequest: () => undefined,
    settings: undefined,
    upstream: createUpstream().upstream,
    connectionAuth: NO_AUTH,
    sandbox: createSandbox().sandbox,
    engine: () => NO_ENGINE,
    ...options.parts,
  };
  return {
    store,
    identity,
    events,
    tasks,
    services: createMeshServices(host, { now, ...options.services }),
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
