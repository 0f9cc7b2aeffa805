/** Why an agent has a tool or does not: the list, bundle or set that decides, in a sentence. */
import type { GivenBundles } from './given-bundles.ts';

/** What decides about the tools of an agent. */
export interface Deciding {
  readonly isWeb: boolean;
  /** The list of the agent; null: the default set. */
  readonly base: readonly string[] | null;
  readonly defaults: readonly string[];
  readonly bundles: GivenBundles;
}

export function whyOf(tool: string, { isWeb, base, defaults, bundles }: Deciding): string {
  if (isWeb) return 'Lists and bundles do not count for somebody who is signed in to the console.';
  if ((base ?? defaults).includes(tool))
    return base === null ? 'The default set has it.' : "The agent's own list names it.";
  const having = (list: GivenBundles['agent']) => list.find(({ tools }) => tools.includes(tool));
  const own = having(bundles.agent);
  if (own !== undefined) return `The bundle "${own.name}" of the agent gives it.`;
  const projects = having(bundles.project);
  if (projects !== undefined) return `The bundle "${projects.name}" of the project gives it.`;
  const left =
    base === null
      ? 'The agent has the default set, which leaves it out'
      : "The agent's own list leaves it out";
  const names = [...bundles.agent, ...bundles.project].map(({ name }) => `"${name}"`);
  return names.length === 0
    ? `${left}, and the agent has no bundles.`
    : `${left}, and so do its bundles ${names.join(', ')}.`;
}
