/** The one guard before every service: what a method asks of its caller is declared, and checked here alone. */
import type { Actor } from '../actor.ts';
import { forbidden } from '../faults.ts';

/** A need that depends on the row: its author, or somebody of that rank. The guard lets pass; the service looks. */
export const ownOr = <Rank extends 'team' | 'nobody'>(rank: Rank) => `own or ${rank}` as const;

/** What a method asks of its actor, from visitors to administrators. */
export type ActorNeed = 'anyone' | ReturnType<typeof ownOr<'team' | 'nobody'>> | 'team' | 'admin';

/** `public`: the method has no actor, since it is there before anybody is known. */
export type Need = ActorNeed | 'public';

type NeedOf<Method> = Method extends (actor: Actor, ...rest: never[]) => unknown ? ActorNeed : 'public';

/** A need for each method of a service; a method without one does not compile. */
export type NeedsOf<Service> = { readonly [Method in keyof Service]: NeedOf<Service[Method]> };

/** Refuses an actor who is less than what is needed; what is not known to be allowed is not. */
export function allow(need: ActorNeed, { rank }: Pick<Actor, 'rank'>): void {
  switch (need) {
    case 'anyone':
    case 'own or team':
    case 'own or nobody':
      return;
    case 'team':
      if (rank === 'user') throw forbidden('Only team members may do this.');
      return;
    default:
      if (rank !== 'admin') throw forbidden('Only administrators may do this.');
  }
}

type Method = (...given: readonly unknown[]) => unknown;

/** The service behind its guard: every method asks first, whoever calls it. */
export function guarded<Service extends object>(needs: NeedsOf<Service>, service: Service): Service {
  const declared = new Map<string, Need>(Object.entries(needs));
  const methods = Object.entries(service).map(([name, method]) => {
    const need = declared.get(name);
    if (need === undefined) throw new Error(`Nothing says who may call ${name}.`);
    return [name, need === 'public' ? method : behind(need, method)];
  });
  // The same names with the same parameters.
  return Object.fromEntries(methods) as Service;
}

function behind(need: ActorNeed, method: Method): Method {
  return async (...given) => {
    // The needs that have an actor are declared for methods that take it first.
    allow(need, given[0] as Actor);
    return method(...given);
  };
}

/** The services, each behind its guard. */
export function guardEach<Services extends Record<keyof Services, object>>(
  needs: { readonly [Noun in keyof Services]: NeedsOf<Services[Noun]> },
  services: Services,
): Services {
  const behindGuards = { ...services };
  // An object of services has no other keys.
  for (const noun of Object.keys(services) as (keyof Services)[])
    behindGuards[noun] = guarded(needs[noun], services[noun]);
  return behindGuards;
}
