/** When a tool, resource or prompt exists: its own condition, bound to the services it asks. */
import type { Caller } from './caller.ts';
import { isOwner, isTeam, mayAdminister } from './caller.ts';
import { reservedFor } from './reserved.ts';
import type { Guarded, Privileged } from './resolver.ts';

/** A condition as a tool declares it. */
export type Condition = (services: never, caller: Caller) => boolean;

/** For `available`: there for owners and administrators only. It asks nothing but the caller, so a description can name it. */
export function administratorsOnly(_services: unknown, caller: Caller): boolean {
  return mayAdminister(caller);
}

/** For `available`: there for the team, not for visitors. */
export function teamOnly(_services: unknown, caller: Caller): boolean {
  return isTeam(caller);
}

/** For `available`: there for owners whose grants hold the whole toolset; a key that names single tools is not enough. */
export function ownersWithAll(_services: unknown, caller: Caller): boolean {
  return isOwner(caller);
}

/** For `available`: the same for owners and administrators. */
export function administratorsWithAll(_services: unknown, caller: Caller): boolean {
  return mayAdminister(caller);
}

/** What the resolver has to know of a definition. */
export function guardOf(
  definition: {
    readonly privileged?: Privileged;
    readonly unattended?: 'block';
    readonly callers?: 'agents';
    readonly heldBy?: Guarded['heldBy'];
    available?: Condition;
  },
  {
    name,
    toolset,
    services,
  }: { readonly name: string; readonly toolset: string; readonly services: unknown },
): Guarded {
  const { privileged = false, unattended, callers, available, heldBy } = definition;
  return {
    name,
    toolset,
    privileged,
    unattended,
    callers,
    available: bindCondition(available, services, toolset),
    ...(heldBy !== undefined && { heldBy }),
  };
}

/** The condition as the resolver asks it. */
function bindCondition(
  condition: Condition | undefined,
  services: unknown,
  toolset: string,
): ((caller: Caller) => boolean) | undefined {
  if (condition === undefined) return undefined;
  if (condition === ownersWithAll) return reservedFor('owners', toolset);
  if (condition === administratorsWithAll) return reservedFor('administrators', toolset);
  if (condition === administratorsOnly) return mayAdminister;
  if (condition === teamOnly) return isTeam;
  // The services are those of the toolset that the condition is declared in.
  return (caller) => condition(services as never, caller);
}
