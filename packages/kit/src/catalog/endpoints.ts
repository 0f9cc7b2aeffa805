/** The endpoint of each organization: joined from the parts of all sources, and again when a part is another. */
import type { Guarded } from '../access/resolver.ts';
import type { JsonSchema } from '../define/context.ts';
import type { Installed } from '../define/toolset.ts';
import type { Filter } from './caller-view.ts';
import type { Catalog } from './catalog.ts';
import { createCatalog, joined } from './catalog.ts';
import type { CatalogTool } from './compiled-tool.ts';
import type { Cursors } from './cursor.ts';
import type { Endpoint } from './endpoint.ts';
import { endpointOf } from './endpoint.ts';
import type { ListedToolset } from './listing.ts';
import { narrowed } from './listing.ts';
import { OWN } from './names.ts';
import { Recent } from './recent.ts';
import type { Source, SourcePart } from './source.ts';

export interface EndpointParts {
  readonly sources: readonly Source[];
  readonly filters: readonly Filter<CatalogTool>[];
  readonly cursors: Cursors;
  readonly handleSchema: JsonSchema | undefined;
  readonly onFault: (error: unknown, where: string) => void;
}

interface Kept {
  readonly versions: readonly (SourcePart['version'] | undefined)[];
  readonly endpoint: Endpoint;
}

const MOST_ORGANIZATIONS = 1000;
const NOBODY = '';

/** Finds the endpoint of an organization, for all toolsets or for some. */
export class Endpoints {
  /** What every organization has. */
  readonly common: Endpoint;
  readonly #parts: EndpointParts;
  readonly #compiled: WeakMap<Installed, Catalog>;
  readonly #toolsets: readonly string[] | undefined;
  readonly #changing: readonly Source[];
  readonly #loading = new Map<string, Promise<void>>();
  readonly #kept = new Recent<string, Kept>(MOST_ORGANIZATIONS);

  constructor(
    parts: EndpointParts,
    toolsets?: readonly string[],
    compiled = new WeakMap<Installed, Catalog>(),
  ) {
    this.#parts = parts;
    this.#toolsets = toolsets;
    this.#compiled = compiled;
    this.#changing = parts.sources.filter(({ reach }) => reach === 'organization').toSorted(ownFirst);
    const fixed = parts.sources.filter(({ reach }) => reach === 'everybody').toSorted(ownFirst);
    this.common = this.#endpoint(fixed.map((source) => this.#catalogOf(source, source.catalog(NOBODY))));
  }

