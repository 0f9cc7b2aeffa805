/** A catalog written down as JSON: what a program can list before it loads the code of its toolsets. */
import { isTeam, mayAdminister } from '../access/caller.ts';
import type { Catalog } from './catalog.ts';
import { byName, refuseBadNames } from './names.ts';
import type { ListedCatalog, ListedToolset } from './listing.ts';

/**
 * When a described tool exists: always when absent, for owners and administrators, for the team, or as its code says.
 * The last cannot be told from a description.
 */
export type DescribedCondition = 'administrators' | 'team' | 'code';

/** What the resolver needs to know of something that is written down. */
export interface GuardDescription {
  readonly name: string;
  readonly toolset: string;
  readonly privileged?: true | 'by-name';
  readonly unattended?: 'block';
  readonly available?: DescribedCondition;
}

/** A catalog, written down. */
export interface CatalogDescription {
  readonly toolsets: readonly ListedToolset[];
  readonly tools: readonly (GuardDescription & { readonly json: string })[];
  readonly resources: readonly (GuardDescription & { readonly uri: string })[];
  readonly prompts: readonly GuardDescription[];
}

/** Writes a catalog down. */
export function describeCatalog({ toolsets, tools, resources, prompts }: Catalog): CatalogDescription {
  return {
    toolsets,
    tools: tools.map((tool) => ({ ...guardOf(tool), json: tool.json })),
    resources: resources.map((entry) => ({ ...guardOf(entry), uri: entry.resource.uri })),
    prompts: prompts.map(guardOf),
  };
}

/** Puts descriptions together; a name that stands for two things is refused as by a catalog. */
export function mergeDescriptions(...parts: readonly CatalogDescription[]): CatalogDescription {
  const tools = parts.flatMap((part) => part.tools).toSorted(byName);
  const resources = parts.flatMap((part) => part.resources).toSorted(byName);
  const prompts = parts.flatMap((part) => part.prompts).toSorted(byName);
  const toolsets = parts.flatMap((part) => part.toolsets);
  const namesOf = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  refuseBadNames({
    toolsets: namesOf(toolsets),
    tools: namesOf(tools),
    prompts: namesOf(prompts),
    resources: namesOf(resources),
    resourceUris: resources.map(({ uri }) => uri),
  });
  return { toolsets, tools, resources, prompts };
}

/** The catalog that was written down, as far as it can be listed. */
export function describedCatalog(description: CatalogDescription): ListedCatalog {
  const { toolsets, tools, resources, prompts } = description;
  return {
    toolsets,
    tools: tools.map((tool) => ({ ...withCondition(tool), json: tool.json })),
    resources: resources.map(withCondition),
    prompts: prompts.map(withCondition),
  };
}

/** True when only code can tell which tools of these toolsets exist; all toolsets when none are named. */
export function asksCode(description: CatalogDescription, toolsets: readonly string[]): boolean {
  const isServed = ({ toolset }: GuardDescription) => toolsets.length === 0 || toolsets.includes(toolset);
  return description.tools.some((tool) => tool.available === 'code' && isServed(tool));
}

/** True when a catalog guards the same things in the same way as what was written down. */
export function fitsDescription(catalog: ListedCatalog, description: CatalogDescription): boolean {
  const guardsOf = ({ tools, resources, prompts }: ListedCatalog) =>
    JSON.stringify([tools.map(guardOf), resources.map(guardOf), prompts.map(guardOf)]);
  return guardsOf(catalog) === guardsOf(describedCatalog(description));
}

type Guarded = ListedCatalog['prompts'][number];

function guardOf({ name, toolset, privileged, unattended, available }: Guarded): GuardDescription {
  return {
    name,
    toolset,
    ...(privileged && { privileged }),
    ...(unattended !== undefined && { unattended }),
    ...(available !== undefined && { available: conditionOf(available) }),
  };
}

function conditionOf(available: NonNullable<Guarded['available']>): DescribedCondition {
  if (available === mayAdminister) return 'administrators';
  return available === isTeam ? 'team' : 'code';
}

const CONDITIONS = { administrators: mayAdminister, team: isTeam, code: () => false } as const;

function withCondition({ available, ...guard }: GuardDescription): Guarded {
  if (available === undefined) return guard;
  // Whoever lists without the code asked `asksCode` first; anything else stays hidden.
  return { ...guard, available: CONDITIONS[available] };
}
