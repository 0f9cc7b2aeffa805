/** From method and path to a route: one look into a tree of path segments. */
import { HttpRefusal } from '../refusal.ts';
import type { RouteFacts } from './route.ts';

/** A route with the values of its path. */
export interface Match<Route extends RouteFacts> {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds routes. */
export interface Matcher<Route extends RouteFacts> {
  /** Throws 404 for an unknown path, 405 for a known one with another method. */
  match(method: string, path: string): Match<Route>;
  /** True when answers at the path of a route carry an ETag. */
  isTagged(route: Pick<RouteFacts, 'path'>): boolean;
}

interface Node<Route> {
  readonly fixed: Map<string, Node<Route>>;
  variable: Node<Route> | undefined;
  /** By method. */
  readonly routes: Map<string, Route>;
}

/** The methods whose answers carry an ETag. */
const TAGGED: ReadonlySet<string> = new Set(['GET', 'PATCH']);

const newNode = <Route>(): Node<Route> => ({ fixed: new Map(), variable: undefined, routes: new Map() });

/** Builds the tree of a table of routes; paths are below the prefix. */
export function createMatcher<Route extends RouteFacts>(
  routes: readonly Route[],
  prefix: string,
): Matcher<Route> {
  const root = newNode<Route>();
  for (const route of routes) {
    const node = segmentsOf(route.path).reduce<Node<Route>>(nodeFor, root);
    if (node.routes.has(route.method))
      throw new Error(`${route.method} ${route.path} is in the table twice.`);
    node.routes.set(route.method, route);
  }
  const tagged = new Set(routes.flatMap(({ method, path }) => (TAGGED.has(method) ? [path] : [])));
  return {
    isTagged: ({ path }) => tagged.has(path),
    match(method, path) {
      const segments = segmentsOf(path);
      const values: string[] = [];
      let node = root;
      for (const segment of segments) {
        const next: Node<Route> | undefined = node.fixed.get(segment) ?? node.variable;
        if (next === undefined) throw unknownRoute(prefix);
        if (next === node.variable) values.push(decoded(segment));
        node = next;
      }
      if (node.routes.size === 0) throw unknownRoute(prefix);
      const route = node.routes.get(method) ?? (method === 'HEAD' ? headOf(node.routes) : undefined);
      if (route === undefined) throw wrongMethod(node.routes);
      return {
        route,
        params: Object.fromEntries(namesOf(route).map((name, at) => [name, values[at] ?? ''])),
      };
    },
  };
}

/** HEAD is answered as GET, where the answer has an end. */
function headOf<Route extends RouteFacts>(routes: ReadonlyMap<string, Route>): Route | undefined {
  const route = routes.get('GET');
  return route?.answer.kind === 'stream' ? undefined : route;
}

function nodeFor<Route>(node: Node<Route>, segment: string): Node<Route> {
  if (segment.startsWith(':')) return (node.variable ??= newNode());
  const next = node.fixed.get(segment) ?? newNode<Route>();
  node.fixed.set(segment, next);
  return next;
}

function segmentsOf(path: string): string[] {
  return path.split('/').slice(1);
}

/** The names after colons in the path of a route. */
export function namesOf({ path }: Pick<RouteFacts, 'path'>): string[] {
  return segmentsOf(path).flatMap((segment) => (segment.startsWith(':') ? [segment.slice(1)] : []));
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new HttpRefusal('BAD_REQUEST', 'The path holds a percent sign that is no valid encoding.');
  }
}

function unknownRoute(prefix: string): HttpRefusal {
  return new HttpRefusal('NOT_FOUND', `Nothing is served at this URL. See ${prefix}/docs for what there is.`);
}

function wrongMethod(routes: ReadonlyMap<string, RouteFacts>): HttpRefusal {
  const hasHead = headOf(routes) !== undefined;
  const allow = [...routes.keys()].flatMap((method) =>
    method === 'GET' && hasHead ? ['GET', 'HEAD'] : [method],
  );
  return new HttpRefusal('METHOD_NOT_ALLOWED', `Use ${allow.join(', ')} here.`, {
    headers: { allow: allow.join(', ') },
  });
}
