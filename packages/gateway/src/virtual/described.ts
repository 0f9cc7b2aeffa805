/** A virtual MCP as whoever keeps it sees it: every name that it shows and whose it is, and what each mode costs a model. */
import type { CatalogTool, Caller, Effect, Engine } from '@parley/kit';
import { tokenCost } from '@parley/kit';
import type { Composed } from './compose.ts';
import { CONNECTION_META } from './compose.ts';
import type { HeldTool } from './holdings.ts';
import type { Mode } from './modes.ts';
import { MODES } from './modes.ts';

/** A tool under the name that clients see. */
export interface DescribedTool {
  readonly name: string;
  readonly title: string;
  /** The connection that it comes from; null: it is a tool in code of the virtual MCP itself. */
  readonly connection: { readonly id: string; readonly title: string } | null;
  /** The name that its server gave it. */
  readonly upstreamName: string;
  readonly effect: Effect;
  /** Tokens that its definition takes; null: the caller does not have it. */
  readonly tokens: number | null;
}

/** What a client gets in one mode, as far as the caller has it. */
export interface ModeCost {
  readonly mode: Mode;
  readonly tools: number;
  readonly tokens: number;
}

export interface DescribedVirtual {
  readonly isActive: boolean;
  readonly tools: readonly DescribedTool[];
  readonly modes: readonly ModeCost[];
  /** What is not as it was set up. */
  readonly notes: readonly string[];
}

/** Describes what was put together, to a caller; `engineOf` gives the engine of a mode. */
export async function described(
  { tools, notes }: Pick<Composed, 'tools' | 'notes'>,
  caller: Caller,
  engineOf: (mode: Mode) => Engine,
): Promise<Omit<DescribedVirtual, 'isActive'>> {
  const modes: ModeCost[] = [];
  let own: readonly CatalogTool[] = [];
  for (const mode of MODES) {
    const engine = engineOf(mode);
    await engine.ready(caller);
    const listed = engine.view(caller).listedTools(caller);
    if (mode === 'passthrough') own = listed;
    const tokens = listed.reduce((sum, { definition }) => sum + tokenCost(definition), 0);
    modes.push({ mode, tools: listed.length, tokens });
  }
  const byName = new Map(own.map((tool) => [tool.name, tool]));
  return { tools: tools.map((held) => toolOf(held, byName.get(held.name))), modes, notes };
}

function toolOf(held: HeldTool, listed: CatalogTool | undefined): DescribedTool {
  const { name, item, isCode } = held;
  const origin = isCode === true ? undefined : originOf(held);
  return {
    name,
    title: item.title ?? name,
    connection: origin === undefined ? null : { id: origin.id, title: origin.title },
    upstreamName: origin?.name ?? name,
    effect: item.effect,
    tokens: listed === undefined ? null : tokenCost(listed.definition),
  };
}

interface Origin {
  readonly id: string;
  readonly title: string;
  readonly name: string;
}

/** Whose it is, as its definition says to clients. */
function originOf({ item, place }: HeldTool): Origin {
  const given = (item.kind === 'outside-tool' ? item.definition?._meta : undefined) ?? item._meta ?? {};
  const said = given[CONNECTION_META] as Origin | undefined; // written by `withOrigin` alone
  return said ?? { id: place.toolset, title: place.title, name: item.granted ?? item.name };
}
