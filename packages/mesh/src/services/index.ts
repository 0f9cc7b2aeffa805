/** What the management tools stand on: one service for each noun. */
import type {
  ConnectionGlances,
  Connections,
  Definitions,
  ImportServers,
  ToolOrigin,
  VirtualMcps,
  VirtualTools,
} from '@parley/connections';
import {
  briefConnections,
  createConnectionGlances,
  createConnections,
  createDefinitions,
  createImportServers,
  createVirtualMcps,
  createVirtualTools,
  selfConnectionId,
  toolOrigins,
} from '@parley/connections';
import type { CloudEvent } from '@parley/events';
import type { Caller } from '@parley/kit';
import { MANAGEMENT } from '../name.ts';
import { createNewestEvents } from '../resources.ts';
import type { MeshHost } from '../toolset.ts';
import type { ApiKeys } from './api-keys.ts';
import { createApiKeys } from './api-keys.ts';
import type { CodeExecution } from './code.ts';
import type { CallerDatabases } from './databases.ts';
import { createCallerDatabases } from './databases.ts';
import type { EventBus } from './event-bus.ts';
import { createEventBus } from './event-bus.ts';
import type { Members } from './members.ts';
import { createMembers } from './members.ts';
import type { Organizations } from './organizations.ts';
import { createOrganizations } from './organizations.ts';
import type { Monitoring } from './monitoring/index.ts';
import { createMonitoring } from './monitoring/index.ts';
import { ownHandshake } from './own-handshake.ts';
import type { People } from './people.ts';
import { createPeople } from './people.ts';
import type { FindConnections } from './plugin-configs.ts';
import type { Projects } from './projects.ts';
import { createProjects } from './projects.ts';
import { createReach } from './reach.ts';
import type { Tags } from './tags.ts';
import { createTags } from './tags.ts';
import type { Threads } from './threads.ts';
import { createThreads } from './threads.ts';

export interface MeshServices {
  readonly apiKeys: ApiKeys;
  readonly members: Members;
  readonly organizations: Organizations;
  readonly people: People;
  readonly connections: Connections;
  /** How all of them do. */
  readonly connectionGlances: ConnectionGlances;
  /** Servers that a client's own file names become connections. */
  readonly importServers: ImportServers;
  /** What was agreed to of the tools of connections. */
  readonly definitions: Definitions;
  readonly virtualMcps: VirtualMcps;
  readonly virtualTools: VirtualTools;
  /** What grants have to name for the tools that a virtual MCP shows. */
  toolOriginsOf(caller: Caller, virtualMcpId: string): Promise<ToolOrigin[]>;
  /** What the management tools are called, as which this server is a member of virtual MCPs. */
  readonly ownNames: NonNullable<Parameters<typeof createVirtualMcps>[0]['ownNames']>;
  readonly code: CodeExecution;
  readonly databases: CallerDatabases;
  readonly projects: Projects;
  readonly tags: Tags;
  readonly threads: Threads;
  readonly eventBus: EventBus;
  readonly monitoring: Monitoring;
  /** The newest events of a type or pattern, the newest first. */
  newestEvents(organizationId: string, type: string): Promise<CloudEvent[]>;
}

/** What a test may choose. */
export interface MeshOptions {
  readonly now?: () => number;
  readonly findConnections?: FindConnections;
}

/** Builds the services over the base of this process. */
export function createMeshServices(
  host: Pick<MeshHost, 'store' | 'identity' | 'events' | 'upstream' | 'sandbox'> &
    Partial<Pick<MeshHost, 'engine' | 'ownPort' | 'virtualEngine'>>,
  { now = () => host.store.now(), findConnections = briefConnections }: MeshOptions = {},
): MeshServices {
  const { store, identity, events, upstream, sandbox } = host;
  const checkCode = (code: string) => sandbox.checkCode(code);
  const isToolset = (caller: Caller, name: string) =>
    host
      .engine?.()
      .catalogFor(caller)
      .toolsets.some((toolset) => toolset.name === name) ?? false;
  const ownNames: MeshServices['ownNames'] = (caller) => {
    const catalog = host.engine?.().catalogFor(caller);
    if (catalog === undefined) return {};
    const isOwn = ({ toolset }: { readonly toolset: string }) => toolset === MANAGEMENT;
    return {
      tools: catalog.tools.filter(isOwn).map(({ name }) => name),
      prompts: catalog.prompts.filter(isOwn).map(({ name }) => name),
      resources: catalog.resources.filter(isOwn).map(({ uri }) => uri),
    };
  };
  const base = {
    store,
    events,
    audit: identity.audit,
    upstream,
    checkCode,
    ownServer: ownHandshake(host.engine, host.virtualEngine),
    isToolset,
    ownNames,
    now,
    ownPort: host.ownPort,
  };
  const connections = createConnections(base);
  const reach = createReach(identity);
  return {
    apiKeys: createApiKeys(identity, connections.exists),
    members: createMembers(identity, reach),
    organizations: createOrganizations(identity, reach),
    people: createPeople(identity),
    connections,
    connectionGlances: createConnectionGlances(store),
    importServers: createImportServers(base, connections),
    definitions: createDefinitions(base),
    virtualMcps: createVirtualMcps(base),
    virtualTools: createVirtualTools(base),
    async toolOriginsOf(caller, virtualMcpId) {
      const { organizationId } = caller;
      const found = await toolOrigins(store, organizationId, virtualMcpId, { self: () => ownNames(caller) });
      // Grants name the toolset, and not the connection that stands for this server.
      const own = selfConnectionId(organizationId);
      return found.map((each) => (each.resource === own ? { ...each, resource: MANAGEMENT } : each));
    },
    ownNames,
    code: sandbox,
    databases: createCallerDatabases(store.databases, connections.exists),
    projects: createProjects(store, { now, findConnections }),
    tags: createTags(store, now),
    threads: createThreads(store, now),
    monitoring: createMonitoring(host),
    eventBus: createEventBus({ events, hasConnection: connections.exists, now }),
    newestEvents: createNewestEvents(events),
  };
}
