/** The lists of tools that permission resolution speaks of, computed from the definitions. */
import type { Privileged } from '@parley/kit';
import { agentTools } from './index.ts';

/** What resolution has to know of a built-in tool. */
interface BuiltIn {
  readonly name: string;
  readonly privileged: Privileged;
  readonly isBlocked: boolean;
}

/** Every built-in tool. */
export const AGENT_TOOLS: readonly BuiltIn[] = agentTools.map(
  // As each literal may leave them out.
  ({
    name,
    privileged = false,
    unattended,
  }: {
    name: string;
    privileged?: Privileged;
    unattended?: 'block';
  }) => ({
    name,
    privileged,
    isBlocked: unattended === 'block',
  }),
);

/** What an agent without a list of its own has. */
export const DEFAULT_ALLOWED_TOOLS: readonly string[] = AGENT_TOOLS.filter(
  ({ privileged }) => !privileged,
).map(({ name }) => name);

/** What nobody has while nobody is watching. */
export const SCHEDULER_BLOCKED_TOOLS: readonly string[] = AGENT_TOOLS.filter(
  ({ isBlocked }) => isBlocked,
).map(({ name }) => name);
