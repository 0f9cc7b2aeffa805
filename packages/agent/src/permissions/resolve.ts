/** Which tools an agent has: the one place where the steps of permission resolution stand, in their order. */
import type { GivenBundles } from './given-bundles.ts';

/** What decides, all of it known already. */
export interface ResolutionInput {
  /** Every tool that there is now, in the order of its definition: built-ins, then those of plugins. */
  readonly registered: readonly string[];
  /** The names of the default set. */
  readonly defaults: readonly string[];
  readonly isWeb: boolean;
  /** The list of the agent; null: the default set. */
  readonly base: readonly string[] | null;
  readonly bundles: GivenBundles;
}

/** What came out. */
export interface Resolution {
  /** The names that the agent is held to; undefined: to none, as for `web`. */
  readonly held: readonly string[] | undefined;
  /** Names in lists and bundles that stand for no tool. */
  readonly unknown: readonly string[];
}

/** Steps 4 to 8; the caller's grants (3), and who watches (9), are the kit's to look at. */
export function resolveTools({ registered, defaults, isWeb, base, bundles }: ResolutionInput): Resolution {
  const given = [...bundles.agent, ...bundles.project].flatMap(({ tools }) => tools);
  const named = new Set([...(base ?? defaults), ...given]);
  const known = new Set(registered);
  return {
    // Only tools: a list that names a right of the routes, or a document, gives nothing.
    held: isWeb ? undefined : registered.filter((name) => named.has(name)),
    unknown: [...named].filter((name) => !known.has(name)),
  };
}
