/** Which tools an agent has: the one place where the steps of permission resolution stand, in their order. */

/** What decides, all of it known already. */
export interface ResolutionInput {
  /** Every tool that there is now, in the order of its definition: built-ins that are registered, then those of plugins. */
  readonly registered: readonly string[];
  /** The names of the default set. */
  readonly defaults: readonly string[];
  readonly isWeb: boolean;
  /** The list of the agent; null: the default set. */
  readonly base: readonly string[] | null;
  readonly agentBundles: readonly (readonly string[])[];
  readonly projectBundles: readonly (readonly string[])[];
}

/** What came out. */
export interface Resolution {
  /** The names that the agent is held to; undefined: to none, as for `web`. */
  readonly held: readonly string[] | undefined;
  /** Names in lists and bundles that stand for no tool. */
  readonly unknown: readonly string[];
}

/** Steps 4 to 8; the caller's grants (3), and who watches (9), are the kit's to look at. */
export function resolveTools(input: ResolutionInput): Resolution {
  if (input.isWeb) return { held: undefined, unknown: [] };
  const base = input.base ?? input.defaults;
  const named = new Set([base, ...input.agentBundles, ...input.projectBundles].flat());
  const registered = new Set(input.registered);
  const known = new Set([...input.registered, ...input.defaults]);
  return {
    held: input.registered.filter((name) => named.has(name)),
    unknown: [...named].filter((name) => !registered.has(name) && !known.has(name)),
  };
}
