/** What every command stands on: the open store, identity, the toolsets and the engine over them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnnotationServices, AnnotationsHost } from '@parley/annotations';
import { annotationsToolset } from '@parley/annotations';
import { gatewayMigrations, heavyCallRate, recordTo, storedSteps, unavailableStore } from '@parley/gateway';
import type { Identity } from '@parley/identity';
import { createIdentity, IDENTITY_CHANGED, identityMigrations } from '@parley/identity';
import type {
  AnyToolset,
  Caller,
  CallRecord,
  ChangeBus,
  Engine,
  Installed,
  Middleware,
  RouteSet,
} from '@parley/kit';
import { createChangeBus, createEngine, createStateSealer, install } from '@parley/kit';
import type { MigrationSet, Store } from '@parley/store';
import { openStore } from '@parley/store';
import type { Config } from './config.ts';
import { overlayScript } from './overlay-script.ts';
import { parleyToolset } from './parley/index.ts';
import { redactRecord } from './redact.ts';
import type { SeamOptions, TaskEngine, TaskLimits } from '@parley/tasks';
import { createTaskEngine, createTaskSeam, taskMigrations, tasksToolset, toolKinds } from '@parley/tasks';

/** What a toolset's `services` function is given. */
export interface AppHost extends AnnotationsHost {
  readonly store: Store;
  readonly identity: Identity;
  readonly changes: ChangeBus;
  readonly tasks: TaskEngine;
  /** The engine that serves everything; for the tools that explain it. */
  engine(): Engine;
}

/** The running base of a command. */
export interface Host extends AppHost {
  readonly ownerKeyFile: string;
  /** The routes that toolsets bring; only a program with a port asks for them. */
  createRoutes(): RouteSet[];
  /** The token that pages of the first organization speak with. */
  pageToken(): Promise<string>;
  /** Lets go of what waits, so that running calls are answered; tasks go on at the next start. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

/** What a command adds to the base. */
export interface HostOptions {
  readonly config: Config;
  /** Toolsets besides Parley's own. */
  readonly toolsets?: readonly AnyToolset[];
  readonly middleware?: readonly Middleware[];
  observe?(record: CallRecord): void;
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

/** The toolsets that every Parley has. */
export const OWN_TOOLSETS: readonly AnyToolset[] = [parleyToolset, tasksToolset, annotationsToolset];

/** Opens the store, brings it up to date, makes the first owner, and builds the engine. */
export async function openHost(options: HostOptions): Promise<Host> {
  const store = await openStore(storeOptions(options.config, options.onFault));
  try {
    return await buildHost(store, options);
  } catch (error) {
    // Open connections would keep the process alive after the command failed.
    await store.close();
    throw error;
  }
}

async function buildHost(store: Store, options: HostOptions): Promise<Host> {
  const { config, onFault } = options;
  const toolsets = [...OWN_TOOLSETS, ...(options.toolsets ?? [])];
  await store.migrate(migrationsOf(toolsets));
  const isPrivileged = (resource: string, name: string) =>
    engine.catalog.tools.some(
      (tool) =>
        tool.privileged === true && tool.name === name && (resource === '*' || tool.toolset === resource),
    );
  const identity = createIdentity(store, { isPrivileged, onError: (error) => onFault(error, 'identity') });
  const ownerKeyFile = join(config.dataDir, 'owner.key');
  await identity.bootstrap((key) => keepOwnerKey(ownerKeyFile, key));
  const changes = createChangeBus();
  const unsubscribe = announceRights(store, changes);
  const record = recordTo(store);
  const observe = (call: CallRecord) => {
    record(redactRecord(call));
    options.observe?.(call);
  };
  const tasks = createTaskEngine({ store, onFault, limits: options.tasks?.limits ?? {} });
  const stops: (() => Promise<void>)[] = [() => tasks.stop()];
  const host: AppHost = {
    store,
    identity,
    changes,
    tasks,
    onFault,
    names: allowedNames(config),
    overlayScript,
    onStop: (work) => void stops.push(work),
    engine: () => engine,
  };
  const installed = toolsets.map((toolset): Installed => install(toolset, toolset.services?.(host)));
  const engine = createEngine({
    installed,
    middleware: [heavyCallRate(config.limits), unavailableStore(), ...(options.middleware ?? [])],
    sealer: createStateSealer(store.secrets.deriveAll('request-state')),
    steps: storedSteps(store),
    tasks: createTaskSeam(tasks, options.tasks?.times),
    observe,
    onFault,
  });
  const current = async (caller: Caller) =>
    caller.id === options.anonymous?.id ? options.anonymous : identity.current(caller);
  for (const kind of toolKinds(engine, current)) tasks.register(kind);
  let stopped: Promise<unknown> | undefined;
  const stop = async () => {
    // Whoever asks again waits for the same end; the store is still in use until then.
    await (stopped ??= Promise.all(stops.map((work) => work())));
  };
  return {
    ...host,
    ownerKeyFile,
    createRoutes: () => routesOf(installed, host),
    pageToken: () => firstPageToken(installed, identity),
    stop,
    async close() {
      await stop();
      unsubscribe();
      identity.close();
      await store.close();
    },
  };
}

/** How the store is opened for a configuration. */
export function storeOptions(config: Config, onFault: (error: unknown, where: string) => void) {
  return {
    dataDir: config.dataDir,
    recordRetention: config.recordRetention,
    onError: (error: unknown) => onFault(error, 'store'),
    ...(config.databaseUrl !== undefined && { databaseUrl: config.databaseUrl }),
    ...(config.secretKey !== undefined && { secretKey: config.secretKey }),
  };
}

/** The names that this server answers to, and the pages that may call it. */
export function allowedNames(config: Config): { hosts: string[]; origins: string[] } {
  return { hosts: [config.host, ...config.allowHosts], origins: [...config.allowOrigins] };
}

function routesOf(installed: readonly Installed[], host: AppHost): RouteSet[] {
  return installed.flatMap(({ toolset, services }): RouteSet[] => {
    // The kit leaves routes opaque; toolsets of this house give a function that makes a route set.
    const create = toolset.routes as ((services: unknown, host: AppHost) => RouteSet) | undefined;
    return create === undefined ? [] : [create(services, host)];
  });
}

async function firstPageToken(installed: readonly Installed[], identity: Identity): Promise<string> {
  // The services of this toolset are what its own `services` function made.
  const services = installed.find(({ toolset }) => toolset === annotationsToolset)
    ?.services as AnnotationServices;
  const organizationId = await identity.firstOrganizationId();
  return services.pageTokens.show(organizationId);
}

/** Every migration of the base and of the toolsets. */
export function migrationsOf(toolsets: readonly AnyToolset[]): MigrationSet[] {
  // The kit leaves migrations opaque; toolsets of this house give migration sets.
  const own = toolsets.flatMap(({ migrations }) =>
    migrations === undefined ? [] : [migrations as MigrationSet],
  );
  return [identityMigrations, gatewayMigrations, taskMigrations, ...own];
}

/** A change of rights changes what callers see, in every process. */
function announceRights(store: Store, changes: ChangeBus): () => void {
  return store.signal.subscribe(IDENTITY_CHANGED, ({ topic, payload }) => {
    const isKnown = topic !== '*' && payload !== null;
    changes.publish({ kind: 'tools', ...(isKnown && { organizationId: payload }) });
  });
}

async function keepOwnerKey(file: string, key: string): Promise<void> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
  await writeFile(file, `${key}\n`, { mode: 0o600 });
}
