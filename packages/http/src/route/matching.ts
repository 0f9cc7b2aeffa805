/** From method and path to a route: what is there, what is not, and which methods would be. */
import { HttpRefusal } from '../refusal.ts';
import { isStream } from './answer.ts';
import { createPaths } from './paths.ts';
import type { RouteFacts } from './route.ts';

/** A route with the values of its path. */
export interface Match<Route extends RouteFacts> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes. */
export interface Matcher<Route extends RouteFacts> {
  /** Throws 404 for an unknown path, 405 for a known one with another method. */
  match(method: string, path: string): Promise<Match<Route>>;
  /** True when answers at the path of a route carry an ETag. */
  isTagged(route: Pick<RouteFacts, 'path'>): boolean;
}

/** The methods whose answers carry an ETag. */
const TAGGED: ReadonlySet<string> = new Set(['GET', 'PATCH']);

/** Takes a table of routes whose paths are below the prefix; throws when it has one twice. */
export function createMatcher<Route extends RouteFacts>(
  routes: readonly Route[],
  prefix: string,
): Matcher<Route> {
  const byPath = new Map<string, Map<string, Route>>();
  for (const route of routes) {
    const methods = byPath.get(route.path) ?? new Map<string, Route>();
    if (methods.has(route.method)) throw new Error(`${route.method} ${route.path} is in the table twice.`);
    byPath.set(route.path, methods.set(route.method, route));
  }
  const find = createPaths(byPath);
  const tagged = new Set(routes.flatMap(({ method, path }) => (TAGGED.has(method) ? [path] : [])));
  return {
    isTagged: ({ path }) => tagged.has(path),
    async match(method, path) {
      const found = await find(path);
      if (found === undefined)
        throw new HttpRefusal(
          'NOT_FOUND',
          `Nothing is served at this URL. See ${prefix}/docs for what there is.`,
        );
      const route = found.entry.get(method) ?? (method === 'HEAD' ? headOf(found.entry) : undefined);
      if (route === undefined) throw wrongMethod(found.entry);
      return { route, params: found.params };
    },
  };
}

/** HEAD is answered as GET, where the answer has an end. */
function headOf<Route extends RouteFacts>(routes: ReadonlyMap<string, Route>): Route | undefined {
  const route = routes.get('GET');
  return route === undefined || isStream(route.answer) ? undefined : route;
}

function wrongMethod(routes: ReadonlyMap<string, RouteFacts>): HttpRefusal {
  const hasHead = headOf(routes) !== undefined;
  const allow = [...routes.keys()]
    .flatMap((method) => (method === 'GET' && hasHead ? ['GET', 'HEAD'] : [method]))
    .join(', ');
  return new HttpRefusal('METHOD_NOT_ALLOWED', `Use ${allow} here.`, { headers: { allow } });
}
