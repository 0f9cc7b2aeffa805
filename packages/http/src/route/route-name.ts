/** The name of a route, in tables of routes and in records: its method and whole path. */
import type { RouteFacts } from './route.ts';

/** The path of the prefix itself is written as `/`. */
export function routeName(prefix: string, { method, path }: Pick<RouteFacts, 'method' | 'path'>): string {
  return `${method} ${prefix}${path === '/' ? '' : path}`;
}
