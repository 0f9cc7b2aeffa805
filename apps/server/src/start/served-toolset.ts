/** What this server takes from toolsets: their types held against its own, and what it composes from all of them. */
import type { ConnectionAuth, Upstream } from '@parley/connections';
import type { Events } from '@parley/events';
import type { CodeExecution, ConnectionGateway, CountRequest, VirtualMcpEngines } from '@parley/gateway';
import type { RouteSet } from '@parley/http';
import type { Identity } from '@parley/identity';
import type { AnyTool, Caller, Engine, Host, OutsideTool, Toolset } from '@parley/kit';
import type { Egress } from '@parley/kit/egress';
import type { ProjectDirectory } from '@parley/mesh/project-directory';
import type { MigrationSet, Store } from '@parley/store';
import type { TaskEngine } from '@parley/tasks';
import type { KnownTool } from './base.ts';

/** The packages that a toolset of this server can stand on. */
export interface HostParts {
  readonly store: Store;
  readonly identity: Identity;
  readonly tasks: TaskEngine;
  readonly events: Events;
  readonly egress: Egress;
  readonly upstream: Upstream;
  /** What people do about credentials of connections. */
  readonly connectionAuth: ConnectionAuth;
  /** Which projects organizations have. */
  readonly projects: ProjectDirectory;
  readonly dataDir: string;
  /** The port that the server listens on; before it does, the one that it is told to. */
  readonly ownPort: () => number;
  /** What a program that is started gets of the environment; nothing of it is a secret. */
  readonly environment: Readonly<Record<string, string>>;
  /** True for a server, which does what is due; a command leaves it to one. */
  readonly delivers: boolean;
  /** Begins what is done without being asked: now, or once a restored server may act. */
  whenFree(begin: () => void | Promise<void>): Promise<void>;
  /** Runs code of callers over the tools that they may call. */
  readonly sandbox: CodeExecution;
  /** Counts a request of a caller, whichever surface it came to. */
  readonly countRequest: CountRequest;
  /** The engine that serves everything; for the tools that explain it. */
  engine(): Engine;
  /** The ways to connections in this process. */
  readonly connectionHealth: {
    breakerOf(connectionId: string): ReturnType<ConnectionGateway['isolation']['stateOf']>;
    resetBreaker(connectionId: string): void;
    /** The last that the program of a connection wrote to its standard error, without secrets. */
    programWords(connectionId: string): string;
  };
  /** What organizations put together of their connections. */
  readonly virtualMcps: Pick<VirtualMcpEngines, 'describe' | 'tryTool'>;
  /** The engine of a virtual MCP of the caller's organization, by its id or that of a connection that stands for it. */
  virtualEngine(caller: Caller, id: string): Promise<Engine | undefined>;
}

/** What a toolset's `services` function is given. */
export type AppHost<Values = unknown> = Host<HostParts, Values>;

/** The part of it that is the same for every toolset. */
export type SharedHost = Omit<AppHost, 'settings'>;

/** A toolset that this server can serve: built from its host, with its kind of migrations and routes. */
export type ServedToolset = Toolset<
  // oxlint-disable-next-line typescript/no-explicit-any -- each has services of its own
  any,
  // oxlint-disable-next-line typescript/no-explicit-any -- each has settings of its own
  AppHost<any>,
  readonly (AnyTool | OutsideTool)[],
  MigrationSet,
  RouteSet
>;

/** Every tool, with what identity has to know of it. */
export function toolsOf(toolsets: readonly ServedToolset[]): KnownTool[] {
  return toolsets.flatMap(({ name: toolset, tools }) =>
    tools.map(({ name, privileged = false }) => ({ name, toolset, privileged })),
  );
}

/** Every resource, prompt and right of a route. */
export function othersOf(toolsets: readonly ServedToolset[]): Pick<KnownTool, 'name' | 'toolset'>[] {
  return toolsets.flatMap(({ name: toolset, resources = [], prompts = [], rights = [] }) => {
    const names = [...[...resources, ...prompts].map(({ name }) => name), ...rights];
    return names.map((name) => ({ name, toolset }));
  });
}

/** The migrations that toolsets bring. */
export function migrationsIn(toolsets: readonly ServedToolset[]): MigrationSet[] {
  return toolsets.flatMap(({ migrations }) => migrations ?? []);
}

/** The paths of the toolsets that answer without a credential. */
export function openPathsOf(toolsets: readonly Pick<ServedToolset, 'open'>[]): string[] {
  return toolsets.flatMap(({ open = [] }) => open);
}
