/** What callers see of a catalog, as far as it can be listed: guards and wire definitions, nothing that runs. */
import type { Caller } from '../access/caller.ts';
import type { Guarded } from '../access/resolver.ts';
import type { ToolPage } from './caller-view.ts';
import type { Offer } from '../define/toolset.ts';
import { Endpoint } from './endpoint.ts';
import { byPrefix, ownIn, toldApart } from './names.ts';
import type { UriTemplate } from './uri-template.ts';

/** A tool that can be listed. */
export interface ListedTool extends Guarded {
  /** The MCP definition as JSON text. */
  readonly json: string;
  /** True: no list shows it, though it can be called. */
  readonly unlisted?: boolean;
  /** The same under another name. */
  renamed(name: string): ListedTool;
}

/** A toolset as lists know it. */
export interface ListedToolset {
  readonly name: string;
  readonly title: string;
  /** The kind of source that it comes from; absent: it is code of this program. */
  readonly kind?: string;
  readonly instructions?: string;
  /** Why what is listed of it may not be what there is. */
  readonly degraded?: { readonly reason: string; readonly since: string };
  /** What it may have though there is none of it now; clients are told once, when they connect. */
  readonly offers?: readonly Offer[];
  readonly rights?: readonly string[];
  /** Kinds of sources whose tools may stand in it. */
  readonly joinedBy?: readonly string[];
}

/** A catalog that can be listed; the real one is one too. */
export interface ListedCatalog<
  Tool extends ListedTool = ListedTool,
  Resource extends ListedResource = ListedResource,
  Prompt extends Guarded = Guarded,
> {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  readonly toolsets: readonly ListedToolset[];
}

/** A resource that can be counted. */
export interface ListedResource extends Guarded {
  readonly uri: string;
  readonly template?: UriTemplate | undefined;
  /** True: its server completes its variables, whether there are prompts or not. */
  readonly completes?: boolean;
  /** True: no list shows it, though it can be read. */
  readonly unlisted?: boolean;
  /** Present where it is the document of a skill. */
  readonly skill?: unknown;
}

/** The part of an engine that only lists; every engine is one too. */
export interface Listing {
  /** All that is there for the organization of a caller, under the names of its definitions. */
  catalogFor(caller: Pick<Caller, 'organizationId'>): ListedCatalog;
  /** Resolves when all that the caller's organization has is loaded; undefined when it is. */
  ready(caller: Pick<Caller, 'organizationId'>): Promise<void> | undefined;
  /** Resolves when lists are worth giving out, though not everything is known; undefined: they are. */
  settled(caller: Pick<Caller, 'organizationId'>): Promise<void> | undefined;
  /** Tools by name, in pages; a bad cursor is a protocol fault. */
  list(caller: Caller, cursor?: string): ToolPage<ListedTool>;
  /** What a client of the caller is told when it connects. */
  instructionsFor(caller: Caller): string | undefined;
  /** The same, narrowed to some toolsets. */
  narrow(toolsets: readonly string[]): Listing;
}

/** Creates a listing, whose cursors no other one knows; the resolver of the engine decides what a caller sees. */
export function createListing(catalog: ListedCatalog): Listing {
  const tools = toldApart(catalog.tools, ownIn(catalog), byPrefix());
  const endpoint = new Endpoint(catalog, { ...catalog, tools });
  return {
    catalogFor: () => catalog,
    ready: () => undefined,
    settled: () => undefined,
    list: (caller, cursor) => endpoint.view(caller).page(caller, cursor),
    instructionsFor: (caller) => endpoint.view(caller).instructions(caller),
    narrow: (toolsets) => createListing(narrowed(catalog, toolsets)),
  };
}

/** The part of a catalog that belongs to some toolsets. */
export function narrowed<Tool extends ListedTool, Resource extends ListedResource, Prompt extends Guarded>(
  catalog: ListedCatalog<Tool, Resource, Prompt>,
  toolsets: readonly string[],
): ListedCatalog<Tool, Resource, Prompt> {
  const has = ({ toolset }: Guarded) => toolsets.includes(toolset);
  return {
    tools: catalog.tools.filter(has),
    resources: catalog.resources.filter(has),
    prompts: catalog.prompts.filter(has),
    toolsets: catalog.toolsets.filter(({ name }) => toolsets.includes(name)),
  };
}
