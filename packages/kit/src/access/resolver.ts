/** The one place that decides which tools, resources and prompts a caller has; list and call both ask it. */
import type { Caller } from './caller.ts';
import { isUnwatched, mayAdminister } from './caller.ts';
import { isGranted, isNamed } from './grants.ts';

/** Why something is not there for a caller. */
export type HiddenReason =
  | 'agent_missing'
  | 'no_grant'
  | 'not_in_set'
  | 'privileged'
  | 'unattended'
  | 'not_available';

/**
 * Whether something is outside the default set. `true`: a grant has to name it, or be the wildcard of an owner or
 * administrator. `'by-name'`: a grant has to name it, whoever holds it.
 */
export type Privileged = boolean | 'by-name';

/** What the resolver needs to know of a tool, resource or prompt. */
export interface Guarded {
  /** As callers see it. */
  readonly name: string;
  /** The name that grants use, where callers see another. */
  readonly granted?: string;
  readonly toolset: string;
  readonly privileged?: Privileged;
  readonly unattended?: 'block' | undefined;
  readonly callers?: 'agents' | undefined;
  readonly available?: ((caller: Caller) => boolean) | undefined;
  /** Decides in place of grants that name it, by nothing but the power of the caller: for what stands for other things. */
  readonly heldBy?: ((caller: Caller) => boolean) | undefined;
}

/** The part of the decision that depends on the caller's power alone, so it can be cached per grant set. */
export function hiddenByPower(item: Guarded, caller: Caller): HiddenReason | undefined {
  if (item.callers === 'agents' && caller.agent === undefined) return 'agent_missing';
  if (item.heldBy !== undefined) return item.heldBy(caller) ? undefined : 'no_grant';
  const name = item.granted ?? item.name;
  if (!isGranted(caller.grants, item.toolset, name)) return 'no_grant';
  if (!isHeld(caller, item.toolset, name)) return 'not_in_set';
  // An owner's or administrator's wildcard is an explicit grant, but not the name that some tools ask for.
  const isWildcardEnough = item.privileged !== 'by-name' && mayAdminister(caller);
  if (item.privileged && !isWildcardEnough && !isNamed(caller.grants, item.toolset, name))
    return 'privileged';
  if (item.unattended === 'block' && isUnwatched(caller)) return 'unattended';
  return undefined;
}

function isHeld({ held }: Caller, toolset: string, name: string): boolean {
  return held === undefined || !Object.hasOwn(held, toolset) || held[toolset]?.includes(name) === true;
}

/** The whole decision: undefined means the caller has it. */
export function hiddenReason(item: Guarded, caller: Caller): HiddenReason | undefined {
  const reason = hiddenByPower(item, caller);
  if (reason !== undefined) return reason;
  return item.available === undefined || item.available(caller) ? undefined : 'not_available';
}
