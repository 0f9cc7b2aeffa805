/** What every command stands on: the open data folder, the toolsets and the engine over them. */
import { denialOf } from '@parley/agent/denials';
import {
  allowedHosts,
  askConnection,
  askWithNewCredentials,
  believedEra,
  connectionMigrations,
  createDeliver,
  createRefresher,
} from '@parley/connections';
import { createEvents, eventMigrations, managementEvent, taskEvent } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import {
  callParts,
  createCodeExecution,
  createKeptResults,
  createReplicas,
  createLateConnectionAuth,
  createLateLinks,
  createLateTargets,
  createLateVirtualMcps,
  createRequestRate,
  createSandbox,
  createUpstream,
  ownCalls,
  createSchemaChecks,
  uncheckedAnswer,
  engineUniverse,
  gatewayMigrations,
} from '@parley/gateway';
import type {
  ConnectionGateway,
  CredentialParts,
  Replicas,
  Targets,
  VirtualMcpEngines,
} from '@parley/gateway';
import type { RouteGuard, RouteSet } from '@parley/http';
import { guardRoutes } from '@parley/http';
import { identityMigrations, roleDefaultsOf } from '@parley/identity';
import type { Caller, CallRecord, Source, StartNotice, Toolset } from '@parley/kit';
import { createEngine, createStateSealer, install, toolsetSource } from '@parley/kit';
import { MANAGEMENT } from '@parley/mesh/name';
import { createProjectDirectory } from '@parley/mesh/project-directory';
import { createTagLabels } from '@parley/mesh/tag-labels';
import type { MigrationSet } from '@parley/store';
import type { Base } from './base.ts';
import { openBase } from './base.ts';
import type { Config } from '../config.ts';
import { consoleMigrations } from '../console/migrations.ts';
import { freshSignInFor } from '../console/sensitive.ts';
import { refusedWhileHeld } from '../hold/held-calls.ts';
import { holdMigrations } from '../hold/held-row.ts';
import type { Hold } from '../hold/hold.ts';
import { detailsWith } from '../redaction/call-detail.ts';
import { redact, redactRecord } from '../redaction/credentials.ts';
import { withoutMissing } from './missing-parts.ts';
import { notedUrl } from '../served-address.ts';
import { stopPart } from '../stop-part.ts';
import type { Hooks } from '../telemetry/telemetry.ts';
import { loadOwnToolsets } from '../toolsets.ts';
import { SERVER_INFO } from '../version.ts';
import { deliveryRecord, memberCaller, personCaller } from './event-deliveries.ts';
import { callBacksOf, serveConnections } from './connections.ts';
import { foundEras } from './found-eras.ts';
import { programsOf } from './programs.ts';
import { createMayPublish } from './event-publishers.ts';
import type { AppHost, ServedToolset, SharedHost } from './served-toolset.ts';
import { migrationsIn, othersOf, toolsOf } from './served-toolset.ts';
import type { SeamOptions, TaskLimits } from '@parley/tasks';
import { createTaskEngine, createTaskSeam, taskMigrations, toolKinds } from '@parley/tasks';

const HTTP_PORT = 80;

