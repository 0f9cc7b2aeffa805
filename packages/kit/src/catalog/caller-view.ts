/** What one caller sees of an endpoint: what its grants allow, found by name and by URI, and the pages of its list. */
import type { Caller } from '../access/caller.ts';
import { powerKeyOf } from '../access/caller.ts';
import { isTouched } from '../access/grants.ts';
import type { Guarded } from '../access/resolver.ts';
import { hiddenByPower } from '../access/resolver.ts';
import type { CatalogPrompt } from './compiled-prompt.ts';
import type { CatalogResource } from './compiled-resource.ts';
import type { CatalogTool } from './compiled-tool.ts';
import type { Cursors } from './cursor.ts';
import { Instructions } from './instructions.ts';
import { listDigest } from './list-digest.ts';
import type { ListedCatalog, ListedResource, ListedTool } from './listing.ts';
import { Recent } from './recent.ts';

/** A page of tools, as objects and as JSON text ready to be written. */
export interface ToolPage<Tool extends ListedTool = CatalogTool> {
  readonly tools: readonly Tool[];
  readonly json: string;
  /** Goes on after this page, for callers like this one; undefined: it is the last. */
  readonly nextCursor: string | undefined;
  /** What the list says about itself; absent: nothing. */
  readonly meta?: ListMeta | undefined;
}

/** The lists of a view that come in pages. */
export type ListName = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills';

