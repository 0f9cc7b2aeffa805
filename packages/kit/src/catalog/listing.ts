/** What callers see of a catalog, as far as it can be listed: guards and wire definitions, nothing that runs. */
import type { Caller } from '../access/caller.ts';
import { decodeCursor } from './cursor.ts';
import type { Guarded } from '../access/resolver.ts';
import type { ToolPage } from './caller-view.ts';
import { Views } from './caller-view.ts';

/** A tool that can be listed. */
export interface ListedTool extends Guarded {
  /** The MCP definition as JSON text. */
  readonly json: string;
}

/** A toolset as lists know it. */
export interface ListedToolset {
  readonly name: string;
  readonly title: string;
  readonly instructions?: string;
  readonly rights?: readonly string[];
}

/** A catalog that can be listed; the real one is one too. */
export interface ListedCatalog {
  readonly tools: readonly ListedTool[];
  readonly resources: readonly Guarded[];
  readonly prompts: readonly Guarded[];
  readonly toolsets: readonly ListedToolset[];
}

/** The part of an engine that only lists; every engine is one too. */
export interface Listing {
  readonly catalog: ListedCatalog;
  /** Tools by name, in pages; a bad cursor is a protocol fault. */
  list(caller: Caller, cursor?: string): ToolPage<ListedTool>;
  /** The same, narrowed to some toolsets. */
  narrow(toolsets: readonly string[]): Listing;
}

/** Creates a listing; the resolver of the engine decides what a caller sees. */
export function createListing(catalog: ListedCatalog): Listing {
  const views = new Views(catalog);
  return {
    catalog,
    list: (caller, cursor) => views.of(caller).page(caller, cursor === undefined ? '' : decodeCursor(cursor)),
    narrow: (toolsets) => createListing(narrowed(catalog, toolsets)),
  };
}

/** What a client is told when it connects: the instructions of every toolset that is served. */
export function instructionsOf({ toolsets }: Pick<ListedCatalog, 'toolsets'>): string | undefined {
  const told = toolsets.flatMap(({ instructions }) => (instructions === undefined ? [] : [instructions]));
  return told.length === 0 ? undefined : told.join('\n\n');
}

/** The part of a catalog that belongs to some toolsets. */
export function narrowed<
  Tool extends ListedTool,
  Resource extends Guarded,
  Prompt extends Guarded,
  Named extends { readonly name: string },
>(
  catalog: {
    readonly tools: readonly Tool[];
    readonly resources: readonly Resource[];
    readonly prompts: readonly Prompt[];
    readonly toolsets: readonly Named[];
  },
  toolsets: readonly string[],
) {
  const has = ({ toolset }: Guarded) => toolsets.includes(toolset);
  return {
    tools: catalog.tools.filter(has),
    resources: catalog.resources.filter(has),
    prompts: catalog.prompts.filter(has),
    toolsets: catalog.toolsets.filter(({ name }) => toolsets.includes(name)),
  };
}
