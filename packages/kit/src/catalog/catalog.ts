/** The catalog: every definition, schema and validator, built once and in a fixed order. */
import { bindCondition } from '../access/availability.ts';
import { byName, refuseBadNames } from './names.ts';
import { compileOutsideTool, compileTool } from './compiled-tool.ts';
import type { CatalogTool } from './compiled-tool.ts';
import type { JsonSchema } from '../define/context.ts';
import type { ListedToolset } from './listing.ts';
import type { AnyPrompt } from '../define/prompt.ts';
import type { AnyResource } from '../define/resource.ts';
import type { Guarded } from '../access/resolver.ts';
import type { Installed } from '../define/toolset.ts';

/** A resource with the services it reads from. */
export interface CatalogResource extends Guarded {
  readonly resource: AnyResource;
  readonly services: unknown;
}

/** A prompt with the services it uses. */
export interface CatalogPrompt extends Guarded {
  readonly prompt: AnyPrompt;
  readonly services: unknown;
}

/** Everything that is served, sorted by name. */
export interface Catalog {
  readonly tools: readonly CatalogTool[];
  readonly resources: readonly CatalogResource[];
  readonly prompts: readonly CatalogPrompt[];
  readonly toolsets: readonly ListedToolset[];
}

const TOOLSET_NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** Builds the catalog; a duplicate or ill-formed name is refused here, not at the first call. */
export function createCatalog(installed: readonly Installed[], handleSchema?: JsonSchema): Catalog {
  const tools: CatalogTool[] = [];
  const resources: CatalogResource[] = [];
  const prompts: CatalogPrompt[] = [];
  for (const { toolset, services } of installed) {
    if (!TOOLSET_NAME.test(toolset.name)) {
      throw new Error(`Toolset name "${toolset.name}" must be lower case letters, digits and dashes.`);
    }
    for (const tool of toolset.tools) {
      const compiled =
        tool.kind === 'tool'
          ? compileTool(tool, toolset.name, services, handleSchema)
          : compileOutsideTool(tool, toolset.name, services);
      tools.push(compiled);
    }
    for (const resource of toolset.resources ?? []) {
      resources.push({ ...guardOf(resource, toolset.name, services), resource, services });
    }
    for (const prompt of toolset.prompts ?? []) {
      prompts.push({ ...guardOf(prompt, toolset.name, services), prompt, services });
    }
  }
  const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  refuseBadNames({
    toolsets: installed.map(({ toolset }) => toolset.name),
    tools: namesOf(tools),
    prompts: namesOf(prompts),
    resources: namesOf(resources),
    resourceUris: resources.map(({ resource }) => resource.uri),
  });
  return {
    tools: tools.toSorted(byName),
    resources: resources.toSorted(byName),
    prompts: prompts.toSorted(byName),
    toolsets: installed.map(({ toolset: { name, title, instructions, rights } }) => ({
      name,
      title,
      ...(instructions !== undefined && { instructions }),
      ...(rights !== undefined && { rights }),
    })),
  };
}

function guardOf(item: AnyResource | AnyPrompt, toolset: string, services: unknown): Guarded {
  return {
    name: item.name,
    toolset,
    privileged: item.privileged ?? false,
    unattended: item.unattended,
    available: bindCondition(item.available, services),
  };
}