/** A page of another list than that of tools. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Goes on after this page, for callers like this one; absent: it is the last. */
  readonly nextCursor?: string;
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
const MOST_DIGESTS = 100;

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
  readonly #conditionalResources: readonly Resource[];
  readonly #conditionalPrompts: readonly Prompt[];
  readonly #filters: readonly Filter<Tool>[];
  readonly #shown: ListedCatalog<Tool, Resource, Prompt>;
  /** What every list of the view says about itself. */
  readonly listMeta: ListMeta | undefined;
  #instructions: Instructions | undefined;
  readonly #pages = new Recent<string, ToolPage<Tool>>(MOST_PAGES);
  readonly #digests = new Recent<string, string>(MOST_DIGESTS);
  readonly #cursors: Cursors;

  constructor(
    shown: ListedCatalog<Tool, Resource, Prompt>,
    caller: Caller,
    filters: readonly Filter<Tool>[],
    cursors: Cursors,
  ) {
    const has = (item: Guarded) => hiddenByPower(item, caller) === undefined;
    const tools = shown.tools.filter(has);
    const resources = shown.resources.filter(has);
    this.tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#resources = new Map(resources.map((resource) => [resource.uri, resource]));
    this.#templates = resources.filter(({ template }) => template !== undefined);
    const prompts = shown.prompts.filter(has);
    this.#prompts = new Map(prompts.map((prompt) => [prompt.name, prompt]));
    this.#conditional = tools.filter(isConditional);
    this.#conditionalResources = resources.filter(isConditional);
    this.#conditionalPrompts = prompts.filter(isConditional);
    this.#filters = filters;
    this.#cursors = cursors;
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

  /** All tools that lists show to a caller, by name. */
  listedTools(caller: Caller): readonly Tool[] {
    const present = [...this.tools.values()].filter(
      (tool) => tool.unlisted !== true && isThere(tool, caller),
    );
    return this.#filters.length === 0 ? present : this.#filtered(present, caller);
  }

  /** A page of the tools, by name; a cursor that is not of this list as it is now is a protocol fault. */
  page(caller: Caller, cursor?: string): ToolPage<Tool> {
    const from = cursor === undefined ? 0 : this.#cursors.read(cursor, this.#cursorList('tools', caller));
    if (this.#filters.length > 0) return this.#toolPage(caller, from);
    // What is one page for everybody is not written once for each organization.
    const isCut = this.tools.size > PAGE_SIZE;
    const key = `${this.#mask('tools', caller)} ${from} ${isCut ? caller.organizationId : ''}`;
    const cached = this.#pages.get(key);
    if (cached !== undefined) return cached;
    const page = this.#toolPage(caller, from);
    this.#pages.set(key, page);
    return page;
  }

  /** A page of resources; a bad cursor is a protocol fault. */
  resourcePage(
    list: 'resources' | 'templates' | 'skills',
    caller: Caller,
    cursor?: string,
    size?: number,
  ): Page<Resource> {
    return this.#cut(list, this.#resourcesIn(list, caller), caller, { cursor, size });
  }

  /** A page of prompts; a bad cursor is a protocol fault. */
  promptPage(caller: Caller, cursor?: string): Page<Prompt> {
    return this.#cut('prompts', this.prompts(caller), caller, { cursor });
  }

  /** Equal, in every process, as long as a caller sees the same of a list. */
  digest(list: ListName, caller: Caller): string {
    const make = () => listDigest(this.#itemsOf(list, caller));
    // What a filter says may be another at any moment.
    if (list === 'tools' && this.#filters.length > 0) return make();
    const key = `${list} ${this.#mask(list, caller)}`;
    const known = this.#digests.get(key);
    if (known !== undefined) return known;
    const digest = make();
    this.#digests.set(key, digest);
    return digest;
  }

  #itemsOf(list: ListName, caller: Caller): readonly (Tool | Resource | Prompt)[] {
    if (list === 'tools') return this.listedTools(caller);
    return list === 'prompts' ? this.prompts(caller) : this.#resourcesIn(list, caller);
  }

  #resourcesIn(list: 'resources' | 'templates' | 'skills', caller: Caller): Resource[] {
    const all = this.resources(caller);
    if (list === 'skills') return all.filter(({ skill }) => skill !== undefined);
    const isTemplate = list === 'templates';
    return all.filter(
      ({ unlisted, template }) => unlisted !== true && (template !== undefined) === isTemplate,
    );
  }

  /** Availability is asked per request only for the few items that declare it. */
  #mask(list: ListName, caller: Caller): string {
    const guarded: readonly Guarded[] =
      list === 'tools'
        ? this.#conditional
        : list === 'prompts'
          ? this.#conditionalPrompts
          : this.#conditionalResources;
    return guarded.map((item) => (item.available?.(caller) ? '1' : '0')).join('');
  }

  #cursorList(list: ListName, caller: Caller) {
    const { organizationId } = caller;
    return { list, organizationId, power: powerKeyOf(caller), digest: this.digest(list, caller) };
  }

  #cut<Item>(
    list: ListName,
    all: readonly Item[],
    caller: Caller,
    {
      cursor,
      size = PAGE_SIZE,
    }: { readonly cursor?: string | undefined; readonly size?: number | undefined },
  ): Page<Item> {
    const from = cursor === undefined ? 0 : this.#cursors.read(cursor, this.#cursorList(list, caller));
    const next = from + size;
    if (next >= all.length) return { items: all.slice(from) };
    const nextCursor = this.#cursors.write(next, this.#cursorList(list, caller));
    return { items: all.slice(from, next), nextCursor };
  }

  #toolPage(caller: Caller, from: number): ToolPage<Tool> {
    const all = this.listedTools(caller);
    const next = from + PAGE_SIZE;
    const tools = all.slice(from, next);
    const { listMeta } = this;
    return {
      tools,
      json: `[${tools.map(({ json }) => json).join(',')}]`,
      nextCursor:
        next < all.length ? this.#cursors.write(next, this.#cursorList('tools', caller)) : undefined,
      ...(listMeta !== undefined && { meta: listMeta }),
    };
  }

  #filtered(tools: readonly Tool[], caller: Caller): readonly Tool[] {
    return this.#filters.reduce((left, filter) => filter(left, caller), tools);
  }
}

function isConditional({ available }: Guarded): boolean {
  return available !== undefined;
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
