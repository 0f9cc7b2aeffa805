/** The routes under `/lanterns`: a page for everybody, and the number for whoever has a key. */
import type { Identity } from '@parley/identity';
import type { RouteSet } from '@parley/http';
import type { Lanterns } from './services.ts';

export function createLanternRoutes(lanterns: Lanterns, identity: Identity): RouteSet {
  return {
    name: 'Lanterns',
    prefix: '/lanterns',
    async handle(req, res) {
      if (req.url === '/lanterns/about') {
        res.writeHead(200, { 'content-type': 'text/plain' }).end('Lanterns give light.');
        return;
      }
      const key = req.headers.authorization?.replace(/^Bearer /, '') ?? '';
      const caller = await identity.authenticate(key, 'key');
      if (caller === undefined) {
        res.writeHead(401, { 'content-type': 'text/plain' }).end('Send a key.');
        return;
      }
      const body = JSON.stringify(await lanterns.count(caller.organizationId));
      res.writeHead(200, { 'content-type': 'application/json' }).end(body);
    },
    close: async () => undefined,
  };
}
