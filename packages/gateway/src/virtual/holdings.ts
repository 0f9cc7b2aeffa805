/** What a member brings into a virtual MCP: tools, resources and prompts, each with the place whose grants decide about it. */
import type {
  AnyPrompt,
  AnyResource,
  AnyTool,
  Installed,
  OutsidePrompt,
  OutsideResource,
  OutsideTool,
} from '@parley/kit';
import { isKeptResult } from './kept-results.ts';

/** Whose it is: a connection, a toolset or a virtual MCP. Grants and records name it. */
export interface Place {
  readonly toolset: string;
  readonly title: string;
  readonly services: unknown;
  /** Why what is listed of it may not be what there is. */
  readonly degraded?: Installed['toolset']['degraded'];
}

interface Held<Item> {
  /** As its holder shows it; of a resource, the URI. */
  readonly name: string;
  readonly place: Place;
  readonly item: Item;
}

type Shown<Item> = Item & { readonly shown?: string };
export type HeldTool = Held<AnyTool | OutsideTool> & { readonly isCode?: true };
export type HeldResource = Held<Shown<AnyResource | OutsideResource>>;
export type HeldPrompt = Held<Shown<AnyPrompt | OutsidePrompt>>;

/** All that somebody holds. */
export interface Holdings {
  readonly tools: readonly HeldTool[];
  readonly resources: readonly HeldResource[];
  readonly prompts: readonly HeldPrompt[];
  /** True: some of its results may be longer than an answer, and are kept. */
  readonly keepsResults: boolean;
}

/** What a connection or toolset holds, under the names that it has there. */
export function holdingsOf({ toolset, services }: Installed): Holdings {
  const { name, title, degraded } = toolset;
  const place = { toolset: name, title, services, ...(degraded && { degraded }) };
  const all: readonly Shown<AnyResource | OutsideResource>[] = toolset.resources ?? [];
  const resources = all.filter(({ uri }) => !isKeptResult(uri));
  const prompts: readonly Shown<AnyPrompt | OutsidePrompt>[] = toolset.prompts ?? [];
  return {
    tools: toolset.tools.map((item) => ({ name: item.name, place, item })),
    resources: resources.map((item) => ({ name: item.shown ?? item.uri, place, item })),
    prompts: prompts.map((item) => ({ name: item.shown ?? item.name, place, item })),
    keepsResults: resources.length < all.length,
  };
}

/** Toolsets of all that is held, each under the name whose grants decide; a place that is held twice is one. */
export function toolsetsOf({ tools, resources, prompts }: Omit<Holdings, 'keepsResults'>): Installed[] {
  const places = new Map<string, Place>();
  for (const { place } of [...tools, ...resources, ...prompts])
    if (!places.has(place.toolset)) places.set(place.toolset, place);
  return [...places.values()].map(({ toolset, title, services, degraded }) => {
    const of = <Item>(held: readonly Held<Item>[]) =>
      held.filter(({ place }) => place.toolset === toolset).map(({ item }) => item);
    return {
      toolset: {
        kind: 'toolset',
        name: toolset,
        title,
        ...(degraded && { degraded }),
        tools: of(tools),
        resources: onceEach(of(resources), ({ uri }) => uri),
        prompts: onceEach(of(prompts), ({ name }) => name),
      },
      services,
    };
  });
}

/** A connection that is reached by two ways has its documents once. */
function onceEach<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const byKey = new Map<string, Item>();
  for (const item of items) if (!byKey.has(keyOf(item))) byKey.set(keyOf(item), item);
  return [...byKey.values()];
}
