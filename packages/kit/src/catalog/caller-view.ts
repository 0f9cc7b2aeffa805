/** What one caller sees of an endpoint: what its grants allow, found by name and by URI, and the pages of its list. */
import type { Caller } from '../access/caller.ts';
import { isTouched } from '../access/grants.ts';
import type { Guarded } from '../access/resolver.ts';
import { hiddenByPower } from '../access/resolver.ts';
import type { CatalogPrompt } from './compiled-prompt.ts';
import type { CatalogResource } from './compiled-resource.ts';
import type { CatalogTool } from './compiled-tool.ts';
import { Instructions } from './instructions.ts';
import type { ListedCatalog, ListedResource, ListedTool } from './listing.ts';
import { Recent } from './recent.ts';

/** A page of tools, as objects and as JSON text ready to be written. */
export interface ToolPage<Tool extends ListedTool = CatalogTool> {
  readonly tools: readonly Tool[];
  readonly json: string;
  readonly nextCursor: string | undefined;
  /** What the list says about itself; absent: nothing. */
  readonly meta?: ListMeta | undefined;
}

/** What a list says about itself: which parts of it may not be what there is. */
export interface ListMeta {
  readonly [DEGRADED_KEY]: readonly {
    readonly connectionId: string;
    readonly title: string;
    readonly reason: string;
    readonly since: string;
  }[];
}

export const DEGRADED_KEY = 'parley/degraded';
const PAGE_SIZE = 1000;
const MOST_PAGES = 1000;

/** Leaves out tools that a caller shall not have. */
export type Filter<Tool> = (tools: readonly Tool[], caller: Caller) => readonly Tool[];

/** A resource that a URI stands for. */
export interface FoundResource<Resource> {
  readonly resource: Resource;
  readonly variables: Readonly<Record<string, string>>;
}

/** The part of an endpoint that a grant set allows. */
export class View<
  Tool extends ListedTool = CatalogTool,
  Resource extends ListedResource = CatalogResource,
  Prompt extends Guarded = CatalogPrompt,
