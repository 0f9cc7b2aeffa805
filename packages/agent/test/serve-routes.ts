/** The routes of the toolset on a real port, for requests as others send them. */
import { createServer } from 'node:http';
import { createRouteTable, HttpRefusal } from '@parley/http';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';
import { createAgentRoutes } from '../src/rest/index.ts';
import type { AgentServices } from '../src/services/index.ts';
import type { AgentHost } from '../src/toolset.ts';

export interface ServedAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface ServedRoutes extends AsyncDisposable {
  readonly url: string;
  readonly prefixes: readonly string[];
  /** One request; `as` is the text of a key. */
  call(method: string, path: string, request?: { as?: string; body?: unknown }): Promise<ServedAnswer>;
}

export async function serveRoutes(services: AgentServices, host: AgentHost): Promise<ServedRoutes> {
  const sets = createAgentRoutes(services, host);
  const routesFor = createRouteTable(sets);
  const server = createServer((req, res) => {
    const work = async () => {
      const set = routesFor(req.url ?? '/');
      if (set !== undefined) return set.handle(req, res);
      res.writeHead(404).end();
    };
    detach(work(), (error) => {
      res.writeHead(error instanceof HttpRefusal ? error.status : 500).end();
    });
  });
  const { url, ...end } = await listening(server);
  return {
    url,
    prefixes: sets.map(({ prefix }) => prefix),
    async call(method, path, { as, body } = {}) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(as !== undefined && { authorization: `Bearer ${as}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async [Symbol.asyncDispose]() {
      await end[Symbol.asyncDispose]();
      for (const set of sets) await set.close();
    },
  };
}
