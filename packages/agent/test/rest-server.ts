/** The routes of one process of a bed, on a real port. */
import { createServer } from 'node:http';
import { createRouteTable } from '@parley/http';
import { detach } from '@parley/kit';
import { listening } from '@parley/test-support/listening';
import { onTestFinished } from 'vitest';
import { createAgentRoutes } from '../src/rest/index.ts';
import type { AgentProcess } from './agent-bed.ts';

/** An answer; tests know what they asked for. */
export interface RestAnswer {
  readonly status: number;
  /** When to come back, as the answer says; no other header is the same twice. */
  readonly retryAfter: string | null;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  readonly json: any;
}

export interface RestServer extends AsyncDisposable {
  readonly url: string;
  readonly prefixes: readonly string[];
  /** Asks with the text of a key, or with none. */
  ask(key: string | undefined, method: string, path: string, body?: unknown): Promise<RestAnswer>;
}

/** Serves them until they are disposed of. */
export async function serveRest({
  services,
  host,
}: Pick<AgentProcess, 'services' | 'host'>): Promise<RestServer> {
  const sets = createAgentRoutes(services, host);
  const find = createRouteTable(sets);
  const { url, ...server } = await listening(
    createServer((req, res) => {
      const work = async () => {
        const set = find(req.url ?? '/');
        if (set !== undefined) return set.handle(req, res);
        res.writeHead(404).end();
      };
      detach(work(), (error) => {
        host.onFault(error, 'a route');
        res.writeHead(500).end();
      });
    }),
  );
  return {
    url,
    prefixes: sets.map(({ prefix }) => prefix),
    async ask(key, method, path, body) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...(key !== undefined && { authorization: `Bearer ${key}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const retryAfter = answer.headers.get('retry-after');
      const json = text === '' ? undefined : JSON.parse(text);
      return { status: answer.status, retryAfter, text, json };
    },
    async [Symbol.asyncDispose]() {
      for (const set of sets) await set.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

/** Serves them until the test ends; the answer asks for a path with a key. */
export async function servedUntilEnd(process: AgentProcess): Promise<RestServer['ask']> {
  const server = await serveRest(process);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server.ask;
}
