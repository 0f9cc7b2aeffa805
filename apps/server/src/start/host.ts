/** What every command stands on: the open data folder, the toolsets and the engine over them. */
import type { AnnotationServices, AnnotationsHost } from '@parley/annotations';
import { createEvents, eventMigrations } from '@parley/events';
import { createEgress } from '@parley/kit/egress';
import type { FeedbackHost } from '@parley/feedback';
import { gatewayMigrations, heavyCallRate, recordTo, storedSteps, unavailableStore } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { Identity } from '@parley/identity';
import { identityMigrations } from '@parley/identity';
import type { AnyToolset, Caller, CallRecord, ChangeBus, Engine, Installed, Middleware } from '@parley/kit';
import { createEngine, createStateSealer, install } from '@parley/kit';
import type { MigrationSet, Store } from '@parley/store';
import type { Base, KnownTool } from './base.ts';
import { openBase } from './base.ts';
import type { Config } from '../config.ts';
import { overlayScript } from '../overlay-script.ts';
import { redactRecord } from '../redact.ts';
import { loadOwnToolsets } from '../toolsets.ts';
import type { SeamOptions, TaskEngine, TaskLimits } from '@parley/tasks';
import { createTaskEngine, createTaskSeam, taskMigrations, toolKinds } from '@parley/tasks';

/** What a toolset's `services` function is given. */
export interface AppHost extends AnnotationsHost, FeedbackHost {
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
  /** Makes the page token of an organization that has no valid one. */
  createPageToken(organizationId: string): Promise<{ id: string; text: string }>;
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

/** Opens the data folder and builds everything over it. */
export async function openHost(options: HostOptions): Promise<Host> {
  const toolsets = await allToolsets(options);
  const { config, onFault } = options;
  const tools = toolsets.flatMap(toolsOf);
  const others = toolsets.flatMap(othersOf);
  const base = await openBase({ config, onFault, tools, others, migrations: migrationsOf(toolsets) });
  return hostOn(base, toolsets, options);
}

/** Builds the host on a base that is open already; the base is closed with it, or when it cannot be built. */
export async function hostOn(
  base: Base,
  toolsets: readonly AnyToolset[],
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
export async function allToolsets({ toolsets = [] }: Pick<HostOptions, 'toolsets'>): Promise<AnyToolset[]> {
  return [...(await loadOwnToolsets()), ...toolsets];
}

function toolsOf({ name: toolset, tools }: AnyToolset): KnownTool[] {
  return tools.map(({ name, privileged = false }) => ({ name, toolset, privileged }));
}

function othersOf({ name: toolset, resources = [], prompts = [], rights = [] }: AnyToolset) {
  const names = [...[...resources, ...prompts].map(({ name }) => name), ...rights];
  return names.map((name) => ({ name, toolset }));
}

function buildHost(base: Base, toolsets: readonly AnyToolset[], options: HostOptions): Host {
  const { config, onFault } = options;
  const { store, identity, changes } = base;
  const record = recordTo(store);
  const observe = (call: CallRecord) => {
    record(redactRecord(call));
    options.observe?.(call);
  };
  const tasks = createTaskEngine({ store, onFault, limits: options.tasks?.limits ?? {} });
  const egress = createEgress({ allow: config.allowEgress });
  const events = createEvents({ store, tasks, egress, onFault });
  const stops: (() => Promise<void>)[] = [() => tasks.stop(), () => events.stop()];
  const host: AppHost = {
    store,
    identity,
    changes,
    tasks,
    events,
    observe,
    onFault,
    names: allowedNames(config),
    web: config.web,
    noteLeaseMs: config.noteLeaseMs,
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
    ownerKeyFile: base.ownerKeyFile,
    createRoutes: () => routesOf(installed, host),
    pageToken: async () => pageTokensOf(installed).show(await identity.firstOrganizationId()),
    createPageToken: (organizationId) => pageTokensOf(installed).create(organizationId),
    stop,
    async close() {
      await stop();
      await egress.close();
      await base.close();
    },
  };
}

/** The names that this server answers to, and the pages that may call it. */
export function allowedNames(config: Config): { hosts: string[]; origins: string[] } {
  return { hosts: [config.host, ...config.allowHosts], origins: [...config.allowOrigins] };
}

function routesOf(installed: readonly Installed[], host: AppHost): RouteSet[] {
  return installed.flatMap(({ toolset, services }): RouteSet[] => {
    // The kit leaves routes opaque; toolsets of this house give a function that makes route sets.
    const create = toolset.routes as
      | ((services: unknown, host: AppHost) => RouteSet | RouteSet[])
      | undefined;
    return create === undefined ? [] : [create(services, host)].flat();
  });
}

function pageTokensOf(installed: readonly Installed[]): AnnotationServices['pageTokens'] {
  // The services of this toolset are what its own `services` function made.
  const services = installed.find(({ toolset }) => toolset.name === 'annotations')
    ?.services as AnnotationServices;
  return services.pageTokens;
}

/** Every migration of the base and of the toolsets. */
export function migrationsOf(toolsets: readonly AnyToolset[]): MigrationSet[] {
  // The kit leaves migrations opaque; toolsets of this house give migration sets.
  const own = toolsets.flatMap(({ migrations }) =>
    migrations === undefined ? [] : [migrations as MigrationSet],
  );
  return [identityMigrations, gatewayMigrations, taskMigrations, eventMigrations, ...own];
}
