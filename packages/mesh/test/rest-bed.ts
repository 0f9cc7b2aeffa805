/** The management routes of one replica on a real port, with keys of two organizations. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEvents, eventMigrations } from '@parley/events';
import { createRouteTable } from '@parley/http';
import type { RestOptions } from '@parley/http/rest';
import { createIdentity, identityMigrations } from '@parley/identity';
import type { Caller, Grants } from '@parley/kit';
import { ALL_GRANTS, createChangeBus, detach } from '@parley/kit';
import { createEgress } from '@parley/kit/egress';
import { testCaller } from '@parley/kit/testing';
import type { Store } from '@parley/store';
import { createTaskEngine, taskMigrations } from '@parley/tasks';
import { onTestFinished } from 'vitest';
import { NO_ENGINE, NO_SANDBOX, NO_UPSTREAM } from './no-parts.ts';
import { meshMigrations } from '../src/migrations/index.ts';
import { createMeshRoutes } from '../src/rest/index.ts';
import { createMeshServices } from '../src/services/index.ts';
import type { MeshHost } from '../src/toolset.ts';

export const REST_MIGRATIONS = [identityMigrations, taskMigrations, eventMigrations, meshMigrations];

/** Serves the routes on a store that is migrated. */
export async function serveRoutes(store: Store, options: Pick<RestOptions, 'feeds'> = {}) {
  const identity = createIdentity(store);
  const tasks = createTaskEngine({ store });
  const egress = createEgress();
  const faults: unknown[] = [];
  const onFault = (error: unknown) => {
    faults.push(error);
  };
  const events = createEvents({ store, tasks, egress, onFault });
  const host: MeshHost = {
    store,
    identity,
    tasks,
    events,
    onFault,
    changes: createChangeBus(),
    observe: () => undefined,
    onStop: () => undefined,
    names: { hosts: [], origins: [] },
    web: { publicUrl: undefined, trustedProxies: [] },
    settings: {},
    upstream: NO_UPSTREAM,
    sandbox: NO_SANDBOX,
    engine: () => NO_ENGINE,
  };
  const sets = createMeshRoutes(createMeshServices(host), host, options);
  const find = createRouteTable(sets);
  const server = createServer((req, res) => {
    detach(find(req.url ?? '/')?.handle(req, res) ?? Promise.resolve(), onFault);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(async () => {
    for (const set of sets) await set.close();
    identity.close();
    await egress.close();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  const { port } = server.address() as AddressInfo; // a listening TCP server has a port
  return { url: `http://127.0.0.1:${port}`, identity, events, tasks, faults };
}

/** A new organization, and keys of its owner. */
export async function newOrganization({ identity }: Awaited<ReturnType<typeof serveRoutes>>, slug: string) {
  const owner = { name: slug, email: null };
  const made = await identity.createOrganization({ slug, name: slug, owner });
  const founder: Caller = testCaller({ ...made, roles: ['owner'], grants: ALL_GRANTS });
  const keyWith = (grants: Grants) => identity.createKey(founder, { name: 'Key', grants, expiresAt: null });
  return { organizationId: made.organizationId, founder, keyWith };
}
