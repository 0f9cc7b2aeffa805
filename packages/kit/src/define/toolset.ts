/** A toolset: tools, resources and prompts that share a name, and all that the program which serves them has to know. */
import type { Source } from '../catalog/source.ts';
import type { StartNotice } from './host.ts';
import type { OutsidePrompt, OutsideResource } from './outside-document.ts';
import type { OutsideTool } from './outside-tool.ts';
import type { AnyPrompt } from './prompt.ts';
import type { AnyResource } from './resource.ts';
import type { Settings } from './setting.ts';
import type { AnyTool } from './tool.ts';

/** A capability of MCP that a toolset may have besides tools. */
export type Offer = 'resources' | 'prompts' | 'completions';

/**
 * The literal `defineToolset` takes. `Host` is what its services are built from; `Migrations` and `Routes` are types
 * of packages that the kit does not know, and the program that composes toolsets holds them against its own.
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
  /** Why what is listed of it may not be what there is; lists carry it. */
  readonly degraded?: { readonly reason: string; readonly since: string };
  /** What it may have though there is none of it now, as what comes from another server; absent: what there is. */
  readonly offers?: readonly Offer[];
  /** What its own routes ask for besides the names of tools, resources and prompts; grants give it like these. */
  readonly rights?: readonly string[];
  /** What built-in roles get of it by default, `*` for all: the team (`member`), visitors and the team (`user`). */
  readonly roles?: { readonly member?: readonly string[]; readonly user?: readonly string[] };
  /** Options of the program that it reads, as `host.settings`. */
  readonly settings?: Settings;
  readonly tools: Tools;
  readonly resources?: readonly (AnyResource | OutsideResource)[];
  readonly prompts?: readonly (AnyPrompt | OutsidePrompt)[];
  /** The types of events that it publishes itself; no caller may publish them. */
  readonly events?: readonly { readonly type: string }[];
  readonly migrations?: Migrations;
  readonly services?: (host: Host) => Services;
  /** Kinds of sources whose tools may stand in this toolset beside its own, and are granted like these. */
  readonly joinedBy?: readonly string[];
  /** Where further tools come from, such as those that join it. */
  readonly sources?: (services: Services) => readonly Source[];
  /** What it serves besides MCP; only a program with a port asks for it. */
  readonly routes?: (services: Services, host: Host) => Routes | readonly Routes[];
  /** The paths of its routes that answer without a credential, because they are the same for everybody. */
  readonly open?: readonly string[];
  /** Runs before the port opens. */
  readonly beforeStart?: (services: Services, host: Host) => Promise<void>;
  /** What to tell the person who started the program, once it is ready at this address. */
  readonly onStarted?: (services: Services, host: Host, url: string) => Promise<StartNotice>;
}

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
export type AnyToolset = Toolset<any, never>;

/** Groups tools under one name; the name is what grants and URLs use. */
export function defineToolset<
  const Tools extends readonly (AnyTool | OutsideTool)[],
  Services = unknown,
  Host = unknown,
  Migrations = never,
  Routes = never,
>(
  spec: ToolsetSpec<Services, Host, Tools, Migrations, Routes>,
): Toolset<Services, Host, Tools, Migrations, Routes> {
  requireOwn(spec);
  return { ...spec, kind: 'toolset' };
}

type Named = Pick<AnyToolset, 'name' | 'tools' | 'resources' | 'prompts' | 'rights' | 'roles'>;

/** Refuses role defaults that give what the toolset does not have: a slip of the pen would give nothing, in silence. */
function requireOwn({ name, tools, resources = [], prompts = [], rights = [], roles = {} }: Named): void {
  const own = new Set(['*', ...[...tools, ...resources, ...prompts].map((each) => each.name), ...rights]);
  for (const [role, names] of Object.entries(roles)) {
    const unknown = names.find((each) => !own.has(each));
    if (unknown !== undefined)
      throw new Error(`The toolset "${name}" gives ${role}s "${unknown}", which it does not have.`);
  }
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
