/** What one caller sees of a catalog: computed once per grant set, then reused by list and call. */
import type { Caller } from './caller.ts';
import { powerKeyOf } from './caller.ts';
import type { Catalog, CatalogPrompt, CatalogResource } from './catalog.ts';
import type { CatalogTool } from './catalog-tool.ts';
import type { Middleware } from './middleware.ts';
import type { Guarded } from './resolver.ts';
import { hiddenByPower } from './resolver.ts';

/** A page of tools, as objects and as JSON text ready to be written. */
export interface ToolPage {
  readonly tools: readonly CatalogTool[];
  readonly json: string;
  readonly nextCursor: string | undefined;
}

const PAGE_SIZE = 1000;
const MAX_CACHED = 1000;

/** The part of a catalog that a grant set allows. */
export class View {
  readonly tools: ReadonlyMap<string, CatalogTool>;
  readonly resources: readonly CatalogResource[];
  readonly prompts: readonly CatalogPrompt[];
  readonly #conditional: readonly CatalogTool[];
  readonly #filters: readonly NonNullable<Middleware['list']>[];
  readonly #pages = new Map<string, ToolPage>();

  constructor(catalog: Catalog, caller: Caller, middleware: readonly Middleware[]) {
    const has = (item: Guarded) => hiddenByPower(item, caller) === undefined;
    const tools = catalog.tools.filter(has);
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.resources = catalog.resources.filter(has);
    this.prompts = catalog.prompts.filter(has);
    this.#conditional = tools.filter((tool) => tool.available !== undefined);
    this.#filters = middleware.flatMap(({ list }) => (list === undefined ? [] : [list]));
  }

  /** The tool, unless it is hidden from this caller or does not exist right now. */
  tool(name: string, caller: Caller): CatalogTool | undefined {
    const tool = this.tools.get(name);
    if (tool === undefined || (tool.available !== undefined && !tool.available(caller))) return undefined;
    return this.#filtered([tool], caller)[0];
  }

  /** The page after `after` (a tool name), by name. */
  page(caller: Caller, after = ''): ToolPage {
    if (this.#filters.length > 0) return makePage(this.#filtered(this.#present(caller), caller), after);
    // Availability is asked per request only for the few tools that declare it.
    const mask = this.#conditional.map((tool) => (tool.available?.(caller) ? '1' : '0')).join('');
    const key = `${mask} ${after}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    if (this.#pages.size >= MAX_CACHED) this.#pages.clear();
    const page = makePage(this.#present(caller), after);
    this.#pages.set(key, page);
    return page;
  }

  #present(caller: Caller): CatalogTool[] {
    return [...this.tools.values()].filter((tool) => tool.available === undefined || tool.available(caller));
  }

  #filtered(tools: readonly CatalogTool[], caller: Caller): readonly CatalogTool[] {
    return this.#filters.reduce((left, filter) => filter(left, caller), tools);
  }
}

function makePage(all: readonly CatalogTool[], after: string): ToolPage {
  const rest = after === '' ? all : all.filter(({ name }) => name > after);
  const tools = rest.slice(0, PAGE_SIZE);
  return {
    tools,
    json: `[${tools.map(({ json }) => json).join(',')}]`,
    nextCursor: rest.length > PAGE_SIZE ? tools.at(-1)?.name : undefined,
  };
}

/** Finds the view of a caller: by object first, then by grant set. */
export class Views {
  readonly #catalog: Catalog;
  readonly #middleware: readonly Middleware[];
  readonly #byCaller = new WeakMap<Caller, View>();
  readonly #byPower = new Map<string, View>();

  constructor(catalog: Catalog, middleware: readonly Middleware[]) {
    this.#catalog = catalog;
    this.#middleware = middleware;
  }

  of(caller: Caller): View {
    const known = this.#byCaller.get(caller);
    if (known !== undefined) return known;
    const key = powerKeyOf(caller);
    const view = this.#byPower.get(key) ?? new View(this.#catalog, caller, this.#middleware);
    if (this.#byPower.size >= MAX_CACHED) this.#byPower.clear();
    this.#byPower.set(key, view);
    this.#byCaller.set(caller, view);
    return view;
  }
}
