/** Who may use a route: the team, administrators where it says so, and callers who have what the route stands for. */
import type { AnyTool, Caller, Guarded, HiddenReason } from '@parley/kit';
import { hiddenReason, isTeam, mayAdminister, mustProve, requireLasting } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';
import type { Route, RouteFacts } from './route.ts';

/** A tool or resource that a route stands for. */
export type Guard = Pick<AnyTool, 'name' | 'privileged' | 'unattended' | 'available'> & {
  /** Absent: the toolset of the set. */
  readonly toolset?: string;
};

/** What the rights of a set of routes are asked from. */
export interface AccessRules {
  readonly toolset: string;
  /** The tools and resources of the toolset; any other name that a route asks for is a right of its own. */
  readonly guards: readonly Guard[];
  /**
   * What gives a tool that is privileged by name: its name alone, as over MCP, or a wildcard too. The second is for
   * sets that nobody has to choose from as a model does.
   */
  readonly byName: 'name' | 'wildcard';
}

/** Decides by the same resolver that lists and calls of tools ask. */
export interface Access {
  /** Refuses visitors of the portal, whatever they ask for. */
  requireTeam(caller: Caller): void;
  /** Checks rank, rights and, for somebody in a browser, how long ago they showed who they are; before the body is read. */
  authorize(route: RouteFacts, caller: Caller): void;
  /** Checks the rights that the body asks for. */
  authorizeBody(route: Pick<Route<never>, 'grantsOf'>, caller: Caller, body: unknown): void;
}

/** Creates the checks of one set of routes; `services` are those of the tools it stands for. */
export function createAccess(
  { toolset, guards, byName }: AccessRules,
  services: unknown,
  now: () => number,
): Access {
  const known = new Map(guards.map((guard) => [fullName(toolset, guard), guarded(guard)]));

  function guarded({ name, privileged = false, unattended, available, ...guard }: Guard): Guarded {
    const isOpen = byName === 'wildcard' && privileged === 'by-name';
    return {
      toolset: guard.toolset ?? toolset,
      name,
      privileged: isOpen ? false : privileged,
      unattended,
      available: available && ((caller) => available(services, caller)),
    };
  }

  const reasonFor = (caller: Caller, name: string) => {
    const full = fullName(toolset, { name });
    const at = full.indexOf(':');
    const right = { toolset: full.slice(0, at), name: full.slice(at + 1) };
    return hiddenReason(known.get(full) ?? right, caller);
  };

  function refusal(caller: Caller, names: readonly string[]): HttpRefusal {
    const reasons = names.map((name) => reasonFor(caller, name));
    const full = names.map((name) => fullName(toolset, { name })).join(' or ');
    return new HttpRefusal('FORBIDDEN', sentence(full, reasons));
  }

  return {
    requireTeam(caller) {
      if (!isTeam(caller)) throw new HttpRefusal('FORBIDDEN', 'Only team members may use this API.');
    },
    authorize({ who, grants, isSensitive, hasSecret }, caller) {
      const isOwn = who === 'person' || who === 'anybody';
      if (!isOwn && who !== 'team' && !mayAdminister(caller))
        throw new HttpRefusal('FORBIDDEN', 'Only administrators may do this.');
      if (who === 'person' && caller.source !== 'web')
        throw new HttpRefusal('FORBIDDEN', 'This is for people who are signed in with a browser.');
      if (!isOwn && grants.every((name) => reasonFor(caller, name) !== undefined))
        throw refusal(caller, grants);
      if (isSensitive || hasSecret) requireLasting(caller, 'what lets others in');
      if (isSensitive && mustProve(caller, now())) throw freshSignIn();
    },
    authorizeBody({ grantsOf }, caller, body) {
      const missing = grantsOf(body).filter((name) => reasonFor(caller, name) !== undefined);
      if (missing.length > 0) throw refusal(caller, missing);
    },
  };
}

function sentence(names: string, reasons: readonly (HiddenReason | undefined)[]): string {
  if (reasons.includes('unattended'))
    return `${names} is blocked while nobody is watching, and this caller is unattended.`;
  if (reasons.includes('not_available')) return `${names} is not available to this caller.`;
  return `This key does not have the grant ${names}.`;
}

/** The name with its toolset before it, as texts and other sets write it. */
export function fullName(
  toolset: string,
  { name, toolset: own }: { readonly name: string; readonly toolset?: string },
): string {
  if (own !== undefined) return `${own}:${name}`;
  return name.includes(':') ? name : `${toolset}:${name}`;
}

/** Somebody who is signed in has to show again who they are before this. */
export function freshSignIn(): HttpRefusal {
  return new HttpRefusal('FRESH_SIGN_IN', 'Show again who you are: it is more than 15 minutes ago.');
}

/** Throws unless somebody in a browser has just shown who they are; for routes that are sensitive with some bodies alone. */
export function requireFresh(caller: Caller, now: number): void {
  if (mustProve(caller, now)) throw freshSignIn();
}
