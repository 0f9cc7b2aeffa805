/** A catalog written down as JSON: what a program can list before it loads the code of its toolsets. */
import { isTeam, mayAdminister } from '../access/caller.ts';
import type { Caller } from '../access/caller.ts';
import { reservedFor } from '../access/reserved.ts';
import type { Catalog } from './catalog.ts';
import { byName } from './names.ts';
import type { ListedCatalog, ListedTool, ListedToolset } from './listing.ts';

/**
 * When a described tool exists: always when absent, for owners and administrators, for the team, for those who hold the
 * whole toolset besides, or as its code says. The last cannot be told from a description.
 */
export type DescribedCondition = 'administrators' | 'team' | 'owners-all' | 'administrators-all' | 'code';

/** What the resolver needs to know of something that is written down. */
export interface GuardDescription {
  readonly name: string;
  readonly toolset: string;
  readonly privileged?: true | 'by-name';
  readonly unattended?: 'block';
  readonly callers?: 'agents';
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
    resources: resources.map((entry) => ({ ...guardOf(entry), uri: entry.uri })),
    prompts: prompts.map(guardOf),
  };
}

/** Puts descriptions together. */
export function mergeDescriptions(...parts: readonly CatalogDescription[]): CatalogDescription {
  return {
    toolsets: parts.flatMap(({ toolsets }) => toolsets),
    tools: parts.flatMap(({ tools }) => tools).toSorted(byName),
    resources: parts.flatMap(({ resources }) => resources).toSorted(byName),
    prompts: parts.flatMap(({ prompts }) => prompts).toSorted(byName),
  };
}

/** The catalog that was written down, as far as it can be listed. */
export function describedCatalog(description: CatalogDescription): ListedCatalog {
  const { toolsets, tools, resources, prompts } = description;
  return {
    toolsets,
    tools: tools.map((tool) => listedTool(withCondition(tool), tool.json)),
    resources: resources.map((resource) => ({ ...withCondition(resource), uri: resource.uri })),
    prompts: prompts.map(withCondition),
  };
}

/**
 * True when only code can tell which tools of these toolsets exist for people; all toolsets when none are named. Who
 * acts as an agent is known by code alone, and so are their tools.
 */
export function asksCode(description: CatalogDescription, toolsets: readonly string[]): boolean {
  const isServed = ({ toolset }: GuardDescription) => toolsets.length === 0 || toolsets.includes(toolset);
  return description.tools.some(
    (tool) => tool.available === 'code' && tool.callers !== 'agents' && isServed(tool),
  );
}

/** True when a catalog guards the same things in the same way as what was written down. */
export function fitsDescription(catalog: ListedCatalog, description: CatalogDescription): boolean {
  const guardsOf = ({ tools, resources, prompts }: ListedCatalog) =>
    JSON.stringify([tools.map(guardOf), resources.map(guardOf), prompts.map(guardOf)]);
  return guardsOf(catalog) === guardsOf(describedCatalog(description));
}

type Guarded = ListedCatalog['prompts'][number];

function listedTool(guard: Guarded, json: string): ListedTool {
  return {
    ...guard,
    json,
    renamed(name) {
      const shown = { ...guard, name, granted: guard.granted ?? guard.name };
      // Written by us: an object whose name comes first, and stays there.
      return listedTool(shown, JSON.stringify({ ...(JSON.parse(json) as object), name }));
    },
  };
}

function guardOf({ name, toolset, privileged, unattended, callers, available }: Guarded): GuardDescription {
  return {
    name,
    toolset,
    ...(privileged && { privileged }),
    ...(unattended !== undefined && { unattended }),
    ...(callers !== undefined && { callers }),
    ...(available !== undefined && { available: conditionOf(available, toolset) }),
  };
}

function conditionOf(available: NonNullable<Guarded['available']>, toolset: string): DescribedCondition {
  if (available === mayAdminister) return 'administrators';
  if (available === reservedFor('owners', toolset)) return 'owners-all';
  if (available === reservedFor('administrators', toolset)) return 'administrators-all';
  return available === isTeam ? 'team' : 'code';
}

const CONDITIONS: Readonly<Record<DescribedCondition, (toolset: string) => (caller: Caller) => boolean>> = {
  administrators: () => mayAdminister,
  team: () => isTeam,
  'owners-all': (toolset) => reservedFor('owners', toolset),
  'administrators-all': (toolset) => reservedFor('administrators', toolset),
  code: () => () => false,
};

function withCondition({ available, ...guard }: GuardDescription): Guarded {
  if (available === undefined) return guard;
  // A program asks `asksCode` before it lists without the code, so what only code can decide stays hidden.
  return { ...guard, available: CONDITIONS[available](guard.toolset) };
}
