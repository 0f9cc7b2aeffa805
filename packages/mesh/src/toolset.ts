/** The toolset `self`: the management tools over the services of this process. */
import type { ConnectionAuth, Upstream } from '@parley/connections';
import type { Events } from '@parley/events';
import type { RouteSet } from '@parley/http';
import type { Identity } from '@parley/identity';
import type { Caller, Engine, Host } from '@parley/kit';
import { defineToolset } from '@parley/kit';
import type { Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import { AUDIT_READ } from './audit.ts';
import { CONNECTION_AUTH } from './connection-auth.ts';
import { DEFINITIONS_APPROVE } from './definitions.ts';
import { meshMigrations } from './migrations/index.ts';
import { MANAGEMENT } from './name.ts';
import { createJoinRoutes } from './pages/join-routes.ts';
import { createOAuthRoutes } from './pages/oauth-routes.ts';
import { createMeshRoutes, OPEN_PATHS } from './rest/index.ts';
import { eventResources, publishEventNotices } from './resources.ts';
import type { CodeExecution } from './services/code.ts';
import type { ConnectionHealth, VirtualMcpDesk } from './services/served-connections.ts';
import type { VirtualEngineOf } from './services/own-handshake.ts';
import { createMeshServices } from './services/index.ts';
import { WEBHOOKS_MANAGE } from './webhooks.ts';
import { MEMBER_TOOLS } from './tools/member-tools.ts';
import { meshTools } from './tools/index.ts';

export type MeshHost = Host<{
  readonly store: Store;
  readonly identity: Identity;
  readonly events: Events;
  readonly tasks: TaskEngine;
  readonly upstream: Upstream;
  readonly connectionAuth: ConnectionAuth;
  readonly sandbox: CodeExecution;
  /** The port that the server listens on; no connection may reach it by a permission of its own. */
  readonly ownPort?: (() => number | undefined) | undefined;
  /** Counts a request of a caller over REST; throws when there were too many. */
  countRequest(caller: Caller): void;
  engine(): Engine;
  /** What this process knows of the ways to connections; absent: it serves none. */
  readonly connectionHealth?: ConnectionHealth | undefined;
  /** What is put together of connections; absent: nothing is. */
  readonly virtualMcps?: VirtualMcpDesk | undefined;
  /** The engine of a virtual MCP, or of a connection that stands for one. */
  readonly virtualEngine?: VirtualEngineOf;
}>;

export const meshToolset = defineToolset({
  name: MANAGEMENT,
  title: 'Management',
  tools: meshTools,
  rights: [AUDIT_READ, DEFINITIONS_APPROVE, CONNECTION_AUTH, WEBHOOKS_MANAGE],
  roles: { member: [...MEMBER_TOOLS, CONNECTION_AUTH] },
  migrations: meshMigrations,
  resources: eventResources,
  services(host: MeshHost) {
    const stopNotices = publishEventNotices(host.store, host.changes);
    host.onStop(async () => stopNotices());
    return createMeshServices(host);
  },
  routes: (services, host): RouteSet[] => [
    ...createMeshRoutes(services, host),
    createJoinRoutes({
      invitations: host.identity.invitations,
      web: host.identity.web,
      names: host.names,
      ...host.web,
      onFault: host.onFault,
    }),
    createOAuthRoutes({
      connectionAuth: host.connectionAuth,
      web: host.identity.web,
      names: host.names,
      ...host.web,
      onFault: host.onFault,
    }),
  ],
  open: OPEN_PATHS,
});