> {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly #prompts: ReadonlyMap<string, Prompt>;
  readonly #resources: ReadonlyMap<string, Resource>;
  readonly #templates: readonly Resource[];
  readonly #conditional: readonly Tool[];
  readonly #filters: readonly Filter<Tool>[];
  readonly #shown: ListedCatalog<Tool, Resource, Prompt>;
  /** What every list of the view says about itself. */
  readonly listMeta: ListMeta | undefined;
  #instructions: Instructions | undefined;
  readonly #pages = new Recent<string, ToolPage<Tool>>(MOST_PAGES);

  constructor(
    shown: ListedCatalog<Tool, Resource, Prompt>,
    caller: Caller,
    filters: readonly Filter<Tool>[],
  ) {
    const has = (item: Guarded) => hiddenByPower(item, caller) === undefined;
    const tools = shown.tools.filter(has);
    const resources = shown.resources.filter(has);
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#resources = new Map(resources.map((resource) => [resource.uri, resource]));
    this.#templates = resources.filter(({ template }) => template !== undefined);
    this.#prompts = new Map(shown.prompts.filter(has).map((prompt) => [prompt.name, prompt]));
    this.#conditional = tools.filter((tool) => tool.available !== undefined);
    this.#filters = filters;
    this.#shown = shown;
    this.listMeta = listMetaOf(shown, caller);
  }

  /** The tool, unless it is hidden from this caller or does not exist right now. */
  tool(name: string, caller: Caller): Tool | undefined {
    const tool = this.tools.get(name);
    if (tool === undefined || (tool.available !== undefined && !tool.available(caller))) return undefined;
    // Nothing is made for a filter that nobody has.
    return this.#filters.length === 0 ? tool : this.#filtered([tool], caller)[0];
  }

  /** The tool that grants know by this name. */
  granted(toolset: string, name: string, caller: Caller): Tool | undefined {
    for (const tool of this.tools.values()) {
      if (tool.toolset === toolset && (tool.granted ?? tool.name) === name)
        return this.tool(tool.name, caller);
    }
    return undefined;
  }

  /** What a client is told when it connects; nothing about tools that it does not have. */
  instructions(caller: Caller): string | undefined {
    this.#instructions ??= new Instructions(
      this.#shown,
      ({ name }) => this.tools.has(name),
      ({ available }) => available !== undefined || this.#filters.length > 0,
    );
    return this.#instructions.textFor(caller, ({ name }) => this.tool(name, caller) !== undefined);
  }

  prompt(name: string, caller: Caller): Prompt | undefined {
    const prompt = this.#prompts.get(name);
    return prompt !== undefined && isThere(prompt, caller) ? prompt : undefined;
  }

  /** The resource or template that is listed under exactly this URI. */
  listed(uri: string, caller: Caller): Resource | undefined {
    const resource = this.#resources.get(uri);
    return resource !== undefined && isThere(resource, caller) ? resource : undefined;
  }

  /** What a URI stands for; a fixed URI wins over a template that fits it too. */
  resource(uri: string, caller: Caller): FoundResource<Resource> | undefined {
    const fixed = this.listed(uri, caller);
    if (fixed !== undefined && fixed.template === undefined) return { resource: fixed, variables: {} };
    for (const resource of this.#templates) {
      const variables = isThere(resource, caller) ? resource.template?.match(uri) : undefined;
      if (variables !== undefined) return { resource, variables };
    }
    return undefined;
  }

  prompts(caller: Caller): Prompt[] {
    return [...this.#prompts.values()].filter((prompt) => isThere(prompt, caller));
  }

  resources(caller: Caller): Resource[] {
    return [...this.#resources.values()].filter((resource) => isThere(resource, caller));
  }

  /** The page after `after` (a tool name), by name. */
  page(caller: Caller, after = ''): ToolPage<Tool> {
    const { listMeta } = this;
    if (this.#filters.length > 0)
      return makePage(this.#filtered(this.#present(caller), caller), after, listMeta);
    // Availability is asked per request only for the few tools that declare it.
    const mask = this.#conditional.map((tool) => (tool.available?.(caller) ? '1' : '0')).join('');
    // Any text can be a cursor; only the names of tools are worth remembering, or memory would be the client's to fill.
    if (after !== '' && !this.tools.has(after)) return makePage(this.#present(caller), after, listMeta);
    const key = `${mask} ${after}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = makePage(this.#present(caller), after, listMeta);
    this.#pages.set(key, page);
    return page;
  }

  #present(caller: Caller): Tool[] {
    return [...this.tools.values()].filter((tool) => tool.unlisted !== true && isThere(tool, caller));
  }

  #filtered(tools: readonly Tool[], caller: Caller): readonly Tool[] {
    return this.#filters.reduce((left, filter) => filter(left, caller), tools);
  }
}

function isThere({ available }: Guarded, caller: Caller): boolean {
  return available === undefined || available(caller);
}

/** Only what the caller holds something of: nobody learns of a connection that is not theirs. */
function listMetaOf({ toolsets }: Pick<ListedCatalog, 'toolsets'>, { grants }: Caller): ListMeta | undefined {
  const degraded = toolsets.flatMap(({ name, title, degraded: why }) =>
    why === undefined || !isTouched(grants, name) ? [] : [{ connectionId: name, title, ...why }],
  );
  return degraded.length === 0 ? undefined : { [DEGRADED_KEY]: degraded };
}

function makePage<Tool extends ListedTool>(
  all: readonly Tool[],
  after: string,
  meta: ListMeta | undefined,
): ToolPage<Tool> {
  const rest = after === '' ? all : all.filter(({ name }) => name > after);
  const tools = rest.slice(0, PAGE_SIZE);
  return {
    tools,
    json: `[${tools.map(({ json }) => json).join(',')}]`,
    nextCursor: rest.length > PAGE_SIZE ? tools.at(-1)?.name : undefined,
    ...(meta !== undefined && { meta }),
  };
}
