/** What one URL serves to one organization, and the views of its callers: computed once per grant set. */
import type { Caller } from '../access/caller.ts';
import { powerKeyOf } from '../access/caller.ts';
import type { Guarded } from '../access/resolver.ts';
import type { Filter } from './caller-view.ts';
import { View } from './caller-view.ts';
import type { Catalog } from './catalog.ts';
import type { CatalogPrompt } from './compiled-prompt.ts';
import type { CatalogResource } from './compiled-resource.ts';
import type { CatalogTool } from './compiled-tool.ts';
import { Cursors } from './cursor.ts';
import type { ListedCatalog, ListedResource, ListedTool } from './listing.ts';
import { aliasUri, byPrefix, byUri, ownIn, toldApart } from './names.ts';
import { prefixesOf } from './prefixes.ts';
import { Recent } from './recent.ts';
import type { ShownUri } from './shown-uris.ts';

const MOST_VIEWS = 1000;

/** A catalog whose names are unique, and what each caller sees of it. */
export class Endpoint<
  Tool extends ListedTool = CatalogTool,
  Resource extends ListedResource = CatalogResource,
  Prompt extends Guarded = CatalogPrompt,
> {
  /** Under the names of the definitions. */
  readonly catalog: ListedCatalog<Tool, Resource, Prompt>;
  /** Under the names that callers see. */
  readonly shown: ListedCatalog<Tool, Resource, Prompt>;
  readonly #toolsets: ReadonlySet<string>;
  readonly #filters: readonly Filter<Tool>[];
  readonly #cursors: Cursors;
  readonly #byPower = new Recent<string, View<Tool, Resource, Prompt>>(MOST_VIEWS);
  readonly #byCaller = new WeakMap<Caller, View<Tool, Resource, Prompt>>();

  constructor(
    catalog: ListedCatalog<Tool, Resource, Prompt>,
    shown: ListedCatalog<Tool, Resource, Prompt>,
    filters: readonly Filter<Tool>[] = [],
    cursors = new Cursors(),
  ) {
    this.catalog = catalog;
    this.shown = shown;
    this.#toolsets = new Set(catalog.toolsets.map(({ name }) => name));
    this.#filters = filters;
    this.#cursors = cursors;
  }

  /** True when a toolset of this name is served here. */
  has(toolset: string): boolean {
    return this.#toolsets.has(toolset);
  }

  /** What a caller sees: by object first, then by power. */
  view(caller: Caller): View<Tool, Resource, Prompt> {
    const known = this.#byCaller.get(caller);
    if (known !== undefined) return known;
    const key = powerKeyOf(caller);
    const view = this.#byPower.get(key) ?? new View(this.shown, caller, this.#filters, this.#cursors);
    this.#byPower.set(key, view);
    this.#byCaller.set(caller, view);
    return view;
  }
}

/** The endpoint of a catalog: everything that collides gets a name of its own. */
export function endpointOf(
  catalog: Catalog,
  filters: readonly Filter<CatalogTool>[],
  cursors: Cursors,
): Endpoint {
  const isOwn = ownIn(catalog);
  const isShared = catalog.toolsets.length > 1;
  const resources = withWholeSkills(toldApart(catalog.resources, isOwn, byUri()));
  const shownUriIn = shownUrisOf(resources);
  const prefixOf = prefixesOf(catalog.toolsets);
  const shown = {
    tools: speaking(toldApart(catalog.tools, isOwn, byPrefix(isShared, prefixOf)), (tool) =>
      tool.source === undefined ? undefined : shownUriIn(tool),
    ),
    resources: speaking(resources, shownUriIn),
    prompts: speaking(toldApart(catalog.prompts, isOwn, byPrefix(isShared, prefixOf)), shownUriIn),
    toolsets: catalog.toolsets,
  };
  return new Endpoint(catalog, shown, filters, cursors);
}

/** A skill of which one document has another URI has all of them there: they name each other by their folder. */
function withWholeSkills(resources: CatalogResource[]): CatalogResource[] {
  const moved = new Set<string>();
  const keyOf = (toolset: string, uri: string) => `${toolset} ${uri}`;
  const renamed = new Set(
    resources.flatMap(({ toolset, ownFixedUri, isRenamed }) =>
      isRenamed && ownFixedUri !== undefined ? [keyOf(toolset, ownFixedUri)] : [],
    ),
  );
  for (const { toolset, skill } of resources) {
    if (skill === undefined || skill.resources === 'dynamic') continue;
    const files = skill.resources.map(({ uri }) => keyOf(toolset, uri));
    if (files.some((file) => renamed.has(file))) for (const file of files) moved.add(file);
  }
  if (moved.size === 0) return resources;
  const taken = new Set(resources.map(({ uri }) => uri));
  return resources.map((resource) => {
    const { toolset, uri, isRenamed } = resource;
    const alias = aliasUri(toolset, uri);
    return isRenamed || !moved.has(keyOf(toolset, uri)) || taken.has(alias)
      ? resource
      : resource.renamed(alias);
  });
}

/** What each toolset's documents are shown as; undefined for one all of whose documents keep their URI. */
function shownUrisOf(resources: readonly CatalogResource[]) {
  const byToolset = Map.groupBy(
    resources.filter(({ isRenamed }) => isRenamed),
    ({ toolset }) => toolset,
  );
  return ({ toolset }: Guarded): ShownUri | undefined => {
    const documents = byToolset.get(toolset);
    if (documents === undefined) return undefined;
    return (uri) => {
      for (const document of documents) {
        const shown = document.aliasOf(uri);
        if (shown !== undefined) return shown;
      }
      return undefined;
    };
  };
}

/** The items, each naming documents of its toolset by the URI that they are shown under. */
function speaking<Item extends Guarded & { speaking(shownUri: ShownUri): Item }>(
  items: Item[],
  shownUriIn: (item: Item) => ShownUri | undefined,
): Item[] {
  return items.map((item) => {
    const shownUri = shownUriIn(item);
    return shownUri === undefined ? item : item.speaking(shownUri);
  });
}
