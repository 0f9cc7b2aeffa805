/** The catalog: what definitions of toolsets become, compiled once and in a fixed order. */
import type { JsonSchema } from '../define/context.ts';
import type { Installed } from '../define/toolset.ts';
import type { CatalogPrompt } from './compiled-prompt.ts';
import { compilePrompt } from './compiled-prompt.ts';
import type { CatalogResource } from './compiled-resource.ts';
import { compileResource } from './compiled-resource.ts';
import type { CatalogTool } from './compiled-tool.ts';
import { compileOutsideTool, compileTool } from './compiled-tool.ts';
import type { ListedToolset } from './listing.ts';
import { byName, faultOfName, faultOfToolset, OWN } from './names.ts';

/** Everything that is there, sorted by name; names are those of the definitions. */
export interface Catalog {
  readonly tools: readonly CatalogTool[];
  readonly resources: readonly CatalogResource[];
  readonly prompts: readonly CatalogPrompt[];
  readonly toolsets: readonly ListedToolset[];
}

/** How definitions are compiled. */
export interface CompileOptions {
  /** The kind of the source; absent: toolsets of this program. */
  readonly kind?: string;
  /** What a tool that may run as a task publishes besides its output. */
  readonly handleSchema?: JsonSchema | undefined;
  /** Gets what is left out. Absent: what is ill-formed is thrown. */
  readonly onRefused?: (reason: string) => void;
}

/** Builds the catalog of some toolsets; an ill-formed definition is refused here, not at the first call. */
export function createCatalog(installed: readonly Installed[], options: CompileOptions = {}): Catalog {
  return joined(installed.map((one) => compiled(one, options)));
}

/** Several catalogs as one. */
export function joined(catalogs: readonly Catalog[]): Catalog {
  return {
    tools: catalogs.flatMap(({ tools }) => tools).toSorted(byName),
    resources: catalogs.flatMap(({ resources }) => resources).toSorted(byName),
    prompts: catalogs.flatMap(({ prompts }) => prompts).toSorted(byName),
    toolsets: catalogs.flatMap(({ toolsets }) => toolsets),
  };
}

function compiled({ toolset, services }: Installed, options: CompileOptions): Catalog {
  const { kind = OWN, handleSchema, onRefused = refuse } = options;
  const { name, title, instructions, degraded, offers, rights, joinedBy } = toolset;
  const nothing = { tools: [], resources: [], prompts: [], toolsets: [] };
  const fault = faultOfToolset(name, kind);
  if (fault !== undefined) {
    onRefused(fault);
    return nothing;
  }
  const source = kind === OWN ? {} : { source: kind };
  const hasServices = toolset.services !== undefined;
  const owner = { toolset: name, services, hasServices, handleSchema, ...source };
  const sieve = (sort: string) => new Sieve(sort, { toolset: name, kind }, onRefused);
  const [tools, prompts, resources] = [sieve('tool'), sieve('prompt'), sieve('resource')];
  const uris = sieve('resource URI');
  return {
    tools: toolset.tools
      .filter((tool) => tools.takes(tool.name))
      .map((tool) => (tool.kind === 'tool' ? compileTool(tool, owner) : compileOutsideTool(tool, owner))),
    resources: (toolset.resources ?? [])
      // Another server may have many documents of one name, and words of its own for them.
      .filter((resource) => resource.kind !== 'resource' || resources.takes(resource.name))
      .filter(({ uri }) => uris.isNew(uri))
      .map((resource) => compileResource(resource, name, services)),
    prompts: (toolset.prompts ?? [])
      .filter((prompt) => prompts.takes(prompt.name))
      .map((prompt) => compilePrompt(prompt, name, services)),
    toolsets: [
      {
        name,
        title,
        ...(kind !== OWN && { kind }),
        ...(instructions !== undefined && { instructions }),
        ...(degraded !== undefined && { degraded }),
        ...(offers !== undefined && { offers }),
        ...(rights !== undefined && { rights }),
        ...(kind === OWN && joinedBy !== undefined && { joinedBy }),
      },
    ],
  };
}

/** Lets each well-formed name through once. */
class Sieve {
  readonly #sort: string;
  readonly #toolset: string;
  readonly #kind: string;
  readonly #onRefused: (reason: string) => void;
  readonly #seen = new Set<string>();

  constructor(
    sort: string,
    { toolset, kind }: { readonly toolset: string; readonly kind: string },
    onRefused: (reason: string) => void,
  ) {
    this.#sort = sort;
    this.#toolset = toolset;
    this.#kind = kind;
    this.#onRefused = onRefused;
  }

  takes(name: string): boolean {
    const fault = faultOfName(this.#sort, name, this.#kind);
    if (fault !== undefined) this.#onRefused(fault);
    return fault === undefined && this.isNew(name, ' name');
  }

  isNew(name: string, what = ''): boolean {
    const isNew = !this.#seen.has(name);
    if (!isNew) this.#onRefused(`The ${this.#sort}${what} "${name}" is defined twice in "${this.#toolset}".`);
    this.#seen.add(name);
    return isNew;
  }
}

function refuse(reason: string): never {
  throw new Error(reason);
}
