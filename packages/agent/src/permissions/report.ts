/** The tools that a caller has as an agent, what is kept from it and why: the resolver's decision, tool by tool. */
import type { Caller, Guarded, HiddenReason } from '@parley/kit';
import { hiddenReason } from '@parley/kit';
import { AGENT } from '../name.ts';

/** Why an agent does not have a tool, in the words of records and reports. */
export type RemovedReason = (typeof REMOVED_REASONS)[number];

/** `capability`: it is listed, but its plugin lacks what it says it needs, so that every call is refused. */
export const REMOVED_REASONS = [
  'not_granted',
  'not_in_set',
  'unattended',
  'not_registered',
  'agent_missing',
  'capability',
] as const;

/** What an agent has. */
export interface ToolReport {
  readonly tools: readonly string[];
  readonly removed: readonly { readonly name: string; readonly reason: RemovedReason }[];
  /** Names in its lists and bundles that stand for no tool. */
  readonly unknown: readonly string[];
}

const WORDS: Readonly<Record<HiddenReason, RemovedReason>> & Readonly<Record<string, RemovedReason>> = {
  agent_missing: 'agent_missing',
  no_grant: 'not_granted',
  privileged: 'not_granted',
  not_in_set: 'not_in_set',
  unattended: 'unattended',
  not_available: 'not_registered',
  capability: 'capability',
};

/** The word for a reason of the kit; whatever has none of them is not there. */
export function removedReasonOf(reason: string): RemovedReason {
  return (Object.hasOwn(WORDS, reason) ? WORDS[reason] : undefined) ?? 'not_registered';
}

/** Asks the resolver for each tool; without a caller the agent is gone. What only lacks a capability is `lacking`. */
export function reportOf(
  tools: readonly Omit<Guarded, 'toolset'>[],
  caller: Caller | undefined,
  lacking?: ReadonlyMap<string, unknown>,
): Omit<ToolReport, 'unknown'> {
  const decided = tools.map((tool) => ({
    name: tool.name,
    reason:
      caller === undefined
        ? 'agent_missing'
        : (hiddenReason({ ...tool, toolset: AGENT, callers: 'agents' }, caller) ??
          (lacking?.has(tool.name) === true ? 'capability' : undefined)),
  }));
  return {
    tools: decided.filter(({ reason }) => reason === undefined).map(({ name }) => name),
    removed: decided.flatMap(({ name, reason }) =>
      reason === undefined ? [] : [{ name, reason: removedReasonOf(reason) }],
    ),
  };
}
