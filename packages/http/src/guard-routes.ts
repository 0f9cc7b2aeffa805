/** What the server checks for routes that do not check by themselves: nothing of theirs is open unless they say so. */
import type { IncomingMessage } from 'node:http';
import type { RouteSet } from './route-set.ts';

/** The checks of the program that serves the routes; each throws a refusal. */
export interface RouteGuard {
  /** Host and Origin. */
  checkDoor(req: IncomingMessage): void;
  /** The same, and the credential. */
  admit(req: IncomingMessage): Promise<unknown>;
}

/** Puts the checks before the routes; `open` are the paths that answer without a credential. */
export function guardRoutes(set: RouteSet, open: readonly string[], guard: RouteGuard): RouteSet {
  if (set.isGuarded === true) return set;
  const { name, prefix } = set;
  if (set.upgrade !== undefined)
    throw new Error(`"${name}" takes WebSockets, so it has to check who comes and say isGuarded: true.`);
  return {
    name,
    prefix,
    async handle(req, res) {
      const [path = ''] = (req.url ?? '').split('?', 1);
      if (open.includes(path)) guard.checkDoor(req);
      else await guard.admit(req);
      return set.handle(req, res);
    },
    ...(set.refusal && { refusal: set.refusal.bind(set) }),
    ...(set.front && { front: set.front.bind(set) }),
    ...(set.streams && { streams: set.streams.bind(set) }),
    close: () => set.close(),
  };
}