/** The running base of a command. */
export interface Host extends SharedHost {
  readonly ownerKeyFile: string;
  /** Whether a restored server waits for leave to act. */
  readonly hold: Hold;
  /** Where calls to connections go, and what they carry. */
  readonly targets: Targets;
  /** The last of what the programs of a connection wrote to their standard error in this process, without its secrets. */
  programWords(connectionId: string): readonly string[];
  /** Tells where browsers reach this process, as soon as it listens. */
  servedAt(url: string): void;
  /** What organizations put together of their connections. */
  readonly virtual: VirtualMcpEngines;
  /** True for a toolset that every organization has. */
  isForEverybody(toolset: string): boolean;
  /** What the toolset's own `services` function made. */
  servicesOf<Services>(toolset: Pick<Toolset<Services, never>, 'name' | 'services'>): Services;
  /** What makes connections usable. */
  readonly connections: ConnectionGateway;
  /** This process among others on the same database; undefined when it is the only one. */
  readonly replicas: Replicas | undefined;
  /** The routes that toolsets bring; only a program with a port asks for them. */
  createRoutes(guard: RouteGuard): RouteSet[];
  /** What toolsets do before a port opens. */
  beforeStart(): Promise<void>;
  /** What toolsets have to say once they are served at an address. */
  noticesAt(url: string): Promise<StartNotice[]>;
  /** Lets go of what waits, so that running calls are answered; tasks go on at the next start. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** What a command adds to the base. */
export interface HostOptions {
  readonly config: Config;
  /** Toolsets besides Parley's own. */
  readonly toolsets?: readonly ServedToolset[];
  /** Where tools come from besides toolsets. */
  readonly sources?: readonly Source[];
  /** What tells operators of calls and tasks. */
  readonly hooks?: Hooks;
  /** True for a server, which brings events to those who hear of them, and does what agents left for later. */
  readonly delivers?: boolean;
  readonly onFault: (error: unknown, where: string) => void;
  /** A caller that no key stands for; tests only. */
  readonly anonymous?: Caller | undefined;
  /** Times and limits of tasks; tests only. */
  readonly tasks?: TaskSettings | undefined;
}

/** What a test may shorten about tasks. */
export interface TaskSettings {
  readonly times?: SeamOptions;
  readonly limits?: Partial<TaskLimits>;
}

/** Opens the data folder and builds everything over it. */
export async function openHost(options: HostOptions): Promise<Host> {
  const toolsets = await allToolsets(options);
  const { config, onFault } = options;
  const base = await openBase({
    config,
    onFault,
    tools: toolsOf(toolsets),
    others: othersOf(toolsets),
    migrations: migrationsOf(toolsets),
    roleDefaults: roleDefaultsOf(toolsets),
  });
  return hostOn(base, toolsets, options);
}

/** Builds the host on a base that is open already; the base is closed with it, or when it cannot be built. */
export async function hostOn(
  base: Base,
  toolsets: readonly ServedToolset[],
  options: HostOptions,
): Promise<Host> {
  try {
    return buildHost(base, toolsets, options);
  } catch (error) {
    await base.close();
    throw error;
  }
}

/** Parley's own toolsets, then the others. */
export async function allToolsets({
  toolsets = [],
}: Pick<HostOptions, 'toolsets'>): Promise<ServedToolset[]> {
  return [...(await loadOwnToolsets()), ...toolsets];
}

function buildHost(base: Base, toolsets: readonly ServedToolset[], options: HostOptions): Host {
  const { config, onFault, delivers = false } = options;
  const { store, identity, changes, hold } = base;
  const details = detailsWith(
    ({ caller, info }) => upstream.secretsOf(caller.organizationId, info),
    createTagLabels(store, (error) => onFault(error, 'tags of callers')),
  );
  const parts = callParts(store, config.limits, details);
  const observe = (given: CallRecord) => {
    const call = redactRecord(given);
    // What a call carried is known by its request, which is another once its words were redacted.
    if (call !== given)
      upstream.carries(call.info, upstream.secretsOf(call.caller.organizationId, given.info).texts);
    parts.observe(call);
    const { caller, method, name, outcome, toolset, info } = call;
    // A name that nothing has belongs to no toolset.
    const isTool = toolset !== '';
    const denial = denialOf(call);
    // There are as many URIs as a client likes to make up, and each would be an entry.
    const isNamed = method !== 'resources/read';
    if (isNamed && (denial !== undefined || (outcome === 'denied' && toolset === MANAGEMENT)))
      identity.audit.denied({ ...caller, requestId: info.id }, { name, isTool }, denial);
    options.hooks?.observe(given);
  };
  const checks = createSchemaChecks();
  const traced = options.hooks?.traced?.bind(options.hooks);
  const traces = traced === undefined ? {} : { traced };
  const tasks = createTaskEngine({
    store,
    onFault,
    // A question may come from an upstream, and its schema with it.
    faultOfForm: (schema, content, organizationId) =>
      checks.against(schema, organizationId)(content).catch(uncheckedAnswer),
    limits: options.tasks?.limits ?? {},
    onRun: (report) => options.hooks?.onRun(report),
    async tell(tx, happenings, onlyIf) {
      await events.publishAll(tx, happenings.map(taskEvent), onlyIf);
    },
  });
  const egress = createEgress({ allow: config.allowEgress });
  // Only a server has sessions, and one on a database of its own has them all.
  const replicas =
    delivers && config.replicas.areMany ? createReplicas({ store, egress, onFault }) : undefined;
  const limits = { keepMs: config.eventKeepMs };
  let servedUrl: string | undefined;
  // Where the port is left to the system, it is known only once there is one.
  const ownPort = () =>
    servedUrl === undefined ? config.port : Number(new URL(servedUrl).port || HTTP_PORT);
  const credentials: CredentialParts = {
    store,
    egress,
    events: {
      publish: (tx, event) => events.publish(tx, event),
      subscribers: { resume: (organizationId, id) => events.subscribers.resume(organizationId, id) },
    },
    audit: identity.audit,
    now: () => store.now(),
    onFault,
    callerOf: (organizationId, userId) => personCaller(identity, organizationId, userId),
    callTokenFor: (caller, connectionId, grants) => identity.callTokenFor(caller, connectionId, grants),
    // A command has no port; browsers come back to the server of the same folder.
    baseUrl: () => config.web.publicUrl ?? servedUrl ?? notedUrl(config),
    publicUrl: config.web.publicUrl,
    reachOf: (row) => {
      const known = connections.source.find(row.organization_id, row.id);
      return { allow: allowedHosts(row, ownPort()), ...believedEra(known?.eraFound) };
    },
    learn: (caller, id) =>
      askWithNewCredentials({ store, upstream, events, now: () => store.now(), ownPort }, caller, id),
  };
  identity.serveCallBacks(callBacksOf(store));
  const targets = createLateTargets(credentials);
  const programs = programsOf(config);
  const eras = foundEras(store, onFault);
  const links = createLateLinks({
    egress,
    info: SERVER_INFO,
    onFault,
    programs,
    hopKey: store.secrets.derive('hops').toString('base64url'),
    onEra: (connectionId, era) => eras.keep(connectionId, era),
  });
  const client = createUpstream({
    egress,
    info: SERVER_INFO,
    programs,
    links,
    onFault,
    freshened: (target) => targets.freshened(target),
  });
  const upstream = {
    ...client,
    call: ownCalls({
      engine: () => ownEngine,
      prepare: (organizationId) => connections.source.prepare(organizationId),
      lists: (target, tool) => client.lists(target, tool),
    }),
  };
  const deliver = createDeliver({
    store,
    upstream,
    callerOf: (organizationId, userId) => memberCaller(identity, organizationId, userId),
  });
  const current = async (caller: Caller) =>
    caller.id === options.anonymous?.id ? options.anonymous : identity.current(caller);
  const events = createEvents({
    store,
    tasks,
    egress,
    deliver,
    mayPublish: createMayPublish({ store, identity, current }),
    // A command has neither the flags nor the time of a server, which others have set up to reach what it must.
    delivers,
    onFault,
    limits,
    types: toolsets.flatMap(({ events: own = [] }) => own),
  });
  identity.audit.follow(async (tx, act) => {
    const event = managementEvent(act);
    if (event !== undefined) await events.publish(tx, event);
  });
  const box = createSandbox();
  const results = createKeptResults({ store, onFault });
  const virtual = createLateVirtualMcps({
    store,
    engine: () => engine,
    members: () => memberSources,
    self: () => installed.find(({ toolset }) => toolset.name === MANAGEMENT),
    sandbox: box,
    results,
    checks,
    changes,
    observe,
    onFault,
  });
  const sandbox = createCodeExecution(
    box,
    engineUniverse(async (caller) => (await virtual.boundTo(caller)) ?? engine, observe),
  );
  const stops: (() => Promise<void>)[] = [
    () => tasks.stop(),
    () => events.stop(),
    async () => virtual.close(),
    () => sandbox.close(),
    () => checks.close(),
    () => eras.written(),
  ];
  const shared: SharedHost = {
    store,
    identity,
    changes,
    tasks,
    events,
    egress,
    upstream,
    connectionAuth: createLateConnectionAuth(credentials),
    projects: createProjectDirectory(store),
    dataDir: config.dataDir,
    ownPort,
    environment: config.programs.environment,
    delivers,
    whenFree: (begin) => hold.whenFree(begin),
    sandbox,
    countRequest: createRequestRate(config.limits),
    observe,
    onFault,
    names: allowedNames(config),
    web: config.web,
    onStop: (work) => {
      stops.push(work);
    },
    engine: () => engine,
    connectionHealth: {
      breakerOf: (connectionId) => connections.isolation.stateOf(connectionId),
      resetBreaker: (connectionId) => connections.isolation.reset(connectionId),
      programWords: (connectionId) => redact(links.stderrOf(connectionId).join('\n')),
    },
    virtualMcps: virtual,
    async virtualEngine(caller, id) {
      const found = await virtual.standIn(caller, id);
      return found?.isActive === true ? found.engine : undefined;
    },
  };
  const served = toolsets.map((toolset) => {
    const host: AppHost = { ...shared, settings: settingsOf(toolset, config) };
    return { toolset, host, services: toolset.services?.(host) as unknown };
  });
  const installed = served.map(({ toolset, services }) => install(toolset, services));
  const brought = served.flatMap(({ toolset, services }) => toolset.sources?.(services) ?? []);
  const refresher = createRefresher({
    store,
    events,
    discover: (organizationId, id) =>
      askConnection({ store, upstream, ownPort }, { organizationId, userId: null }, id),
    onFault,
  });
  const connections = serveConnections({
    store,
    links,
    targets,
    refresher,
    upstream,
    results,
    replicas,
    checks,
    ...traces,
    onFault,
  });
  stops.push(
    () => refresher.stop(),
    () => connections.close(),
  );
  const sources = [
    ...installed.map(toolsetSource),
    ...brought,
    connections.source,
    ...(options.sources ?? []),
  ];
  const memberSources = sources.filter(({ kind }) => kind === 'connection');
  const common = toolsetsForEverybody(sources);
  const engine = createEngine({
    sources,
    changes,
    longResults: results,
    middleware: [
      ...parts.middleware,
      ...withoutMissing(store),
      freshSignInFor(() => store.now()),
      ...connections.middleware,
      ...(options.hooks?.middleware ?? []),
    ],
    sealer: createStateSealer(store.secrets.deriveAll('request-state')),
    cursorKeys: store.secrets.deriveAll('cursors'),
    steps: parts.steps,
    tasks: refusedWhileHeld(createTaskSeam(tasks, { ...options.tasks?.times, ...traces }), hold),
    observe,
    onFault,
  });
  // What the server calls by itself passes the same stages, but for the rate of a client.
  const ownEngine = createEngine({
    sources: [connections.source],
    middleware: [...connections.middleware, ...(options.hooks?.middleware ?? [])],
    observe: (record) => observe(deliveryRecord(record)),
    onFault,
  });
  for (const kind of toolKinds(engine, current)) tasks.register(kind);
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    // What has not begun by now does not begin while everything ends.
    hold.close();
    // A second call waits for the same end; the store is still in use until then.
    await (stopped ??= Promise.all(stops.map((work) => stopPart(work, onFault))));
  };
  return {
    ...shared,
    targets,
    programWords: (connectionId) => links.stderrOf(connectionId),
    servedAt(url) {
      servedUrl = url;
    },
    ownerKeyFile: base.ownerKeyFile,
    hold,
    virtual,
    connections,
    replicas,
    isForEverybody: (toolset) => common.has(toolset),
    servicesOf<Services>(wanted: Pick<Toolset<Services, never>, 'name' | 'services'>) {
      const found = served.find(({ toolset }) => toolset.services === wanted.services);
      if (found === undefined) throw new Error(`The toolset "${wanted.name}" is not served here.`);
      return found.services as Services; // what this very function returned
    },
    createRoutes: (guard) =>
      served.flatMap(({ toolset, host, services }) =>
        [toolset.routes?.(services, host) ?? []]
          .flat()
          .map((set) => guardRoutes(set, toolset.open ?? [], guard)),
      ),
    async beforeStart() {
      if (delivers) await hold.whenFree(() => refresher.start());
      for (const { toolset, host, services } of served) await toolset.beforeStart?.(services, host);
    },
    async noticesAt(url) {
      const notices: StartNotice[] = [];
      for (const { toolset, host, services } of served) {
        const notice = await toolset.onStarted?.(services, host, url);
        if (notice !== undefined) notices.push(notice);
      }
      return notices;
    },
    stop,
    async close() {
      await stop();
      targets.close();
      await stopPart(() => upstream.close(), onFault);
      await stopPart(() => links.close(), onFault);
      await stopPart(() => egress.close(), onFault);
      await stopPart(() => identity.audit.flush(), onFault);
      await base.close();
    },
  };
}

/** The names of the toolsets that no organization has for itself. */
function toolsetsForEverybody(sources: readonly Source[]): ReadonlySet<string> {
  const parts = sources.filter(({ reach }) => reach === 'everybody').map((source) => source.catalog(''));
  return new Set(parts.flatMap((part) => part?.toolsets.map(({ toolset }) => toolset.name) ?? []));
}

/** The names that this server answers to, and the pages that may call it. */
export function allowedNames(config: Config): { hosts: string[]; origins: string[] } {
  return { hosts: [config.host, ...config.allowHosts], origins: [...config.allowOrigins] };
}

/** The values of the settings that a toolset declares. */
function settingsOf({ settings = {} }: ServedToolset, config: Config): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { flag }]) => [name, config.settings[flag]]),
  );
}

/** Every migration of the base and of the toolsets. */
export function migrationsOf(toolsets: readonly ServedToolset[]): MigrationSet[] {
  const base = [
    identityMigrations,
    gatewayMigrations,
    taskMigrations,
    eventMigrations,
    connectionMigrations,
    holdMigrations,
    consoleMigrations,
  ];
  return [...base, ...migrationsIn(toolsets)];
}
