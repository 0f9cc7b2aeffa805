/** A toolset: tools, resources and prompts that share a name, services, migrations and routes. */
import type { OutsidePrompt, OutsideResource } from './outside-document.ts';
import type { OutsideTool } from './outside-tool.ts';
import type { AnyPrompt } from './prompt.ts';
import type { AnyResource } from './resource.ts';
import type { AnyTool } from './tool.ts';

/**
 * The literal `defineToolset` takes. `Host` is what the program that serves the toolset offers to build services
 * from; `migrations` and `routes` are opaque to the kit and read by that program.
 */
export interface ToolsetSpec<
  Services,
  Host,
  Tools extends readonly (AnyTool | OutsideTool)[],
  Migrations = unknown,
  Routes = unknown,
> {
  /** The grant resource and the last part of its URL. */
  readonly name: string;
  readonly title: string;
  /** How its tools are used together, in a few sentences; a client hears it when it connects. */
  readonly instructions?: string;
  /** What its own routes ask for besides the names of tools, resources and prompts; grants give it like these. */
  readonly rights?: readonly string[];
  readonly tools: Tools;
  readonly resources?: readonly (AnyResource | OutsideResource)[];
  readonly prompts?: readonly (AnyPrompt | OutsidePrompt)[];
  readonly migrations?: Migrations;
  services?(host: Host): Services;
  readonly routes?: Routes;
}

/** A defined toolset. */
export interface Toolset<
  Services = unknown,
  Host = unknown,
  Tools extends readonly (AnyTool | OutsideTool)[] = readonly (AnyTool | OutsideTool)[],
  Migrations = unknown,
  Routes = unknown,
> extends ToolsetSpec<Services, Host, Tools, Migrations, Routes> {
  readonly kind: 'toolset';
}

/** Any toolset, whatever its types. */
// oxlint-disable-next-line typescript/no-explicit-any -- a heterogeneous list has no common services type
export type AnyToolset = Toolset<any, any, readonly (AnyTool | OutsideTool)[], any, any>;

/** Groups tools under one name; the name is what grants and URLs use. */
export function defineToolset<
  const Tools extends readonly (AnyTool | OutsideTool)[],
  Services = unknown,
  Host = unknown,
  Migrations = unknown,
  Routes = unknown,
>(
  spec: ToolsetSpec<Services, Host, Tools, Migrations, Routes>,
): Toolset<Services, Host, Tools, Migrations, Routes> {
  return { ...spec, kind: 'toolset' };
}

/** A toolset with the services it runs on. */
export interface Installed {
  readonly toolset: AnyToolset;
  readonly services: unknown;
}

/** Pairs a toolset with its services. */
export function install(toolset: AnyToolset, services: unknown = {}): Installed {
  return { toolset, services };
}
