/** What one caller sees of a catalog: computed once per grant set, then reused by list and call. */
import type { Caller } from '../access/caller.ts';
import { powerKeyOf } from '../access/caller.ts';
import type { CatalogPrompt, CatalogResource } from './catalog.ts';
import type { CatalogTool } from './compiled-tool.ts';
import type { ListedTool } from './listing.ts';
import type { Guarded } from '../access/resolver.ts';
import { hiddenByPower } from '../access/resolver.ts';

/** A page of tools, as objects and as JSON text ready to be written. */
export interface ToolPage<Tool extends ListedTool = CatalogTool> {
  readonly tools: readonly Tool[];
  readonly json: string;
  readonly nextCursor: string | undefined;
}

const PAGE_SIZE = 1000;
const MAX_CACHED = 1000;

/** What a view is cut from. */
interface Whole<Tool, Resource, Prompt> {
  readonly tools: readonly Tool[];
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
}

/** Leaves out tools that a caller shall not have. */
type Filter<Tool> = (tools: readonly Tool[], caller: Caller) => readonly Tool[];

/** The part of a catalog that a grant set allows. */
export class View<
  Tool extends ListedTool = CatalogTool,
  Resource extends Guarded = CatalogResource,
  Prompt extends Guarded = CatalogPrompt,
> {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly resources: readonly Resource[];
  readonly prompts: readonly Prompt[];
  readonly #conditional: readonly Tool[];
  readonly #filters: readonly Filter<Tool>[];
  readonly #pages = new Map<string, ToolPage<Tool>>();

  constructor(catalog: Whole<Tool, Resource, Prompt>, caller: Caller, filters: readonly Filter<Tool>[]) {
    const has = (item: Guarded) => hiddenByPower(item, caller) === undefined;
    const tools = catalog.tools.filter(has);
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.resources = catalog.resources.filter(has);
    this.prompts = catalog.prompts.filter(has);
    this.#conditional = tools.filter((tool) => tool.available !== undefined);
    this.#filters = filters;
  }

  /** The tool, unless it is hidden from this caller or does not exist right now. */
  tool(name: string, caller: Caller): Tool | undefined {
    const tool = this.tools.get(name);
    if (tool === undefined || (tool.available !== undefined && !tool.available(caller))) return undefined;
    return this.#filtered([tool], caller)[0];
  }

  /** The page after `after` (a tool name), by name. */
  page(caller: Caller, after = ''): ToolPage<Tool> {
    if (this.#filters.length > 0) return makePage(this.#filtered(this.#present(caller), caller), after);
    // Availability is asked per request only for the few tools that declare it.
    const mask = this.#conditional.map((tool) => (tool.available?.(caller) ? '1' : '0')).join('');
    // Any text can be a cursor; only the names of tools are worth remembering, or memory would be the client's to fill.
    if (after !== '' && !this.tools.has(after)) return makePage(this.#present(caller), after);
    const key = `${mask} ${after}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    if (this.#pages.size >= MAX_CACHED) this.#pages.clear();
    const page = makePage(this.#present(caller), after);
    this.#pages.set(key, page);
    return page;
  }

  #present(caller: Caller): Tool[] {
    return [...this.tools.values()].filter((tool) => tool.available === undefined || tool.available(caller));
  }

  #filtered(tools: readonly Tool[], caller: Caller): readonly Tool[] {
    return this.#filters.reduce((left, filter) => filter(left, caller), tools);
  }
}

function makePage<Tool extends ListedTool>(all: readonly Tool[], after: string): ToolPage<Tool> {
  const rest = after === '' ? all : all.filter(({ name }) => name > after);
  const tools = rest.slice(0, PAGE_SIZE);
  return {
    tools,
    json: `[${tools.map(({ json }) => json).join(',')}]`,
    nextCursor: rest.length > PAGE_SIZE ? tools.at(-1)?.name : undefined,
  };
}

/** Finds the view of a caller: by object first, then by grant set. */
export class Views<
  Tool extends ListedTool = CatalogTool,
  Resource extends Guarded = CatalogResource,
  Prompt extends Guarded = CatalogPrompt,
> {
  readonly #catalog: Whole<Tool, Resource, Prompt>;
  readonly #filters: readonly Filter<Tool>[];
  readonly #byCaller = new WeakMap<Caller, View<Tool, Resource, Prompt>>();
  readonly #byPower = new Map<string, View<Tool, Resource, Prompt>>();

  constructor(catalog: Whole<Tool, Resource, Prompt>, filters: readonly Filter<Tool>[] = []) {
    this.#catalog = catalog;
    this.#filters = filters;
  }

  of(caller: Caller): View<Tool, Resource, Prompt> {
    const known = this.#byCaller.get(caller);
    if (known !== undefined) return known;
    const key = powerKeyOf(caller);
    const view = this.#byPower.get(key) ?? new View(this.#catalog, caller, this.#filters);
    if (this.#byPower.size >= MAX_CACHED) this.#byPower.clear();
    this.#byPower.set(key, view);
    this.#byCaller.set(caller, view);
    return view;
  }
}