  /** The endpoint of an organization; one that has nothing of its own shares the common one. */
  of(organizationId: string): Endpoint {
    if (this.#changing.length === 0) return this.common;
    const kept = this.#kept.get(organizationId);
    if (kept !== undefined && this.#isCurrent(kept, organizationId)) return kept.endpoint;
    const parts = this.#changing.map((source) => source.catalog(organizationId));
    const own = this.#changing.map((source, index) => this.#catalogOf(source, parts[index]));
    const hasOwn = own.some(({ toolsets }) => toolsets.length > 0);
    const endpoint = hasOwn ? this.#endpoint([this.common.catalog, ...own]) : this.common;
    this.#kept.set(organizationId, { versions: parts.map((part) => part?.version), endpoint });
    return endpoint;
  }

  /** Loads what an organization has and is not loaded; undefined when all of it is. */
  ready(organizationId: string): Promise<void> | undefined {
    let loading: Promise<void>[] | undefined;
    for (const source of this.#changing) {
      if (source.prepare === undefined) continue;
      if (source.catalog(organizationId) !== undefined && source.isBehind?.(organizationId) !== true)
        continue;
      (loading ??= []).push(this.#load(source, organizationId));
    }
    return loading && Promise.all(loading).then(() => undefined);
  }

  /** Resolves when lists of an organization are worth giving out; undefined: they are. */
  settled(organizationId: string): Promise<void> | undefined {
    let waiting: Promise<void>[] | undefined;
    for (const source of this.#changing) {
      const one = source.settled?.(organizationId);
      if (one !== undefined) (waiting ??= []).push(one);
    }
    return waiting && Promise.all(waiting).then(() => undefined);
  }

  /** True when a toolset of this name would be served here. */
  covers(toolset: string): boolean {
    return this.#toolsets?.includes(toolset) ?? true;
  }

  /** A call that comes while a part is being loaded waits for the same load. */
  async #load(source: Source, organizationId: string): Promise<void> {
    const key = `${source.name} ${organizationId}`;
    const loading = this.#loading.get(key) ?? source.prepare?.(organizationId);
    if (loading === undefined) return;
    this.#loading.set(key, loading);
    try {
      await loading;
    } finally {
      this.#loading.delete(key);
    }
  }

  narrow(toolsets: readonly string[]): Endpoints {
    return new Endpoints(this.#parts, toolsets, this.#compiled);
  }

  #isCurrent({ versions }: Kept, organizationId: string): boolean {
    return this.#changing.every(
      (source, index) => source.catalog(organizationId)?.version === versions[index],
    );
  }

  #catalogOf(source: Source, part: SourcePart | undefined): Catalog {
    const all = joined((part?.toolsets ?? []).map((installed) => this.#compile(source, installed)));
    return this.#toolsets === undefined ? all : narrowed(all, this.#toolsets);
  }

  #compile({ kind, reach }: Source, installed: Installed): Catalog {
    const known = this.#compiled.get(installed);
    if (known !== undefined) return known;
    const { handleSchema, onFault } = this.#parts;
    // What cannot start is the program's fault; what comes while it runs costs nothing but itself.
    const onRefused = (reason: string) => onFault(new Error(reason), 'catalog');
    const lenient = reach === 'everybody' ? {} : { onRefused };
    const catalog = createCatalog([installed], { kind, handleSchema, ...lenient });
    this.#compiled.set(installed, catalog);
    return catalog;
  }

  #endpoint(catalogs: readonly Catalog[]): Endpoint {
    const { filters, cursors } = this.#parts;
    return endpointOf(joined(withoutTwins(catalogs)), filters, cursors);
  }
}

/** Toolsets of this program as they were given, then all others by name: the order of arrival decides nothing. */
function ownFirst(a: Source, b: Source): number {
  if (a.kind === OWN || b.kind === OWN) return Number(b.kind === OWN) - Number(a.kind === OWN);
  return a.name < b.name ? -1 : 1;
}

/**
 * A toolset whose name is taken is left out: its grants would give what belongs to the other one. Only tools of a kind
 * that the other one takes in stay, under names that it does not use itself.
 */
function withoutTwins(catalogs: readonly Catalog[]): Catalog[] {
  const owners = new Map<string, Catalog>();
  for (const catalog of catalogs)
    for (const { name } of catalog.toolsets) if (!owners.has(name)) owners.set(name, catalog);
  return catalogs.map((catalog) => {
    const isMine = (toolset: string) => owners.get(toolset) === catalog;
    if (catalog.toolsets.every(({ name }) => isMine(name))) return catalog;
    const has = ({ toolset }: Guarded) => isMine(toolset);
    const joins = new Set(
      catalog.toolsets.flatMap((joiner) => joinedTools(joiner, owners.get(joiner.name), catalog)),
    );
    return {
      tools: catalog.tools.filter((tool) => has(tool) || joins.has(tool)),
      resources: catalog.resources.filter(has),
      prompts: catalog.prompts.filter(has),
      toolsets: catalog.toolsets.filter(({ name }) => isMine(name)),
    };
  });
}

/** The tools of a toolset that may stand in the one of the same name. */
function joinedTools(
  { name, kind }: ListedToolset,
  owner: Catalog | undefined,
  joiner: Catalog,
): CatalogTool[] {
  const own = owner?.toolsets.find((toolset) => toolset.name === name);
  if (owner === undefined || owner === joiner || kind === undefined || !own?.joinedBy?.includes(kind))
    return [];
  const { tools, resources, prompts } = owner;
  const inOwn = [...tools, ...resources, ...prompts].filter(({ toolset }) => toolset === name);
  // A grant gives what has its name, of whatever sort.
  const taken = new Set([...inOwn.map((item) => item.name), ...(own.rights ?? [])]);
  return joiner.tools.filter((tool) => tool.toolset === name && !taken.has(tool.name));
}
