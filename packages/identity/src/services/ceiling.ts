/** The ceiling: nobody gives what they do not hold, and a wildcard alone never names a privileged tool. */
import type { Caller, Grants } from '@parley/kit';
import {
  firstUncovered,
  intersectGrants,
  isGranted,
  mayAdminister,
  ToolError,
  unionGrants,
} from '@parley/kit';
import type { Queryable } from '@parley/store';
import type { RoleDefaults } from '../roles.ts';
import type { AuditMoment } from './audit.ts';

/** Tells which tools only an explicit name gives; `*` as a resource asks for any toolset. */
export type IsPrivileged = (resource: string, tool: string) => boolean;

/** What roles and tools are worth on this server. */
export interface Worth {
  readonly isPrivileged: IsPrivileged;
  readonly roleDefaults: RoleDefaults;
}

/** What new grants are held against. */
export interface Rules extends Worth, AuditMoment {
  /** Throws when the grants name what is not there. */
  readonly refuseUnknown: (
    from: Queryable,
    maker: Caller,
    input: { readonly grants: Grants },
  ) => Promise<void>;
}

/** Throws `forbidden` naming the first grant that the maker does not hold. */
export function requireCovered(maker: Caller, wanted: Grants, isPrivileged: IsPrivileged): void {
  // Such a name means something else on every object, and nobody who holds it could sign in.
  const inherited = Object.keys(wanted).find((resource) => resource in Object.prototype);
  if (inherited !== undefined) throw new ToolError('invalid', `grants: ${inherited} is not a toolset`);
  const missing = firstUncovered(maker.grants, wanted) ?? firstLaundered(maker, wanted, isPrivileged);
  if (missing === undefined) return;
  throw new ToolError(
    'forbidden',
    `You cannot give what you do not have: ${missing.resource}:${missing.tool}`,
    missing,
  );
}

/** What a key with these grants may do for somebody who holds `held`. */
export function cutGrants(own: Grants, held: Grants, isPrivileged: IsPrivileged): Grants {
  const candidates = [...new Set(Object.values(held).flat())].filter((tool) => tool !== '*');
  const resources = [...new Set([...Object.keys(held), ...Object.keys(own)])];
  // Where both sides have a wildcard, their intersection has no names, and a privileged tool needs its name.
  const named = resources.map((resource) => {
    const isTheirs = (tool: string) =>
      isPrivileged(resource, tool) && names(held, resource, tool) && isGranted(own, resource, tool);
    return [resource, candidates.filter(isTheirs)] as const;
  });
  const kept = Object.fromEntries(named.filter(([, tools]) => tools.length > 0));
  return unionGrants([intersectGrants(own, held), kept]);
}

/** The caller without names of privileged tools that the owner of the key holds only by a wildcard. */
export function withoutLaundered(caller: Caller, held: Grants, isPrivileged: IsPrivileged): Caller {
  if (mayAdminister(caller)) return caller;
  const kept = Object.entries(caller.grants).map(([resource, tools]) => {
    return [resource, tools.filter((tool) => !isLaundered(held, resource, tool, isPrivileged))] as const;
  });
  return { ...caller, grants: Object.fromEntries(kept.filter(([, tools]) => tools.length > 0)) };
}

function firstLaundered(maker: Caller, wanted: Grants, isPrivileged: IsPrivileged) {
  if (mayAdminister(maker)) return undefined;
  for (const [resource, tools] of Object.entries(wanted)) {
    const tool = tools.find((name) => isLaundered(maker.grants, resource, name, isPrivileged));
    if (tool !== undefined) return { resource, tool };
  }
  return undefined;
}

// A wildcard covers the name of a privileged tool but does not give the tool, so a key with the name would be stronger.
function isLaundered(held: Grants, resource: string, tool: string, isPrivileged: IsPrivileged): boolean {
  return tool !== '*' && isPrivileged(resource, tool) && !names(held, resource, tool);
}

function names(held: Grants, resource: string, tool: string): boolean {
  return [resource, '*'].some((on) => Object.hasOwn(held, on) && held[on]?.includes(tool) === true);
}
