/** Who may use a route: the team, administrators where it says so, and callers who have what the route stands for. */
import type { AnyTool, Caller, Guarded, HiddenReason } from '@parley/kit';
import { hiddenReason, isTeam, mayAdminister } from '@parley/kit';
import { HttpRefusal } from '../refusal.ts';
import type { Route, RouteFacts } from './route.ts';

/** A tool or resource that a route stands for. */
export type Guard = Pick<AnyTool, 'name' | 'privileged' | 'unattended' | 'available'>;

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
  /** Checks rank and rights before the body is read. */
  authorize(route: RouteFacts, caller: Caller): void;
  /** Checks the rights that the body asks for. */
  authorizeBody(route: Pick<Route<never>, 'grantsOf'>, caller: Caller, body: unknown): void;
}

/** Creates the checks of one set of routes; `services` are those of the tools it stands for. */
export function createAccess({ toolset, guards, byName }: AccessRules, services: unknown): Access {
  const known = new Map(guards.map((guard) => [guard.name, guarded(guard)]));

  function guarded({ name, privileged = false, unattended, available }: Guard): Guarded {
    const isOpen = byName === 'wildcard' && privileged === 'by-name';
    return {
      toolset,
      name,
      privileged: isOpen ? false : privileged,
      unattended,
      available: available && ((caller) => available(services, caller)),
    };
  }

  const reasonFor = (caller: Caller, name: string) =>
    hiddenReason(known.get(name) ?? { toolset, name }, caller);

  function refusal(caller: Caller, names: readonly string[]): HttpRefusal {
    const reasons = names.map((name) => reasonFor(caller, name));
    const full = names.map((name) => `${toolset}:${name}`).join(' or ');
    return new HttpRefusal('FORBIDDEN', sentence(full, reasons));
  }

  return {
    requireTeam(caller) {
      if (!isTeam(caller)) throw new HttpRefusal('FORBIDDEN', 'Only team members may use this API.');
    },
    authorize({ who, grants }, caller) {
      if (who !== 'team' && !mayAdminister(caller))
        throw new HttpRefusal('FORBIDDEN', 'Only administrators may do this.');
      if (grants.every((name) => reasonFor(caller, name) !== undefined)) throw refusal(caller, grants);
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
