/** What every route of the console's API is given, and how its routes are defined. */
import { HttpRefusal } from '@parley/http';
import type { RouteExchange, SignedIn } from '@parley/http/rest';
import { defineRouteFor } from '@parley/http/rest';
import type { Caller } from '@parley/kit';
import type { ConsoleParts } from './index.ts';
import type { ApiServices } from './api-services.ts';

/** Besides what was asked: the server, and the request itself. */
export interface ConsoleScope extends ConsoleParts {
  readonly exchange: RouteExchange;
  readonly services: ApiServices;
}

export const defineRoute = defineRouteFor<ConsoleScope>();

/** Who is signed in; routes for a `person` have somebody. */
export function personIn({ exchange: { session } }: Pick<ConsoleScope, 'exchange'>): SignedIn {
  if (session === undefined) throw new HttpRefusal('UNAUTHORIZED', 'You are not signed in.');
  return session;
}

/** The same fields of a request as everywhere: who acts, in which organization. */
export function actingIn({ caller }: { readonly caller: Caller }): Caller {
  return caller;
}
